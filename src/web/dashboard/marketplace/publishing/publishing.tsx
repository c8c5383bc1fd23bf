/** The company's own APIs. A company must first become a publisher. */
import { Icon } from "../../../brand/drawn.tsx"
import { useAccount, useMayWrite } from "../../common/account.ts"
import { doorlock, failureOf } from "../../common/call.ts"
import { TextField } from "../../common/fields.tsx"
import { Form, Submit, useFields } from "../../common/form.tsx"
import { Badge, Empty, Page } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { gatewayAddress } from "../../common/surroundings.ts"
import { LongTable } from "../../common/table.tsx"
import { WriteAccessLink } from "../../common/write-access.tsx"
import { type OwnApi, pageOf, slugOf } from "./own-api.tsx"

export const ApiState = ({ of: { status, taken_down } }: { readonly of: OwnApi }) => {
  if (taken_down !== null) return <Badge tone="problem">Taken down</Badge>
  return status === "published" ? <Badge tone="good">Published</Badge> : <Badge>Draft</Badge>
}

const read = async (signal: AbortSignal) => {
  try {
    const [{ publisher }, { apis }] = await Promise.all([
      doorlock.publishing.getPublisher({ signal }),
      doorlock.publishing.listApis({ signal })
    ])
    return { publisher, apis }
  } catch (cause) {
    if (failureOf(cause).status === 404) return null
    throw cause
  }
}

const BecomePublisher = ({ onDone }: { readonly onDone: () => Promise<void> }) => {
  const { company } = useAccount()
  const { field, values } = useFields({ name: company.name, slug: slugOf(company.name) })
  return (
    <Form
      label="Become a publisher"
      class="form section"
      about={{
        "Slug is already taken": "slug",
        "Slug is reserved": "slug"
      }}
      onSubmit={async () => {
        await doorlock.publishing.becomePublisher(values)
        await onDone()
      }}
    >
      <h2>Become a publisher</h2>
      <p>
        Publish your company’s APIs: others find them in the marketplace, subscribe to a plan and call them
        through the gateway, which checks keys, enforces limits and counts calls.
      </p>
      <TextField {...field("name")} label="Name" hint="Shown in the marketplace." />
      <TextField
        {...field("slug")}
        label="Slug"
        hint={`The start of your APIs’ addresses. You cannot change it later: ${gatewayAddress()}/${values.slug || "…"}/`}
        code
      />
      <Submit>Become a publisher</Submit>
    </Form>
  )
}

const addApi = (
  <WriteAccessLink to="/dashboard/publishing/new" class="button primary">
    <Icon name="add" /> Add API
  </WriteAccessLink>
)

const OwnApis = ({ apis }: { readonly apis: ReadonlyArray<OwnApi> }) => (
  <LongTable
    label="Your APIs, newest first"
    rows={apis}
    empty={
      <Empty icon="publishing" title="No APIs yet" action={addApi}>
        An API is a draft until you publish it: add versions and plans first.
      </Empty>
    }
    columns={[
      {
        label: "API",
        cell: ({ id, name }) => <Link to={pageOf(id)}>{name}</Link>,
        under: ({ publisher_slug, slug }) => <code>{`${publisher_slug}/${slug}`}</code>
      },
      { label: "State", cell: (api) => <ApiState of={api} /> },
      {
        label: "Newest version",
        cell: ({ versions: [newest] }) => newest?.version ?? <span class="faint">None</span>
      },
      { label: "Plans", numeric: true, cell: ({ plans }) => plans.length },
      { label: "Usage", cell: ({ id }) => <Link to={`${pageOf(id)}/usage`}>Usage</Link> }
    ]}
  />
)

export const PublishingPage = () => {
  const mayWrite = useMayWrite()
  const loaded = useResource(read, [])
  const publisher = loaded.value?.publisher
  return (
    <Page
      title="Publishing"
      intro={
        publisher === undefined ? (
          "The APIs that your company offers to others."
        ) : (
          <>
            You publish as {publisher.name} (<code>{publisher.slug}</code>).
          </>
        )
      }
      actions={publisher && addApi}
    >
      <Loaded of={loaded}>
        {(known) =>
          known !== null ? (
            <OwnApis apis={known.apis} />
          ) : mayWrite ? (
            <BecomePublisher onDone={loaded.reload} />
          ) : (
            <Empty icon="publishing" title="Your company is not a publisher">
              A member of your company can make it a publisher.
            </Empty>
          )
        }
      </Loaded>
    </Page>
  )
}
