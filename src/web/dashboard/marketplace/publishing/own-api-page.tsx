/** One of the company's APIs: its versions, its plans, and whether it is published. */

import { Prose } from "../../../reference/prose.tsx"
import { Alert } from "../../../ui/parts.tsx"
import { useMayWrite } from "../../common/account.ts"
import { doorlock } from "../../common/call.ts"
import { ConfirmButton } from "../../common/dialog.tsx"
import type { PageProps } from "../../common/page.ts"
import { Badge, Empty, Facts, Page, Section } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { Table } from "../../common/table.tsx"
import { Time } from "../../common/time.tsx"
import { WriteAccessLink } from "../../common/write-access.tsx"
import { Address } from "../catalog/listed-api.tsx"
import { Plans } from "../catalog/plans.tsx"
import { type OwnApi, pageOf, readOwnApi } from "./own-api.tsx"
import { ApiState } from "./publishing.tsx"

interface ApiProps {
  readonly api: OwnApi
}

const Versions = ({ of }: { readonly of: OwnApi["versions"] }) => (
  <Table
    label="Versions, newest first"
    rows={of}
    empty={
      <Empty title="No versions yet">A version defines where calls go and which operations exist.</Empty>
    }
    columns={[
      { label: "Version", cell: ({ version }) => version },
      {
        label: "Calls go to",
        cell: ({ sandbox_upstream_url, upstream_url }) => (
          <>
            <code>{upstream_url}</code>
            {sandbox_upstream_url === null ? null : (
              <span class="under">
                with test keys to <code>{sandbox_upstream_url}</code>
              </span>
            )}
          </>
        )
      },
      { label: "Timeout", cell: ({ timeout_seconds }) => `${timeout_seconds} s` },
      {
        label: "Documented",
        cell: ({ has_openapi }) =>
          has_openapi ? <Badge tone="good">Yes</Badge> : <Badge tone="warning">No</Badge>
      },
      { label: "Added", cell: ({ created_at }) => <Time at={created_at} /> }
    ]}
  />
)

/** What is missing before others can use the API. */
const missing = ({ plans, versions }: OwnApi): string | undefined => {
  if (versions.length === 0 && plans.length === 0) return "a version to call and a plan to subscribe to"
  if (versions.length === 0) return "a version to call"
  return plans.length === 0 ? "a plan to subscribe to" : undefined
}

const Shown = ({ api }: ApiProps) => {
  const [newest] = api.versions
  const lacks = missing(api)
  return (
    <>
      {api.taken_down === null ? null : (
        <Alert tone="warning" title="Taken down">
          <p>
            The operator of this service removed this API from the marketplace (
            <Time at={api.taken_down.at} />
            ). You can publish it again once the operator allows it.
          </p>
          <p>Reason: {api.taken_down.reason}</p>
        </Alert>
      )}
      {lacks === undefined ? null : (
        <Alert tone="warning">
          <p>Before others can use it, it needs {lacks}.</p>
        </Alert>
      )}
      <div class="beside-facts">
        <Section
          title="About"
          actions={
            <WriteAccessLink class="button" to={`${pageOf(api.id)}/edit`}>
              Edit
            </WriteAccessLink>
          }
        >
          <Facts
            of={[
              ["State", <ApiState key="state" of={api} />],
              ["Slug", <code key="slug">{`${api.publisher_slug}/${api.slug}`}</code>],
              [
                "Newest address",
                newest && <Address key="address" of={{ ...api, version: newest.version }} />
              ],
              [
                "Description",
                api.description === "" ? (
                  <span class="faint">None</span>
                ) : (
                  <Prose key="description" text={api.description} />
                )
              ]
            ]}
          />
        </Section>
        <div>
          <Section
            title="Versions"
            actions={
              <WriteAccessLink class="button" to={`${pageOf(api.id)}/versions/new`}>
                Add version
              </WriteAccessLink>
            }
          >
            <Versions of={api.versions} />
          </Section>
          <Section
            title="Plans"
            actions={
              <WriteAccessLink class="button" to={`${pageOf(api.id)}/plans/new`}>
                Add plan
              </WriteAccessLink>
            }
          >
            <Plans of={api.plans} none="Others subscribe to a plan, which limits their calls." />
          </Section>
        </div>
      </div>
    </>
  )
}

interface ActionsProps extends ApiProps {
  readonly onDone: () => Promise<void>
}

const Publish = ({ api, onDone }: ActionsProps) => {
  const published = api.status === "published"
  const act = published ? "Unpublish" : "Publish"
  const lacks = missing(api)
  return (
    <ConfirmButton
      label={act}
      look={published ? "secondary" : "primary"}
      title={`${act} ${api.name}?`}
      act={act}
      danger={published}
      onConfirm={async () => {
        await (published ? doorlock.publishing.unpublish(api.id) : doorlock.publishing.publish(api.id))
        await onDone()
      }}
    >
      <p>
        {published
          ? "The marketplace will no longer show this API, and the gateway will refuse its calls. Subscriptions stay, and work again once you republish the API."
          : "Everyone can see it in the marketplace, and other companies can subscribe to its plans."}
      </p>
      {published || lacks === undefined ? null : <p>It still lacks {lacks}.</p>}
    </ConfirmButton>
  )
}

const Actions = ({ api, onDone }: ActionsProps) => {
  const mayWrite = useMayWrite()
  return (
    <>
      <Link to={`${pageOf(api.id)}/usage`} class="button">
        Usage
      </Link>
      {api.status === "published" ? (
        <Link to={`/dashboard/marketplace/${api.id}`} class="button">
          See it in the marketplace
        </Link>
      ) : null}
      {mayWrite && api.taken_down === null ? <Publish api={api} onDone={onDone} /> : null}
    </>
  )
}

export const OwnApiPage = ({ parameters: { id = "" } }: PageProps) => {
  const loaded = useResource((signal) => readOwnApi(id, signal), [id])
  return (
    <Page
      title={loaded.value?.name ?? "API"}
      parent={{ to: "/dashboard/publishing", label: "Publishing" }}
      actions={loaded.value && <Actions api={loaded.value} onDone={loaded.reload} />}
    >
      <Loaded of={loaded}>{(api) => <Shown api={api} />}</Loaded>
    </Page>
  )
}
