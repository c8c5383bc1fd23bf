/** An endpoint's recent deliveries by outcome: a bar, and a count for each, which is also a filter of the list of deliveries. */
import { formatCount, Section } from "../common/parts.tsx"
import { setQuery, useLocation } from "../common/router.tsx"
import { Time } from "../common/time.tsx"
import { countedOf, type Endpoint, lastDay } from "./states.tsx"

/** Decoration: the counts below it say the same. */
const Bar = ({ endpoint }: { readonly endpoint: Endpoint }) => {
  const shares = lastDay(endpoint)
  const total = shares.reduce((sum, { count }) => sum + count, 0)
  let before = 0
  return (
    <svg
      class="health-bar"
      viewBox={`0 0 ${Math.max(total, 1)} 1`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {shares.map(({ count, status, tone }) => {
        const x = before
        before += count
        return <rect key={status} class={tone} x={x} width={count} height="1" />
      })}
    </svg>
  )
}

interface HealthProps {
  readonly endpoint: Endpoint
  /** Shows the list of deliveries. */
  readonly onChoose: () => void
}

export const Health = ({ endpoint, onChoose }: HealthProps) => {
  const chosen = useLocation().query.get("status")
  return (
    <Section
      title="Health"
      intro={
        <>
          {countedOf(endpoint)}.
          {endpoint.failing_since === null || endpoint.status === "disabled" ? null : (
            <>
              {" "}
              Every attempt has failed since <Time at={endpoint.failing_since} precise="seconds" />. After
              five days, doorlock disables the endpoint.
            </>
          )}
        </>
      }
    >
      <div class="health">
        <Bar endpoint={endpoint} />
        <ul class="figures">
          {lastDay(endpoint).map(({ count, status, tone, word }) => (
            <li key={status}>
              <button
                type="button"
                class="figure"
                aria-pressed={chosen === status}
                onClick={() => {
                  setQuery({ status })
                  onChoose()
                }}
              >
                <strong>{formatCount(count)}</strong>
                <span class={`outcome ${tone}`}>{word}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Section>
  )
}
