import type * as Statement from "@effect/sql/Statement"
import { Clock, Deferred, Effect, Fiber, FiberId, Random, type Redacted, type Scope } from "effect"
import type { Client } from "pg"
import { changesTrusted } from "../observability/metrics.ts"
import { Timing } from "../shared/timing.ts"
import { connect } from "./connection.ts"
import { behindPooler, NotHeard, sharesConnections } from "./not-heard.ts"
import type { Pooling } from "./pooler.ts"
import { fragment, literal, parameter } from "./sql.ts"

const channel = "doorlock_changes"

/**
 * Notifies every process of a change when the transaction commits. Goes into the select list of the statement
 * that makes the change. The payload, at most 7,900 bytes, is a value or an SQL expression of type text:
 *
 * ```ts
 * sql`with revoked as (update api_keys set revoked_at = now() where id = ${id} returning id)
 *     select id, ${notify("api_keys", sql.literal("id::text"))} from revoked`
 * ```
 *
 * Postgres skips a CTE that only calls it unless the main query reads that CTE.
 */
export const notify = (topic: string, payload: string | Statement.Fragment): Statement.Fragment =>
  typeof payload === "string"
    ? fragment(literal(`pg_notify('${channel}', `), parameter(`${topic}:${payload}`), literal(")"))
    : fragment(
        literal(`pg_notify('${channel}', `),
        parameter(`${topic}:`),
        literal(" || ("),
        ...payload.segments,
        literal("))")
      )

interface Subscriber {
  readonly onMessage: (payload: string) => void
  readonly onDistrust: () => void
}

/** The topic of the notifications that heartbeats wait for. */
const beatTopic = "beat"

/** Tells one run of a server from another, also from that of its standby. */
const server = "extract(epoch from pg_postmaster_start_time())"

/** A transaction whose id is not below `after` ends after this statement began. */
const beginHeartbeat = `select ${server}::text as server, pg_snapshot_xmax(pg_current_snapshot())::text as after`

/** Needs no durability, so it waits for no disk and no standby. */
const sendBeat = `select set_config('synchronous_commit', 'off', true),
  pg_notify('${channel}', '${beatTopic}:' || ${server} || ':' || pg_current_xact_id())`

/** Failed attempts in a row after which a warning is logged: a restart of the database takes fewer. */
const attemptsBeforeWarning = 10

interface Options {
  /** Where changes are made; heartbeats are sent there, so a listener on another server hears none. */
  readonly url: Redacted.Redacted
  /** Where to listen; unset: at `url`. */
  readonly listenUrl?: Redacted.Redacted | undefined
  /** Of `url`; unset: found out by asking. */
  readonly pooling?: Pooling | undefined
  /** What leases are measured and heartbeats wait by; unset: real time, whatever the clock of the rest. */
  readonly clock?: Clock.Clock
}

/** A heartbeat that waits for a notification sent after it began. */
interface Awaited {
  readonly server: string
  readonly after: bigint
  readonly heard: Deferred.Deferred<void>
}

/**
 * Receives other processes' changes by LISTEN/NOTIFY on its own connection, for caches that must not serve
 * stale data. Unlike `listen` of `@effect/sql-pg`, it notices a lost connection, and one that hears nothing.
 *
 * `isTrusted()` is true while a notification has arrived that was sent by another connection after a heartbeat
 * began less than `db.lease` ago. Postgres delivers notifications in the order of commits, so subscribers then know
 * every change committed before that heartbeat. Check it before every cache read; otherwise query the database.
 *
 * Nothing is asked on the listening connection itself: a pooler may pass on notifications while it answers a
 * query, and none afterwards. One notification serves the heartbeats of all processes that wait for one: each
 * wakes the listeners of all.
 */
