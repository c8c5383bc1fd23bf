/**
 * Every timeout and every pause of the server, by name. Nothing else in `src` starts a timer (biome.json refuses it), so that tests can
 * make all timeouts long, and set a single one. The browser's are in `web/timing.ts`.
 */
import { Context, Effect, type Option, Schedule } from "effect"

/** Milliseconds after which something gives up. */
const timeouts = {
  // accounts
  // audit
  // cli
  /** A database that is not ready, for a command. */
  "cli.database": 5_000,
  // db
  /** A new connection. */
  "db.connect": 3_000,
  // events
  // gateway
  /** Connecting to an upstream, including the name's lookup and TLS, over all its addresses. */
  "gateway.connect": 10_000,
  /** A lookup of an upstream's name. */
  "gateway.lookup": 5_000,
  /** The first query to a name server; the second gets twice as long. Both fit within the timeout of a lookup. */
  "gateway.name_query": 1_500,
  /** Addresses of the other family, once one has answered. Usually both are answered together; some servers never answer for one. */
  "gateway.other_family": 250,
  /** The rest of a small body, which is streamed then instead of sent whole. */
  "gateway.small_body": 10,
  /** The next part of a response's body. */
  "gateway.body": 60_000,
  /** The next part of `text/event-stream`, which may be quiet for long. */
  "gateway.events": 1_800_000,
  /** A client that does not read the response, or does not send the rest of its request body. */
  "gateway.client": 120_000,
  /**
   * An idle connection to an upstream. Common servers close theirs after five seconds, and a request sent while the upstream closes is
   * lost, because the gateway does not retry.
   */
  "gateway.idle_connection": 4_000,
  // http
  /** Open requests of a stopping process, whose connections are closed then. */
  "http.drain": 25_000,
  // keys
  // kyc
  // limits
  // marketplace
  /** A request to ClickHouse. */
  "marketplace.clickhouse": 10_000,
  /** ClickHouse, for a process that ends. */
  "marketplace.clickhouse_at_end": 3_000,
  /** A new description, before the previous one is served. */
  "marketplace.description": 1_000,
  /** A job of a thread for documents, which is then terminated. A document of 1 MiB takes some tenths of a second. */
  "marketplace.document": 10_000,
  /** What a thread for documents loads at its start, which does not depend on the document. */
  "marketplace.document_thread": 60_000,
  /** The month's count from the database, for an account's first call. */
  "marketplace.month": 1_000,
  /** A reply of Redis to a call. A server that takes longer is slow. */
  "marketplace.redis": 500,
  "marketplace.redis_connect": 1_000,
  /** A Redis server that owes replies and sends none for so long is away. */
  "marketplace.redis_silence": 5_000
  // mcp
  // operations
  // process
  // webhooks
  // work
  // workers
} as const

/** Milliseconds for which something waits on purpose: before it tries again, or goes on. */
const pauses = {
  // accounts
  // audit
  // cli
  // db
  // events
  // gateway
  /** Idle connections to upstreams are looked through for those to close. */
  "gateway.idle_connections": 1_000,
  // http
  /** A stopping process still accepts connections, so that a load balancer sees `/readyz` fail. */
  "http.lame_duck": 250,
  // keys
  // kyc
  // limits
  // marketplace
  /** After ClickHouse has taken no usage for the first time; then twice as long each time, up to the longest. */
  "marketplace.clickhouse_retry": 2_000,
  "marketplace.clickhouse_longest_retry": 10_000,
  /** Keys in Redis are on their way to another server. */
  "marketplace.redis_moving": 5,
  /** A process that ends writes usage again. */
  "marketplace.usage_at_end": 50
  // mcp
  // operations
  // process
  // webhooks
  // work
  // workers
} as const

export type TimeoutName = keyof typeof timeouts
export type PauseName = keyof typeof pauses

export interface Times {
  readonly timeouts: Readonly<Record<TimeoutName, number>>
  readonly pauses: Readonly<Record<PauseName, number>>
}

/** What production uses, in milliseconds. */
export const productionTimes: Times = { timeouts, pauses }

/** A timer that has been started. */
export interface Timer {
  readonly cancel: () => void
}

/** A name of the table, or milliseconds that were computed or configured. */
type Timeout = TimeoutName | number
type Pause = PauseName | number

/** The timers and timeouts that these times give. */
export const makeTiming = (times: Times) => {
  const timeout = (of: Timeout): number => (typeof of === "number" ? of : times.timeouts[of])
  const pause = (of: Pause): number => (typeof of === "number" ? of : times.pauses[of])
  return {
    times,

    /** In milliseconds, for what takes its timeout as a number: a driver, a socket. */
    timeout,

    /** In milliseconds. */
    pause,

    /** None if the effect takes longer. It is interrupted then. */
    within: <A, E, R>(of: Timeout, effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
      Effect.timeoutOption(effect, timeout(of)),

    /** Fails if the effect takes longer. It is interrupted then. */
    withinOr: <A, E, R, E2>(
      of: Timeout,
      effect: Effect.Effect<A, E, R>,
      onTimeout: () => E2
    ): Effect.Effect<A, E | E2, R> => Effect.timeoutFail(effect, { duration: timeout(of), onTimeout }),

    /** Aborts after the timeout, also if the garbage collector has run meanwhile. */
    signal: (of: Timeout): AbortSignal => AbortSignal.timeout(timeout(of)),

    /** Runs once, after the timeout. */
    after: (of: Timeout, run: () => void): Timer => {
      const timer = setTimeout(run, timeout(of))
      return { cancel: () => clearTimeout(timer) }
    },

    /** Runs again and again, and keeps no process alive. */
    every: (of: Pause, run: () => void): Timer => {
      const timer = setInterval(run, pause(of))
      timer.unref()
      return { cancel: () => clearInterval(timer) }
    },

    sleep: (of: Pause): Effect.Effect<void> => Effect.sleep(pause(of)),

    /** Pauses of this length between tries. */
    spaced: (of: Pause): Schedule.Schedule<number> => Schedule.spaced(pause(of)),

    /** Pauses between tries that double, from this length on. */
    exponential: (of: Pause) => Schedule.exponential(pause(of)),

    /** Ends a schedule once the timeout is over. */
    upTo: <Out, In, R>(of: Timeout, schedule: Schedule.Schedule<Out, In, R>) =>
      Schedule.upTo(schedule, timeout(of))
  }
}

/** Read it where a service is made: `const timing = yield* Timing`. */
export class Timing extends Context.Reference<Timing>()("doorlock/Timing", {
  defaultValue: () => makeTiming(productionTimes)
}) {}
