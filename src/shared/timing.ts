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
  // http
  /** A body, from the head of its request to its end: a slow sender must not hold up a fiber or a shutdown. */
  "http.body": 15_000,
  /**
   * Bun closes a connection without progress then: idle, or with a client that sends or reads less than about 30 KiB a second. Single bytes
   * do not restart it.
   */
  "http.idle": 120_000,
  /** Open requests of a stopping process, whose connections are closed then. */
  "http.drain": 25_000,
  // keys
  // kyc
  // limits
  // marketplace
  // mcp
  // operations
  // process
  // webhooks
  /** An attempt in all: connecting, and the head and body of the answer. */
  "webhooks.attempt": 15_000,
  // work
  /** What was read ahead, until the job begins. If jobs are slow, those at the end of a page read for themselves. */
  "work.ahead": 250,
  /** How long a stopping process waits for the database to take its last results and its lanes. */
  "work.last_statements": 2_000,
  /** A lane that its process does not renew. */
  "work.lease": 8_000,
  /** How long a stopping process waits for its jobs, once it has answered its requests. */
  "work.stop": 8_000
  // workers
} as const

/** Milliseconds for which something waits on purpose: before it tries again, or goes on. */
const pauses = {
  // accounts
  /** Before uses of dashboard sessions are written again: nobody waits for them. */
  "accounts.uses_retry": 60_000,
  // audit
  // cli
  // db
  // events
  /** After a transaction of this process that may have recorded events. */
  "events.first": 10,
  /** The same, if there were many since the last look: a look costs as much as moving dozens of events. */
  "events.busy": 50,
  /** Between looks, if only other processes record events. */
  "events.of_others": 50,
  // gateway
  // http
  /** A stopping process still accepts connections, so that a load balancer sees `/readyz` fail. */
  "http.lame_duck": 250,
  // keys
  /** Before uses of keys are written again. */
  "keys.uses_retry": 2_000,
  // kyc
  // limits
  /** Between looks at the deadlines of all calls or bodies. One fires at most two looks late. */
  "limits.deadlines": 25,
  /** Before a client that is over budget gets its refusal; up to twice as long. */
  "limits.refusal": 250,
  // marketplace
  // mcp
  // operations
  // process
  // webhooks
  // work
  /** After a failure of the database, before it is asked again what work there is. */
  "work.retry": 100,
  /** For which results are collected, to settle them together. */
  "work.settle": 5,
  /** Before results are settled again after a failure of the database. */
  "work.settle_retry": 1_000,
  /** Between looks at whether all results of a stopping process are settled. */
  "work.stopping": 5
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
