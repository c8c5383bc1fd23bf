/** Reads and disturbs the audit trail in tests. */
import { Effect } from "effect"
import { type Answer, field, type Member, send } from "../client.ts"
import { execute } from "../postgres.ts"
import type { RunningServer } from "../server.ts"

/** Identifies the tests' requests in the trail. */
export const userAgent = "audit test"

/** A request by a dashboard user. */
export const askAs =
  (server: Pick<RunningServer, "url">, { cookie }: Pick<Member, "cookie">) =>
  (
    method: string,
    path: string,
    json?: unknown,
    headers: Record<string, string> = {}
  ): Effect.Effect<Answer> =>
    send(server, method, path, {
      headers: { cookie, "user-agent": userAgent, ...headers },
      ...(json === undefined ? {} : { json })
    })

/** A page of the trail, as the company's owner requests it. */
export const auditEvents = (
  server: Pick<RunningServer, "url">,
  owner: Pick<Member, "cookie">,
  query: Readonly<Record<string, string>> = {}
) =>
  send(server, "GET", `/api/audit-events?${new URLSearchParams(query)}`, {
    headers: { cookie: owner.cookie }
  })

/** The events in a response, newest first. */
export const eventsOf = (answer: Answer): ReadonlyArray<unknown> => {
  const events = field(answer.body, "events")
  if (!Array.isArray(events)) throw new Error(`No events in ${answer.text}`)
  return events
}

/** How many events the company's trail has. */
export const countEvents = ({ databaseUrl }: Pick<RunningServer, "databaseUrl">, companyId: string) =>
  execute(databaseUrl, "select count(*)::int as events from audit_events where company_id = $1", [
    companyId
  ]).pipe(
    Effect.map(([row]) => Number(row?.events)),
    Effect.orDie
  )

/** Makes the writing of audit events fail, for one company or for all, while `during` runs. */
export const withoutTrail = <A, E, R>(
  { databaseUrl }: Pick<RunningServer, "databaseUrl">,
  companyId: string | "all",
  during: Effect.Effect<A, E, R>
) =>
  Effect.acquireUseRelease(
    execute(
      databaseUrl,
      `alter table audit_events add constraint no_trail
         check (${companyId === "all" ? "false" : `company_id <> '${companyId}'`}) not valid`
    ),
    () => during,
    () => Effect.orDie(execute(databaseUrl, "alter table audit_events drop constraint no_trail"))
  ).pipe(Effect.orDie)
