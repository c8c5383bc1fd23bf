/** A published API: what it does, its plans, and how to call it. */
import { Prose } from "../../../reference/prose.tsx"
import { Alert } from "../../../ui/parts.tsx"
import { doorlock, links } from "../../common/call.ts"
import { Copy } from "../../common/copy.tsx"
import { Select } from "../../common/fields.tsx"
import type { PageProps } from "../../common/page.ts"
import { Empty, Facts, Page, Section } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link, setQuery, useLocation } from "../../common/router.tsx"
import { gatewayAddress } from "../../common/surroundings.ts"
import { Time } from "../../common/time.tsx"
import { WriteAccessLink } from "../../common/write-access.tsx"
import { Documentation } from "./documentation/documentation.tsx"
import { type VersionName, versionPath } from "./documentation/version.ts"
import { type ListedApi, Plans } from "./plans.tsx"

/** A published API, and the company's active subscription to it, if any. */
export const readOffer = async (id: string, signal: AbortSignal) => {
  const [{ api }, { subscriptions }] = await Promise.all([
    doorlock.catalog.get(id, { signal }),
    doorlock.subscriptions.list({ signal })
  ])
  return {
    api,
    subscription: subscriptions.find(({ api_id, status }) => api_id === id && status === "active")
  }
}

export const Address = ({ of }: { readonly of: VersionName }) => {
  const address = gatewayAddress() + versionPath(of)
  return (
    <span class="address">
      <code>{address}</code>
      <Copy text={address} what={`address of version ${of.version}`} />
    </span>
  )
}

interface VersionProps {
  readonly api: ListedApi
  readonly version: string
}

const VersionChoice = ({ api: { versions }, version }: VersionProps) => (
  <label>
    Version{" "}
    <Select
      value={version}
      choices={versions.map((known) => [known.version, known.version])}
      onChange={(chosen) => setQuery({ version: chosen, operation: undefined })}
    />
  </label>
)

const Reading = ({ api, version }: VersionProps) => {
  const description = useResource((signal) => doorlock.catalog.openapi(api.id, { signal }), [api.id])
  return (
    <Section
      title="Documentation"
      actions={
        <span class="row">
          {api.versions.length > 1 ? <VersionChoice api={api} version={version} /> : null}
          <a class="button" href={links.openapi(api.id)} download={`${api.slug}.openapi.json`}>
            Download <span class="visually-hidden">the OpenAPI document</span>
          </a>
        </span>
      }
    >
      <Loaded of={description}>
        {(document) => <Documentation key={version} document={document} versionName={{ ...api, version }} />}
      </Loaded>
    </Section>
  )
}

const Shown = ({ api }: { readonly api: ListedApi }) => {
  const { query } = useLocation()
  const wanted = query.get("version")
  const version = api.versions.find((known) => known.version === wanted) ?? api.versions[0]
  return (
    <>
      {api.description === "" ? null : (
        <Section title="About">
          <Prose text={api.description} />
        </Section>
      )}
      <Section title="Plans">
        <Plans of={api.plans} none="The publisher has not offered a plan to subscribe to." />
      </Section>
      {version === undefined ? (
        <Section title="Documentation">
          <Empty title="No versions yet">The publisher has not added a version to call.</Empty>
        </Section>
      ) : (
        <>
          <Section title="How to call it">
            <Facts
              of={[
                ["Address", <Address key="address" of={{ ...api, version: version.version }} />],
                ["Credential", <code key="credential">x-api-key</code>],
                [`Version ${version.version} since`, <Time key="since" at={version.created_at} precise />]
              ]}
            />
          </Section>
          <Reading api={api} version={version.version} />
        </>
      )}
    </>
  )
}

export const ListedApiPage = ({ parameters: { id = "" } }: PageProps) => {
  const loaded = useResource((signal) => readOffer(id, signal), [id])
  const known = loaded.value
  return (
    <Page
      title={known?.api.name ?? "API"}
      parent={{ to: "/dashboard/marketplace", label: "Marketplace" }}
      intro={known && `by ${known.api.publisher_slug}`}
      actions={
        known !== undefined && known.subscription === undefined && known.api.plans.length > 0 ? (
          <WriteAccessLink to={`/dashboard/marketplace/${id}/subscribe`} class="button primary">
            Subscribe
          </WriteAccessLink>
        ) : undefined
      }
    >
      <Loaded of={loaded}>
        {({ api, subscription }) => (
          <>
            {subscription === undefined ? null : (
              <Alert tone="good">
                <p>
                  You are subscribed to the plan “{subscription.plan.name}”.{" "}
                  <Link to={`/dashboard/subscriptions/${subscription.id}`}>Keys and usage</Link>
                </p>
              </Alert>
            )}
            <Shown api={api} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
