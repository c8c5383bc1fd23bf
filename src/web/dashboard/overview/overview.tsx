import { useAccount, useMayWrite } from "../common/account.ts"
import { call } from "../common/call.ts"
import { formatCount, Page, Section } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { Link } from "../common/router.tsx"
import { Table } from "../common/table.tsx"
import { Time } from "../common/time.tsx"
import { SessionState, sessionPath } from "../kyc/sessions/session-state.tsx"
import type { Session } from "../kyc/sessions/sessions.tsx"

const load = async (signal: AbortSignal) => {
  const [{ stats }, { instances }, { sessions }, { subscriptions }] = await Promise.all([
    call("api-keys.stats", { signal }),
    call("kyc-instances.list", { signal }),
    call("kyc-partner-sessions.list", { query: { limit: 5 }, signal }),
    call("marketplace-subscriptions.list", { signal })
  ])
  const firstSteps = [
    {
      done: instances.length > 0,
      to: "/dashboard/instances",
      title: "Set up a verification",
      text: "An instance defines what your users are asked for, and how the page looks."
    },
    {
      done: stats.total > 0,
      to: "/dashboard/keys/new",
      title: "Create an API key",
      text: "Your server uses it to create sessions and to read their results."
    },
    {
      done: sessions.length > 0,
      to: "/dashboard/sessions",
      title: "Try a session",
      text: "Open one yourself, as your users will."
    },
    {
      done: subscriptions.length > 0,
      to: "/dashboard/marketplace",
      title: "Find an API",
      text: "Subscribe to an API of the marketplace and call it right away."
    }
  ]
  const instancesInUse = instances.filter(({ disabled_at }) => disabled_at === null)
  const subscriptionsInUse = subscriptions.filter(({ cancelled_at }) => cancelled_at === null)
  const figures = [
    ["active API keys", stats.active, "/dashboard/keys"],
    ["KYC instances", instancesInUse.length, "/dashboard/instances"],
    ["active subscriptions", subscriptionsInUse.length, "/dashboard/subscriptions"]
  ] as const
  return { sessions, figures, firstSteps }
}

const LatestSessions = ({ sessions }: { readonly sessions: ReadonlyArray<Session> }) => (
  <Section title="Latest KYC sessions" actions={<Link to="/dashboard/sessions">All sessions</Link>}>
    <Table
      label="Latest KYC sessions"
      rows={sessions}
      columns={[
        {
          label: "Session",
          cell: ({ external_reference, id }) => <Link to={sessionPath(id)}>{external_reference ?? id}</Link>
        },
        { label: "Status", cell: (session) => <SessionState session={session} /> },
        { label: "Created", cell: ({ created_at }) => <Time at={created_at} /> }
      ]}
    />
  </Section>
)

export const OverviewPage = () => {
  const { company } = useAccount()
  const mayWrite = useMayWrite()
  const overview = useResource(load, [])
  return (
    <Page title={company.name}>
      <Loaded of={overview}>
        {({ figures, firstSteps, sessions }) => (
          <>
            <div class="figures">
              {figures.map(([label, value, to]) => (
                <Link key={to} to={to} class="figure">
                  <strong>{formatCount(value)}</strong>
                  <span>{label}</span>
                </Link>
              ))}
            </div>
            {mayWrite && firstSteps.some(({ done }) => !done) ? (
              <Section title="First steps">
                <ol class="steps">
                  {firstSteps.map(({ done, text, title, to }) => (
                    <li key={to} class={done ? "step done" : "step"}>
                      <p>
                        <Link to={to}>{title}</Link>
                        {done ? <span class="visually-hidden"> (done)</span> : null}
                      </p>
                      <p class="faint">{text}</p>
                    </li>
                  ))}
                </ol>
              </Section>
            ) : null}
            {sessions.length === 0 ? null : <LatestSessions sessions={sessions} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}
