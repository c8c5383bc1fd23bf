import type * as Statement from "@effect/sql/Statement"
import { Clock, Context, Deferred, Effect, type Redacted, type Scope } from "effect"
import type { Client } from "pg"
import { changesTrusted } from "../observability/metrics.ts"
import { connect } from "./connection.ts"
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

/** Milliseconds between the reply to one heartbeat and the next heartbeat. */
export const heartbeatInterval = 250
/** Milliseconds for which the connection is trusted after an answered heartbeat was sent. */
export const leaseDuration = 800
/** In milliseconds. */
const connectTimeout = 1_000
const longestPause = 250

/** The time in milliseconds that leases are measured by, and the clock that heartbeats wait by. */
export class LeaseClock extends Context.Reference<LeaseClock>()("doorlock/db/LeaseClock", {
  // Real time, even if a test provides another clock.
  defaultValue: () => ({ now: (): number => performance.now(), waits: Clock.make() })
}) {}

/**
 * Receives other processes' changes by LISTEN/NOTIFY on its own connection, for caches that must not serve
 * stale data. Unlike `listen` of `@effect/sql-pg`, it notices a lost connection.
 *
 * `isTrusted()` is true while a heartbeat sent less than 800 ms ago was answered on this connection. Postgres
 * delivers pending notifications before it answers a query, so subscribers then know every change committed
 * before that heartbeat. Check it before every cache read; otherwise query the database.
 */
export class Changes extends Effect.Service<Changes>()("doorlock/db/Changes", {
  scoped: Effect.fnUntraced(function* (options: { readonly url: Redacted.Redacted }) {
    const { now, waits } = yield* LeaseClock
    const subscribers = new Map<string, Set<Subscriber>>()
    /** Undefined once the subscribers know that the lease has lapsed. */
    let trustedUntil: number | undefined

    /** Before the next reconnect: none at first, then longer until a heartbeat is answered. */
    let nextPause = 0

    const isTrusted = (): boolean => trustedUntil !== undefined && now() < trustedUntil

    yield* changesTrusted.from(() => (isTrusted() ? 1 : 0))

    const distrust = () => {
      if (trustedUntil === undefined) return
      trustedUntil = undefined
      for (const topic of subscribers.values()) for (const { onDistrust } of topic) onDistrust()
    }
    const renew = (sentAt: number) => {
      // A lease that lapsed unnoticed, while this process was busy or paused, counts as a lapse too.
      if (!isTrusted()) distrust()
      trustedUntil = sentAt + leaseDuration
      nextPause = 0
    }
    const deliver = (message: string) => {
      const colon = message.indexOf(":")
      const payload = message.slice(colon + 1)
      for (const { onMessage } of subscribers.get(message.slice(0, colon)) ?? []) onMessage(payload)
    }

    const session = Effect.gen(function* () {
      const client = yield* connect(options.url, connectTimeout)
      const lost = yield* Deferred.make<never, Error>()
      client.on("notification", ({ payload }) => deliver(payload ?? ""))
      client.on("end", () => Deferred.unsafeDone(lost, Effect.fail(new Error("The connection was closed"))))
      const heartbeats = Effect.gen(function* () {
        const sentAt = now()
        yield* query(client, "select 1")
        renew(sentAt)
        yield* Effect.sleep(heartbeatInterval)
      })
      yield* Effect.raceFirst(
        Effect.andThen(query(client, `listen ${channel}`), Effect.forever(heartbeats)),
        Deferred.await(lost)
      )
    }).pipe(Effect.ensuring(Effect.sync(distrust)), Effect.scoped)

    yield* session.pipe(
      Effect.catchAll((error) => Effect.logDebug("Not listening for changes", error)),
      Effect.andThen(
        Effect.suspend(() => {
          const pause = nextPause
          nextPause = Math.min(Math.max(10, 2 * pause), longestPause)
          return Effect.sleep(pause)
        })
      ),
      Effect.forever,
      Effect.withClock(waits),
      Effect.forkScoped
    )

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

    return { isTrusted, subscribe } as const
  })
}) {}

/** No reply within the lease means that the connection is dead. */
const query = (client: Client, text: string): Effect.Effect<unknown, Error> =>
  Effect.tryPromise({
    try: () => client.query(text),
    catch: (cause) => new Error("The connection failed", { cause })
  }).pipe(
    Effect.timeoutFail({ duration: leaseDuration, onTimeout: () => new Error("The server does not answer") })
  )
