import { firstParagraph } from "../../../reference/prose.tsx"
import { doorlock } from "../../common/call.ts"
import { Empty, formatCount, Page } from "../../common/parts.tsx"
import { Loaded, usePages } from "../../common/resource.tsx"
import { Link } from "../../common/router.tsx"
import { type ListedApi, limitsOf } from "./plans.tsx"

const load = async (cursor: string | undefined, signal: AbortSignal) => {
  const offset = Number(cursor ?? 0)
  const { apis, total } = await doorlock.catalog.list({ limit: 24, offset }, { signal })
  const end = offset + apis.length
  return { items: apis, total, next: apis.length > 0 && end < total ? String(end) : null }
}

/** The maximum length of a description in a card, in characters. */
const summaryLength = 180

const summary = (description: string): string => {
  const text = firstParagraph(description)
  return text.length > summaryLength ? `${text.slice(0, summaryLength).replace(/\s+\S*$/, "")}…` : text
}

const Card = ({ api }: { readonly api: ListedApi }) => {
  const [newest] = api.versions
  return (
    <li class="api-card">
      <h2>
        <Link to={`/dashboard/marketplace/${api.id}`}>{api.name}</Link>
      </h2>
      <p class="by">
        by {api.publisher_slug}
        {newest === undefined ? "" : ` · version ${newest.version}`}
      </p>
      {api.description === "" ? null : (
        <p class="api-summary">
          <bdi>{summary(api.description)}</bdi>
        </p>
      )}
      {api.plans.length === 0 ? null : (
        <ul class="plan-list">
          {api.plans.slice(0, 3).map((plan) => (
            <li key={plan.id}>
              <strong>
                <bdi>{plan.name}</bdi>
              </strong>
              <span class="under">{limitsOf(plan)}</span>
            </li>
          ))}
          {api.plans.length > 3 ? <li class="faint">and {formatCount(api.plans.length - 3)} more</li> : null}
        </ul>
      )}
    </li>
  )
}

export const BrowsePage = () => {
  const apis = usePages(load, [])
  return (
    <Page
      title="Marketplace"
      intro="APIs that companies publish here. Subscribe to one to get a key, then call it through the gateway."
    >
      <Loaded of={apis}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty
              icon="browse"
              title="Nothing is published yet"
              action={
                <Link to="/dashboard/publishing" class="button">
                  Publish an API
                </Link>
              }
            >
              APIs appear here as soon as a company publishes one. Yours could be the first.
            </Empty>
          ) : (
            <ul class="api-cards">
              {items.map((api) => (
                <Card key={api.id} api={api} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {apis.more}
    </Page>
  )
}