export class Changes extends Effect.Service<Changes>()("doorlock/db/Changes", {
  scoped: Effect.fnUntraced(function* ({ clock = Clock.make(), listenUrl, pooling, url }: Options) {
    const { pause, sleep, timeout, within, withinOr } = yield* Timing
    const lease = timeout("db.lease")
    const mostPatience = pause("db.other_heartbeat")
    /** In milliseconds. This time never jumps, unlike that of day. */
    const now = (): number => Number(clock.unsafeCurrentTimeNanos()) / 1_000_000
    const subscribers = new Map<string, Set<Subscriber>>()
    /** Undefined once the subscribers know that the lease has lapsed. */
    let trustedUntil: number | undefined
    let lastFailure = "Notifications of the database are not heard yet"
    /** Failed attempts since the last heartbeat that arrived. */
    let failures = 0

    const isTrusted = (): boolean => trustedUntil !== undefined && now() < trustedUntil

    yield* changesTrusted.from(() => (isTrusted() ? 1 : 0))

    const distrust = () => {
      if (trustedUntil === undefined) return
      trustedUntil = undefined
      for (const topic of subscribers.values()) for (const { onDistrust } of topic) onDistrust()
    }
    const renew = (begunAt: number) => {
      // A lease that lapsed unnoticed, while this process was busy or paused, counts as a lapse too.
      if (!isTrusted()) distrust()
      trustedUntil = begunAt + lease
      failures = 0
    }
    const deliver = (message: string) => {
      const colon = message.indexOf(":")
      const payload = message.slice(colon + 1)
      for (const { onMessage } of subscribers.get(message.slice(0, colon)) ?? []) onMessage(payload)
    }

    /** The first row of the reply. No reply within the lease means that the connection is dead. */
    const query = (
      client: Client,
      text: string
    ): Effect.Effect<Readonly<Record<string, unknown>>, NotHeard> =>
      withinOr(
        "db.lease",
        Effect.tryPromise({
          try: async () => (await client.query<Record<string, unknown>>(text)).rows[0] ?? {},
          catch: (cause) => new NotHeard({ message: "The connection to the database failed", cause })
        }),
        () => new NotHeard({ message: "The database does not answer" })
      )

    const session = Effect.gen(function* () {
      const [listener, sender] = yield* Effect.all(
        [connect(listenUrl ?? url, "db.connect_to_listen"), connect(url, "db.connect_to_listen")],
        { concurrency: "unbounded" }
      ).pipe(Effect.mapError((cause) => new NotHeard({ message: "The database cannot be reached", cause })))
      // Behind a pooler, LISTEN would last on a server connection that others use.
      if (listenUrl === undefined && (yield* sharesConnections(sender, pooling))) return yield* behindPooler
      const lost = yield* Deferred.make<never, NotHeard>()
      const heartbeats: { awaited?: Awaited; patience: number } = { patience: 0 }
      listener.on("notification", ({ payload = "" }) => {
        const [topic, ofServer, id] = payload.split(":", 3)
        if (topic !== beatTopic) return deliver(payload)
        const { awaited } = heartbeats
        if (awaited !== undefined && awaited.server === ofServer && BigInt(id ?? 0) >= awaited.after) {
          Deferred.unsafeDone(awaited.heard, Effect.void)
        }
      })
      for (const client of [listener, sender]) {
        const message = "The connection to the database was closed"
        client.on("end", () => Deferred.unsafeDone(lost, Effect.fail(new NotHeard({ message }))))
      }
      const beat = Effect.gen(function* () {
        const begunAt = now()
        const { after, server } = yield* query(sender, beginHeartbeat)
        const heard = Deferred.unsafeMake<void>(FiberId.none)
        heartbeats.awaited = { server: String(server), after: BigInt(String(after)), heard }
        const ofAnother = within(heartbeats.patience, Deferred.await(heard))
        if ((yield* ofAnother)._tag === "None") yield* query(sender, sendBeat)
        yield* Deferred.await(heard)
        renew(begunAt)
        // The first heartbeat waits for nobody, because caches are off until it arrives.
        heartbeats.patience = yield* Random.nextIntBetween(0, mostPatience)
      })
      const heartbeat = withinOr(
        "db.lease",
        beat,
        () =>
          new NotHeard({
            message: `A notification did not arrive within ${lease} ms on the connection that listens`
          })
      )
      yield* Effect.raceFirst(
        Effect.andThen(
          query(listener, `listen ${channel}`),
          Effect.forever(Effect.andThen(heartbeat, sleep("db.heartbeat")))
        ),
        Deferred.await(lost)
      )
    }).pipe(
      Effect.tapError(({ message }) =>
        Effect.sync(() => {
          lastFailure = message
        })
      ),
      Effect.ensuring(Effect.sync(distrust)),
      Effect.scoped
    )

    const failed = (error: NotHeard) =>
      Effect.suspend(() => {
        // None at first, then longer until a heartbeat arrives.
        const backoff =
          failures === 0
            ? 0
            : Math.min(pause("db.listen_again") * 2 ** (failures - 1), pause("db.longest_listen_again"))
        const { bySettings = false } = error
        failures++
        return (
          failures === (bySettings ? 1 : attemptsBeforeWarning)
            ? Effect.logWarning(`Caches are off, and every key is looked up: ${error.message}`, error)
            : Effect.logDebug("Not listening for changes", error)
        ).pipe(Effect.andThen(sleep(bySettings ? "db.listen_by_settings" : backoff)))
      })

    // Each session has a fiber of its own: effect 3.22 forgets an interruption that arrives while a fiber releases a resource, and the loop
    // would go on for ever.
    yield* Effect.flatMap(Effect.fork(session), Fiber.join).pipe(
      Effect.catchAll(failed),
      Effect.forever,
      Effect.withClock(clock),
      Effect.forkScoped
    )

    /** Why changes are not trusted to arrive, as a sentence without a full stop; undefined while they are. */
    const whyUntrusted = (): string | undefined => (isTrusted() ? undefined : lastFailure)

    /**
     * Calls `onMessage` with each payload sent to `topic`, also by this process, until the scope ends. Calls
     * `onDistrust` when messages may be lost: a cache must then empty itself. Both run inside the driver: be
     * quick, and do not throw. Never cache anything read before either call: count the calls and compare.
     */
    const subscribe = (
      topic: string,
      onMessage: (payload: string) => void,
      onDistrust: () => void
    ): Effect.Effect<void, never, Scope.Scope> =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => {
            const subscriber = { onMessage, onDistrust }
            const ofTopic = subscribers.get(topic) ?? new Set()
            subscribers.set(topic, ofTopic.add(subscriber))
            return () => ofTopic.delete(subscriber)
          }),
          (unsubscribe) => Effect.sync(unsubscribe)
        )
      )

    return { isTrusted, whyUntrusted, subscribe } as const
  })
}) {}
