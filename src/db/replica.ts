import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import {
  Cause,
  Chunk,
  Clock,
  Context,
  Data,
  Effect,
  identity,
  Layer,
  Redacted,
  Schedule,
  Schema
} from "effect"
import { reads, statementDuration } from "../observability/metrics.ts"
import { serversOf } from "../shared/database-url.ts"
import { Timing } from "../shared/timing.ts"
import { applicationName } from "./connection.ts"
import { open } from "./driver/index.ts"
import { onlyRow } from "./sql.ts"

/** How reads may use a standby. Without one, they use the primary. */
interface Reading {
  /**
   * Runs an effect that only reads, in a transaction on a standby that has replayed every change that was committed before. If the standby
   * is away, late or refuses, the effect runs on the primary instead, from its beginning. It must fill no cache: a change that is
   * notified of meanwhile may not be on the standby yet.
   */
  readonly reading: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export class Replica extends Context.Reference<Replica>()("doorlock/db/Replica", {
  defaultValue: (): Reading => ({ reading: identity })
}) {}

interface Options {
  readonly url: Redacted.Redacted
  readonly maxConnections: number
}

/** How often a standby that lags is asked again. */
const askedAgain = 4

/** The standby does not answer. */
class Hangs extends Data.TaggedError("Hangs") {}

/** The server is no standby, or is not known to follow the primary since that has led. */
class StandsApart extends Data.TaggedError("StandsApart") {}

/** The standby has not replayed what was committed before the read. */
class Lags extends Data.TaggedError("Lags") {}

/** How far a log is on disk, and on which timeline: each new leader begins one. */
const Position = Schema.Struct({ position: Schema.String, timeline: Schema.Number })
const decodePosition = onlyRow(Position)
const decodeStanding = onlyRow(Schema.Struct({ follows: Schema.Boolean, has_it: Schema.Boolean }))

const isLag = (cause: Cause.Cause<unknown>): boolean =>
  Chunk.some(Cause.failures(cause), (error) => error instanceof Lags)

const isUseless = (error: unknown): boolean =>
  error instanceof SqlError || error instanceof Hangs || error instanceof StandsApart

/** Whether a server is the reason, and not the effect: the primary may do better. */
const isOfReplica = (cause: Cause.Cause<unknown>): boolean =>
  isLag(cause) ||
  [Cause.failures(cause), Cause.defects(cause)].some((errors) => Chunk.some(errors, isUseless))

/**
 * Reads from standbys. A read asks the primary how far its log is on disk: every change that was answered before is in that part, whichever
 * process made it. The standby is asked on the connection that then reads. So nobody misses a change that was answered before the
 * read began, and nothing has to be remembered of who has changed what.
 */
export const layer = ({ maxConnections, url }: Options): Layer.Layer<Replica, never, SqlClient.SqlClient> =>
  Layer.scoped(
    Replica,
    Effect.gen(function* () {
      const timing = yield* Timing
      const rest = timing.pause("db.standby_rest")
      const patience = Schedule.intersect(timing.spaced("db.standby_lag"), Schedule.recurs(askedAgain))
      const primary = yield* SqlClient.SqlClient
      const { sql: replica } = yield* open({
        servers: serversOf(Redacted.value(url), "reads"),
        applicationName,
        maxConnections,
        timing,
        connectTimeout: "db.standby",
        onLost: () => {},
        onAnswer: (seconds) => statementDuration.observe(seconds)
      })
      let restsUntil = 0
      // A transaction that does not wait for the disk can be answered before its change is there.
      const position = decodePosition(primary`
        select reached::text as position, ('x' || left(pg_walfile_name(reached), 8))::bit(32)::int as timeline
        from (
          select case current_setting(${"synchronous_commit"}) when 'off' then pg_current_wal_insert_lsn()
            else pg_current_wal_flush_lsn() end as reached
        ) as log`)
      // A former leader may have more log than the present one, but of a timeline that ended where the other took over. A standby
      // stores the timeline that it follows with its restart points, at the latest after `checkpoint_timeout`.
      const caughtUp = ({ position, timeline }: typeof Position.Type) =>
        decodeStanding(replica`
          select pg_is_in_recovery() and ${timeline}::int <= greatest(
              (select timeline_id from pg_control_checkpoint()),
              (select min_recovery_end_timeline from pg_control_recovery())
            ) as follows,
            coalesce(pg_last_wal_replay_lsn() >= ${position}::pg_lsn, false) as has_it`).pipe(
          Effect.filterOrFail(
            ({ follows }) => follows,
            () => new StandsApart()
          ),
          Effect.filterOrFail(
            ({ has_it }) => has_it,
            () => new Lags()
          ),
          Effect.retry({ schedule: patience, while: ({ _tag }) => _tag === "Lags" })
        )
      const reading = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
        const onPrimary = Effect.zipRight(
          Effect.sync(() => reads.primary.add()),
          effect
        )
        return Effect.flatMap(Clock.currentTimeMillis, (now) => {
          if (now < restsUntil) return onPrimary
          let isReading = false
          const onStandby = Effect.flatMap(position, (reached) =>
            replica.withTransaction(
              Effect.flatMap(caughtUp(reached), () => {
                isReading = true
                return effect
              })
            )
          )
          const late = Effect.flatMap(timing.sleep(timing.timeout("db.standby")), () =>
            isReading ? Effect.never : new Hangs()
          )
          // Disconnected, because ending a transaction on a server that hangs takes as long as a statement may.
          return Effect.raceFirst(Effect.disconnect(onStandby), late).pipe(
            Effect.tap(() => reads.standby.add()),
            Effect.catchAllCause((cause) => {
              // The cast: the effect's own failures are left.
              if (!isOfReplica(cause)) return Effect.failCause(cause as Cause.Cause<E>)
              if (!isReading && !isLag(cause)) restsUntil = now + rest
              return onPrimary
            })
          )
        })
      }
      return { reading }
    })
  )
