/** The database's servers: who leads, and what happens to answered requests if another takes its place. */
import { Effect, Redacted } from "effect"
import type { Client } from "pg"
import { connect } from "../../db/connection.ts"
import type { Access } from "../../db/postgres.ts"
import { serversOf } from "../../shared/database-url.ts"
import { messageOf, toError } from "../../shared/error.ts"
import { doubtful, type Finding, failed, well } from "../check.ts"

const rowsOf = (client: Client, text: string) =>
  Effect.tryPromise({
    try: async () => (await client.query<Record<string, unknown>>(text)).rows,
    catch: toError
  })

/** A connection to one server, which may not answer. */
const connectToOne = (url: Redacted.Redacted, purpose?: "reads") => connect(url, "cli.diagnosis", purpose)

type Role = "leads" | "is a standby" | `does not answer (${string})`

const roleOf = (url: string): Effect.Effect<Role> =>
  connectToOne(Redacted.make(url)).pipe(
    Effect.flatMap((client) => rowsOf(client, "select pg_is_in_recovery() as is_standby")),
    Effect.map(([row]): Role => (row?.is_standby === true ? "is a standby" : "leads")),
    Effect.catchAll((error) => Effect.succeed<Role>(`does not answer (${messageOf(error)})`)),
    Effect.scoped
  )

/** What each of several servers is; undefined if `DATABASE_URL` names only one. */
export const servers = ({ url }: Access): Effect.Effect<Finding | undefined> => {
  const { urls } = serversOf(Redacted.value(url))
  if (urls.length === 1) return Effect.succeed(undefined)
  const hostOf = (one: string) => new URL(one).host
  return Effect.map(Effect.forEach(urls, roleOf, { concurrency: "unbounded" }), (roles) => {
    const list = urls.map((one, index) => `${hostOf(one)} ${roles[index]}`).join(", ")
    const message = `DATABASE_URL names ${urls.length} servers: ${list}.`
    if (roles.filter((role) => role === "leads").length > 1) {
      return failed(message, "Let only one server take writes: two of them store different data.")
    }
    return roles.every((role) => role === "leads" || role === "is a standby")
      ? well(message)
      : doubtful(message, "Start the server that does not answer, or remove it from DATABASE_URL.")
  })
}

export interface Replication {
  /** Connections that standbys read changes from. */
  readonly standbys: number
  /** Of those, how many a commit may wait for; undefined: the role may not know. */
  readonly synchronous: number | undefined
  readonly synchronousStandbyNames: string
  readonly synchronousCommit: string
}

const patroniAdvice =
  "Set synchronous_mode and synchronous_mode_strict to true in Patroni, or synchronous_standby_names in Postgres, and keep synchronous_commit on."

/** Whether a request that was answered can be undone by a failover. */
export const judged = ({
  standbys,
  synchronous,
  synchronousCommit,
  synchronousStandbyNames
}: Replication): Finding => {
  const isAsked = synchronousStandbyNames !== "" && !["off", "local"].includes(synchronousCommit)
  if (!isAsked) {
    return standbys === 0
      ? well("No standby replicates the database.")
      : doubtful(
          "Replication is asynchronous: if a standby takes the leader's place, the last answered requests may be undone. A revoked key may be valid again, and a created session gone.",
          patroniAdvice
        )
  }
  if (standbys === 0 || synchronous === 0) {
    return failed(
      "Replication is synchronous, but no standby is connected that commits may wait for: every write waits.",
      "Start a standby that synchronous_standby_names names."
    )
  }
  return well(
    synchronous === undefined
      ? "Replication is synchronous. Only a role with pg_monitor can see whether a standby keeps up."
      : `Replication is synchronous: a commit waits for a standby (${synchronous} of ${standbys} may be that), so no answered request is undone.`
  )
}

/** Subscribers of logical replication are no standbys. Without `pg_monitor`, `sync_state` is null. */
const asked = `select count(*)::int as standbys,
    case when count(*) = count(sync_state) then count(*) filter (where sync_state in ('sync', 'quorum'))::int end as synchronous,
    current_setting('synchronous_standby_names') as names, current_setting('synchronous_commit') as commit
  from pg_stat_replication
  where pid not in (select active_pid from pg_replication_slots where slot_type = 'logical' and active_pid is not null)`

export const replication = ({ migrator }: Access): Effect.Effect<Finding, Error> =>
  Effect.scoped(
    Effect.map(
      Effect.flatMap(connect(migrator.url), (client) => rowsOf(client, asked)),
      ([row]) =>
        judged({
          standbys: Number(row?.standbys),
          synchronous: typeof row?.synchronous === "number" ? row.synchronous : undefined,
          synchronousStandbyNames: String(row?.names),
          synchronousCommit: String(row?.commit)
        })
    )
  )

const lagAsked = `select pg_is_in_recovery() as is_standby,
    extract(epoch from case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then interval '0'
      else now() - pg_last_xact_replay_timestamp() end)::float8 as seconds`

/** Seconds by which a standby may lag before most reads go to the primary anyway. */
const bearableLag = 1

/** Whether reads can use a standby; undefined without `DATABASE_READ_URL`. */
export const standby = ({ readUrl }: Access): Effect.Effect<Finding | undefined> => {
  if (readUrl === undefined) return Effect.succeed(undefined)
  const advice = "Until then, reads use the primary. Check DATABASE_READ_URL and the standby."
  return connectToOne(readUrl, "reads").pipe(
    Effect.flatMap((client) => rowsOf(client, lagAsked)),
    Effect.map(([row]) => {
      if (row?.is_standby !== true) return doubtful("DATABASE_READ_URL leads to no standby.", advice)
      const seconds = Number(row.seconds ?? 0)
      return seconds > bearableLag
        ? doubtful(`The standby for reads is ${seconds.toFixed(1)} s behind.`, advice)
        : well("Reads can use a standby.")
    }),
    Effect.catchAll((error) =>
      Effect.succeed(doubtful(`DATABASE_READ_URL cannot be used: ${messageOf(error)}.`, advice))
    ),
    Effect.scoped
  )
}
