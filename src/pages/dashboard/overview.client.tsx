/** What a company has here, and what to do first. */
import { useAccount, useMayWrite } from "./account.client.ts"
import { get } from "./api.client.ts"
import { Loaded, useResource } from "./data.client.tsx"
import { count, Page, Section } from "./parts.client.tsx"
import { Link } from "./router.client.tsx"

const load = async (signal: AbortSignal) => {
  const [{ stats }, { instances }, { sessions }, { subscriptions }] = await Promise.all([
    get<"api-keys", "stats">("/api/api-keys/stats", { signal }),
    get<"kyc-instances", "list">("/api/kyc/instances", { signal }),
    get<"kyc-partner-sessions", "list">("/api/kyc/sessions", { query: { limit: 5 }, signal }),
    get<"marketplace-subscriptions", "list">("/api/api-marketplace/subscriptions", { signal })
  ])
  return { stats, instances, sessions, subscriptions }
}

interface FigureProps {
  readonly label: string
  readonly value: number
  readonly to: string
}

const Figure = ({ label, to, value }: FigureProps) => (
  <Link to={to} class="figure">
    <strong>{count(value)}</strong>
    <span>{label}</span>
  </Link>
)

interface StepProps {
  readonly done: boolean
  readonly to: string
  readonly title: string
  readonly text: string
}

const Step = ({ done, text, title, to }: StepProps) => (
  <li class={done ? "step done" : "step"}>
    <p>
      <Link to={to}>{title}</Link>
      {done ? <span class="visually-hidden"> (done)</span> : null}
    </p>
    <p class="faint">{text}</p>
  </li>
)

export const OverviewPage = () => {
  const { company } = useAccount()
  const mayWrite = useMayWrite()
  const overview = useResource(load, [])
  return (
    <Page title={company.name}>
      <Loaded of={overview}>
        {({ instances, sessions, stats, subscriptions }) => (
          <>
            <div class="figures">
              <Figure label="active API keys" value={stats.active} to="/dashboard/keys" />
              <Figure
                label="KYC instances"
                value={instances.filter(({ disabled_at }) => disabled_at === null).length}
                to="/dashboard/instances"
              />
              <Figure
                label="active subscriptions"
                value={subscriptions.filter(({ cancelled_at }) => cancelled_at === null).length}
                to="/dashboard/subscriptions"
              />
            </div>
            {mayWrite ? (
              <Section title="First steps">
                <ol class="steps">
                  <Step
                    done={instances.length > 0}
                    to="/dashboard/instances"
                    title="Set up a verification"
                    text="An instance says what your users are asked for, and how the page looks."
                  />
                  <Step
                    done={stats.total > 0}
                    to="/dashboard/keys/new"
                    title="Make an API key"
                    text="Your server creates sessions with it, and reads their results."
                  />
                  <Step
                    done={sessions.length > 0}
                    to="/dashboard/sessions"
                    title="Try a session"
                    text="Open one yourself, as your users will."
                  />
                  <Step
                    done={subscriptions.length > 0}
                    to="/dashboard/marketplace"
                    title="Find an API"
                    text="Subscribe to an API of the marketplace and call it at once."
                  />
                </ol>
              </Section>
            ) : null}
          </>
        )}
      </Loaded>
    </Page>
  )
}
