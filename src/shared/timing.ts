/**
 * Every timeout and every pause of the server, by name. Nothing else in `src` starts a timer (biome.json refuses it), so that tests can
 * make all timeouts long, and set a single one. The browser's are in `web/timing.ts`.
 */
import { Context, Effect, type Option, Schedule } from "effect"
import { after, every, type Timer } from "./timers.ts"

export type { Timer } from "./timers.ts"

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
  /** Open requests of a stopping process, whose connections are closed then. */
  "http.drain": 25_000,
  // keys
  // kyc
  /** For `doctor`: a bucket that is written and read. */
  "kyc.bucket": 10_000,
  /** The key set of a captcha service. */
  "kyc.captcha_keys": 3_000,
  /** An examination of a file, on a busy machine. */
  "kyc.examination": 120_000,
  /** The turn of a file to be examined. */
  "kyc.examination_turn": 30_000,
  /** The process that looks at photos, for one photo. The slowest takes 2 seconds on a free core. */
  "kyc.look": 60_000,
  /** The turn of a reading, and again the process that looks at photos. Who waits longer has begun to type. */
  "kyc.reading": 20_000,
  /** A reading is of use for so long after it was asked for. Later, the end user has typed the fields. */
  "kyc.reading_useful": 60_000,
  /** A file and its copy, which are read from the store and written to it to seal them. A bucket may hang. */
  "kyc.seal_file": 300_000,
  /** A whole file that is received: enough for 20 MiB at about 300 kbit/s. */
  "kyc.upload": 600_000,
  /** An uploading process, which counts as alive for so long after each heartbeat. */
  "kyc.upload_alive": 30_000
  // limits
  // marketplace
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
  // http
  /** A stopping process still accepts connections, so that a load balancer sees `/readyz` fail. */
  "http.lame_duck": 250,
  // keys
  // kyc
  /** Between batches of what is sealed, redacted or dropped: requests have priority. */
  "kyc.between_batches": 50,
  /** Between fetches of a captcha service's key set for keys that it does not contain. */
  "kyc.captcha_keys_again": 5_000,
  /** The process that looks at photos waits for the next one. Then it is stopped, so that its memory is free. */
  "kyc.look_idle": 30_000,
  /** Between two looks at the memory of a process that reads files or photos. */
  "kyc.memory_watch": 50,
  /** Between two heartbeats of an uploading process. Two in a row may fail. */
  "kyc.upload_heartbeat": 10_000
  // limits
  // marketplace
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
    after: (of: Timeout, run: () => void): Timer => after(timeout(of), run),

    /** Runs again and again, and keeps no process alive. */
    every: (of: Pause, run: () => void): Timer => every(pause(of), run),

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
