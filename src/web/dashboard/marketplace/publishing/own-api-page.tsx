/** One of the company's APIs: its versions, its plans, and whether it is published. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Alert, Button } from "../../../ui/parts.tsx"
import { useMayWrite } from "../../common/account.ts"
import { call } from "../../common/call.ts"
import { Confirm } from "../../common/dialog.tsx"
import type { PageProps } from "../../common/page.ts"
import { Badge, Empty, Facts, Page, Section } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { Table } from "../../common/table.tsx"
import { Time } from "../../common/time.tsx"
import { Prose } from "../catalog/documentation/prose.tsx"
import { Address } from "../catalog/listed-api.tsx"
import { Plans } from "../catalog/plans.tsx"
import { type OwnApi, pageOf, readOwnApi } from "./own-api.tsx"
import { ApiState } from "./publishing.tsx"

interface ApiProps {
  readonly api: OwnApi
}

interface ChangeLinkProps {
  readonly to: string
  readonly children: ComponentChildren
}

/** A link to a form, for users who may change the API. */
const ChangeLink = ({ children, to }: ChangeLinkProps) =>
  useMayWrite() ? (
    <Link to={to} class="button">
      {children}
    </Link>
  ) : null

const Versions = ({ of }: { readonly of: OwnApi["versions"] }) =>
  of.length === 0 ? (
    <Empty title="No versions yet">A version defines where calls go and which operations exist.</Empty>
  ) : (
    <Table
      label="Versions, newest first"
      rows={of}
      keyOf={({ id }) => id}
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

interface QuestionProps extends ApiProps {
  readonly onClose: () => void
  readonly onDone: () => Promise<void>
}

const Question = ({ api, onClose, onDone }: QuestionProps) => {
  const published = api.status === "published"
  const act = published ? "Unpublish" : "Publish"
  return (
    <Confirm
      title={`${act} ${api.name}?`}
      act={act}
      danger={published}
      onClose={onClose}
      onConfirm={async () => {
        const route = published ? "api-publishing.unpublish" : "api-publishing.publish"
        await call(route, { path: { apiId: api.id } })
        await onDone()
      }}
    >
      <p>
        {published
          ? "The marketplace no longer shows it, and the gateway refuses its calls. Subscriptions stay, and work again once you republish it."
          : "Everyone can see it in the marketplace, and other companies can subscribe to its plans."}
      </p>
      {published || missing(api) === undefined ? null : <p>It still lacks {missing(api)}.</p>}
    </Confirm>
  )
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
      <Section title="About" actions={<ChangeLink to={`${pageOf(api.id)}/edit`}>Edit</ChangeLink>}>
        <Facts
          of={[
            ["State", <ApiState key="state" of={api} />],
            ["Slug", <code key="slug">{`${api.publisher_slug}/${api.slug}`}</code>],
            ...(newest === undefined
              ? []
              : [
                  [
                    "Newest address",
                    <Address key="address" of={{ ...api, version: newest.version }} />
                  ] as const
                ]),
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
      <Section
        title="Versions"
        actions={<ChangeLink to={`${pageOf(api.id)}/versions/new`}>Add version</ChangeLink>}
      >
        <Versions of={api.versions} />
      </Section>
      <Section title="Plans" actions={<ChangeLink to={`${pageOf(api.id)}/plans/new`}>Add plan</ChangeLink>}>
        <Plans of={api.plans} none="Others subscribe to a plan, which limits their calls." />
      </Section>
    </>
  )
}

interface ActionsProps extends ApiProps {
  readonly onAsk: () => void
}

const Actions = ({ api, onAsk }: ActionsProps) => {
  const mayWrite = useMayWrite()
  const published = api.status === "published"
  return (
    <>
      <Link to={`${pageOf(api.id)}/usage`} class="button">
        Usage
      </Link>
      {published ? (
        <Link to={`/dashboard/marketplace/${api.id}`} class="button">
          See it in the marketplace
        </Link>
      ) : null}
      {mayWrite && api.taken_down === null ? (
        <Button look={published ? "secondary" : "primary"} onClick={onAsk}>
          {published ? "Unpublish" : "Publish"}
        </Button>
      ) : null}
    </>
  )
}

export const OwnApiPage = ({ parameters: { id = "" } }: PageProps) => {
  const [asking, setAsking] = useState(false)
  const loaded = useResource((signal) => readOwnApi(id, signal), [id])
  const known = loaded.state.kind === "ready" ? loaded.state.value : undefined
  return (
    <Page
      title={known?.name ?? "API"}
      parent={{ to: "/dashboard/publishing", label: "Publishing" }}
      actions={known && <Actions api={known} onAsk={() => setAsking(true)} />}
    >
      <Loaded of={loaded}>{(api) => <Shown api={api} />}</Loaded>
      {asking && known !== undefined ? (
        <Question api={known} onClose={() => setAsking(false)} onDone={loaded.reload} />
      ) : null}
    </Page>
  )
}
