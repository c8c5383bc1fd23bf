/** One of the company's APIs: its versions, its plans, and its visibility. */
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
import { limitsOf } from "../catalog/plans.tsx"
import { type OwnApi, pageOf, readOwnApi } from "./own-api.ts"
import { ApiState } from "./publishing.tsx"

interface ApiProps {
  readonly api: OwnApi
}

const Versions = ({ api }: ApiProps) => {
  const mayWrite = useMayWrite()
  return (
    <Section
      title="Versions"
      actions={
        mayWrite ? (
          <Link to={`${pageOf(api.id)}/versions/new`} class="button">
            Add version
          </Link>
        ) : null
      }
    >
      {api.versions.length === 0 ? (
        <Empty title="No versions yet">A version says where calls go, and describes the operations.</Empty>
      ) : (
        <Table
          label="Versions, newest first"
          rows={api.versions}
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
            { label: "Waits", cell: ({ timeout_seconds }) => `${timeout_seconds} s` },
            {
              label: "Described",
              cell: ({ has_openapi }) =>
                has_openapi ? <Badge tone="good">Yes</Badge> : <Badge tone="warning">No</Badge>
            },
            { label: "Added", cell: ({ created_at }) => <Time at={created_at} /> }
          ]}
        />
      )}
    </Section>
  )
}

const Plans = ({ api }: ApiProps) => {
  const mayWrite = useMayWrite()
  return (
    <Section
      title="Plans"
      actions={
        mayWrite ? (
          <Link to={`${pageOf(api.id)}/plans/new`} class="button">
            Add plan
          </Link>
        ) : null
      }
    >
      {api.plans.length === 0 ? (
        <Empty title="No plans yet">Others subscribe to a plan. It says how much they may call.</Empty>
      ) : (
        <Table
          label="Plans"
          rows={api.plans}
          keyOf={({ id }) => id}
          columns={[
            { label: "Plan", cell: ({ name }) => name },
            { label: "What it permits", cell: limitsOf }
          ]}
        />
      )}
    </Section>
  )
}

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

const Question = ({ api, onClose, onDone }: QuestionProps) =>
  api.status === "published" ? (
    <Confirm
      title={`Unpublish ${api.name}?`}
      act="Unpublish"
      onClose={onClose}
      onConfirm={async () => {
        await call("api-publishing.unpublish", { path: { apiId: api.id } })
        await onDone()
      }}
    >
      <p>
        It leaves the marketplace, and the gateway refuses its calls from now on. Subscriptions stay, and work
        again when you publish it again.
      </p>
    </Confirm>
  ) : (
    <Confirm
      title={`Publish ${api.name}?`}
      act="Publish"
      danger={false}
      onClose={onClose}
      onConfirm={async () => {
        await call("api-publishing.publish", { path: { apiId: api.id } })
        await onDone()
      }}
    >
      <p>Everybody sees it in the marketplace from now on, and other companies can subscribe to its plans.</p>
      {missing(api) === undefined ? null : <p>It still lacks {missing(api)}.</p>}
    </Confirm>
  )

const Shown = ({ api }: ApiProps) => {
  const mayWrite = useMayWrite()
  const [newest] = api.versions
  const lacks = missing(api)
  return (
    <>
      {api.taken_down === null ? null : (
        <Alert tone="warning" title="Taken down">
          <p>
            The operator of this service took this API off the market (<Time at={api.taken_down.at} />
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
      <Section
        title="About"
        actions={
          mayWrite ? (
            <Link to={`${pageOf(api.id)}/edit`} class="button">
              Edit
            </Link>
          ) : null
        }
      >
        <Facts
          of={[
            ["State", <ApiState key="state" of={api} />],
            ["Slug", <code key="slug">{`${api.publisher_slug}/${api.slug}`}</code>],
            ...(newest === undefined
              ? []
              : [["Newest address", <Address key="address" api={api} version={newest.version} />] as const]),
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
      <Versions api={api} />
      <Plans api={api} />
    </>
  )
}

export const OwnApiPage = ({ parameters: { id = "" } }: PageProps) => {
  const mayWrite = useMayWrite()
  const [asking, setAsking] = useState(false)
  const loaded = useResource((signal) => readOwnApi(id, signal), [id])
  const known = loaded.state.kind === "ready" ? loaded.state.value : undefined
  return (
    <Page
      title={known?.name ?? "API"}
      parent={{ to: "/dashboard/publishing", label: "Publishing" }}
      {...(known === undefined
        ? {}
        : {
            actions: (
              <>
                <Link to={`${pageOf(id)}/usage`} class="button">
                  Usage
                </Link>
                {known.status === "published" ? (
                  <Link to={`/dashboard/marketplace/${known.id}`} class="button">
                    See it in the marketplace
                  </Link>
                ) : null}
                {mayWrite && known.taken_down === null ? (
                  <Button
                    look={known.status === "published" ? "secondary" : "primary"}
                    onClick={() => setAsking(true)}
                  >
                    {known.status === "published" ? "Unpublish" : "Publish"}
                  </Button>
                ) : null}
              </>
            )
          })}
    >
      <Loaded of={loaded}>{(api) => <Shown api={api} />}</Loaded>
      {asking && known !== undefined ? (
        <Question api={known} onClose={() => setAsking(false)} onDone={loaded.reload} />
      ) : null}
    </Page>
  )
}
