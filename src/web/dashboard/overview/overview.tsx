import { Chart } from "../charts/chart.tsx"
import { useAccount, useMayWrite } from "../common/account.ts"
import { type Answer, doorlock } from "../common/call.ts"
import { Select } from "../common/fields.tsx"
import { Empty, Facts, formatCount, formatDuration, Page, Section } from "../common/parts.tsx"
import { Loaded, useResource } from "../common/resource.tsx"
import { Link, setQuery, useLocation } from "../common/router.tsx"
import { readerLocales } from "../common/surroundings.ts"
import { Table } from "../common/table.tsx"
import { Time } from "../common/time.tsx"
import { SessionState, sessionPath } from "../kyc/sessions/session-state.tsx"
import type { Session } from "../kyc/sessions/sessions.tsx"
import { AttentionList } from "./attention.tsx"
import { FunnelSection } from "./funnel.tsx"

/** A share from 0 to 1, such as "82%". */
const percentage = (share: number): string => `${Math.round(share * 100)}%`

const load = async (days: string, signal: AbortSignal) => {
  const [overview, { stats }, { instances }, { sessions }, { subscriptions }] = await Promise.all([
    doorlock.figures.overview({ days: Number(days) }, { signal }),
    doorlock.apiKeys.stats({ signal }),
    doorlock.reviews.choices({ signal }),
    doorlock.sessions.list({ limit: 5 }, { signal }),
    doorlock.subscriptions.list({ signal })
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
      to: "/dashboard/instances",
      title: "Try a session",
      text: "Create a test session on the page of an instance, and see what your users will see."
    },
    {
      done: subscriptions.length > 0,
      to: "/dashboard/marketplace",
      title: "Find an API",
      text: "Subscribe to an API of the marketplace and call it right away."
    }
  ]
  return { ...overview, latest: sessions, instances, firstSteps }
}

const LatestSessions = ({ sessions }: { readonly sessions: ReadonlyArray<Session> }) => (
  <Section title="Latest sessions" actions={<Link to="/dashboard/sessions">All sessions</Link>}>
    <Table
      label="Latest sessions"
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

type Figures = Answer<"figures.overview">["sessions"]

const day = new Intl.DateTimeFormat(readerLocales(), { day: "numeric", month: "short", timeZone: "UTC" })

const outcomes = [
  ["completed", "Submitted", "outcome-completed"],
  ["failed", "Failed", "outcome-failed"],
  ["cancelled", "Cancelled", "outcome-cancelled"],
  ["expired", "Expired", "outcome-expired"]
] as const

const SessionFigures = ({ completed_share, days, median_seconds, total }: Figures) => (
  <>
    <Facts
      look="figures"
      of={[
        ["Created", formatCount(total.created)],
        ["Submitted", formatCount(total.completed)],
        ["Completion rate", completed_share === null ? "–" : percentage(completed_share)],
        ["Typical time", median_seconds === null ? "–" : formatDuration(median_seconds)]
      ]}
    />
    <p class="faint">
      Completion rate: the share of ended sessions that were submitted. Typical time: half of the people were
      faster. Test sessions are not counted.
    </p>
    {days.some((one) => outcomes.some(([state]) => one[state] > 0)) ? (
      <Chart
        told={`Sessions that ended, by day and outcome, in the last ${days.length} days: ${outcomes
          .map(([state, name]) => `${formatCount(total[state])} ${name.toLowerCase()}`)
          .join(", ")}.`}
        of="Day"
        labels={days.map((one) => day.format(Date.parse(one.day)))}
        series={outcomes.map(([state, name, look]) => ({
          name,
          look,
          values: days.map((one) => one[state])
        }))}
      >
        <span class="faint">by day (UTC)</span>
      </Chart>
    ) : (
      <Empty
        icon="sessions"
        title="No session ended in this period"
        action={
          <Link to="/dashboard/instances" class="button">
            Go to the instances
          </Link>
        }
      >
        Once your users go through a verification, you see here how many submit it, by day.
      </Empty>
    )}
  </>
)

type Reviews = Answer<"figures.overview">["reviews"]

/** At most so many are counted. */
const mostCounted = 500

/** Nothing, if no review waits. */
const WaitingReviews = ({ oldest_at, waiting }: Reviews) =>
  oldest_at === null ? null : (
    <Section title="Reviews" actions={<Link to="/dashboard/reviews">Go to the queue</Link>}>
      <Facts
        look="figures"
        of={[
          [
            "Waiting for a decision",
            waiting < mostCounted ? formatCount(waiting) : `${formatCount(mostCounted)} or more`
          ],
          ["The oldest was submitted", <Time key="oldest" at={oldest_at} />]
        ]}
      />
    </Section>
  )

const periods = [
  ["7", "Last 7 days"],
  ["30", "Last 30 days"],
  ["90", "Last 90 days"]
] as const

export const OverviewPage = () => {
  const { company } = useAccount()
  const mayWrite = useMayWrite()
  const { query } = useLocation()
  const asked = query.get("days")
  const days = periods.find(([period]) => period === asked)?.[0] ?? "30"
  const overview = useResource((signal) => load(days, signal), [days], { keeps: true })
  return (
    <Page
      title={company.name}
      actions={
        <Select
          aria-label="Period"
          value={days}
          choices={periods}
          onChange={(period) => setQuery({ days: period })}
        />
      }
    >
      <Loaded of={overview}>
        {({ attention, firstSteps, instances, latest, reviews, sessions }) => (
          <>
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
            <div class="home">
              <div class="home-now">
                <AttentionList {...attention} />
                <WaitingReviews {...reviews} />
              </div>
              <div class="home-charts">
                <Section title="Verifications">
                  <SessionFigures {...sessions} />
                </Section>
                <FunnelSection
                  instances={instances}
                  instanceId={
                    // A link may name an instance that does not exist.
                    instances.find(({ id }) => id === query.get("instance"))?.id ??
                    latest[0]?.instance_id ??
                    instances[0]?.id
                  }
                  onInstance={(instance) => setQuery({ instance })}
                  days={Number(days)}
                />
              </div>
              {latest.length === 0 ? null : (
                <div class="home-latest">
                  <LatestSessions sessions={latest} />
                </div>
              )}
            </div>
          </>
        )}
      </Loaded>
    </Page>
  )
}
