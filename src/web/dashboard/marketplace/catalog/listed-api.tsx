/** A published API: what it does, what it costs, how to call it. */
import { Alert } from "../../../ui/parts.tsx"
import { useMayWrite } from "../../common/account.ts"
import { addressOf, call } from "../../common/call.ts"
import { Copy } from "../../common/copy.tsx"
import type { PageProps } from "../../common/page.ts"
import { Empty, Facts, Page, Section } from "../../common/parts.tsx"
import { Loaded, useResource } from "../../common/resource.tsx"
import { Link, setQuery, useLocation } from "../../common/router.tsx"
import { gatewayAddress } from "../../common/surroundings.ts"
import { Table } from "../../common/table.tsx"
import { Time } from "../../common/time.tsx"
import { versionPath } from "./documentation/document.ts"
import { Documentation } from "./documentation/documentation.tsx"
import { Prose } from "./documentation/prose.tsx"
import { type ListedApi, limitsOf } from "./plans.tsx"
import { readOffer } from "./reading.ts"

interface AddressProps {
  readonly api: Pick<ListedApi, "publisher_slug" | "slug">
  readonly version: string
}

/** The address for calls to an API version. */
export const Address = ({ api: { publisher_slug, slug }, version }: AddressProps) => {
  const address = gatewayAddress() + versionPath({ publisher_slug, slug, version })
  return (
    <span class="address">
      <code>{address}</code>
      <Copy text={address} what={`address of version ${version}`} />
    </span>
  )
}

interface VersionChoiceProps {
  readonly api: ListedApi
  readonly version: string
}

const VersionChoice = ({ api: { versions }, version }: VersionChoiceProps) => (
  <label class="inline-choice">
    Version{" "}
    <select
      value={version}
      onChange={(event) => setQuery({ version: event.currentTarget.value, operation: undefined })}
    >
      {versions.map((known) => (
        <option key={known.id} value={known.version}>
          {known.version}
        </option>
      ))}
    </select>
  </label>
)

const Reading = ({ api, version }: VersionChoiceProps) => {
  const description = useResource(
    (signal) => call("api-catalog.describe", { path: { apiId: api.id }, signal }),
    [api.id]
  )
  return (
    <Section
      title="Documentation"
      actions={
        <span class="section-actions">
          {api.versions.length > 1 ? <VersionChoice api={api} version={version} /> : null}
          <a
            class="button"
            href={addressOf("api-catalog.describe", { path: { apiId: api.id } })}
            download={`${api.slug}.openapi.json`}
          >
            Download <span class="visually-hidden">the OpenAPI document</span>
          </a>
        </span>
      }
    >
      <Loaded of={description}>
        {(document) => (
          <Documentation
            key={version}
            document={document}
            versionName={{ publisher_slug: api.publisher_slug, slug: api.slug, version }}
          />
        )}
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
        {api.plans.length === 0 ? (
          <Empty title="No plans yet">Its publisher has not offered a plan to subscribe to.</Empty>
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
      {version === undefined ? (
        <Section title="Documentation">
          <Empty title="No versions yet">Its publisher has not added a version that could be called.</Empty>
        </Section>
      ) : (
        <>
          <Section title="Calling it">
            <Facts
              of={[
                ["Address", <Address key="address" api={api} version={version.version} />],
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
  const mayWrite = useMayWrite()
  const loaded = useResource((signal) => readOffer(id, signal), [id])
  const { state } = loaded
  const known = state.kind === "ready" ? state.value : undefined
  const mine = known?.subscription
  return (
    <Page
      title={known?.api.name ?? "API"}
      parent={{ to: "/dashboard/marketplace", label: "Marketplace" }}
      {...(known === undefined ? {} : { intro: `by ${known.api.publisher_slug}` })}
      {...(known !== undefined && mine === undefined && mayWrite && known.api.plans.length > 0
        ? {
            actions: (
              <Link to={`/dashboard/marketplace/${id}/subscribe`} class="button primary">
                Subscribe
              </Link>
            )
          }
        : {})}
    >
      <Loaded of={loaded}>
        {({ api, subscription }) => (
          <>
            {subscription === undefined ? null : (
              <Alert tone="info">
                <p>
                  You are subscribed by the plan “{subscription.plan.name}”.{" "}
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
