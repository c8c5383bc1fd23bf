/** Everything that a process does again and again without being asked. */
import { Context, Effect, type Scope } from "effect"

interface Pace {
  /** Milliseconds before the first round; unset: none. */
  readonly first?: number
  /** Milliseconds between the end of a round and the next one. */
  readonly every: number
}

/** Each job of the background, and how often it runs. */
const paces = {
  // accounts
  /** Writes which dashboard sessions were used. */
  "accounts.uses": { every: 200 },
  // audit
  /** Where the audit trails end. The start anchors them, too. */
  "audit.anchoring": { first: 3_600_000, every: 3_600_000 },
  // db
  // events
  /** Moves events from the outbox to the log: of other processes, since one's own wake it. A look at an empty outbox is one short statement that locks nothing. */
  "events.collect": { every: 500 },
  // gateway
  // keys
  /** Writes which keys were used. */
  "keys.uses": { every: 200 },
  // kyc
  /** Events of sessions that expired, which are due within 60 seconds. */
  "kyc.expiry": { first: 15_000, every: 15_000 },
  // limits
  // marketplace
  /** Idle accounts of plans' limits are forgotten. */
  "marketplace.limits_idle": { first: 90_000, every: 90_000 },
  /** Redis servers are connected again, and asked who has which keys. */
  "marketplace.redis": { every: 250 },
  /** Calls are summed in memory, and then written together. */
  "marketplace.usage": { first: 1_000, every: 1_000 },
  /** Rows of usage are sent to ClickHouse. */
  "marketplace.usage_sending": { first: 1_000, every: 1_000 },
  // process
  /** Soon after the start, because a process may live for less than an hour; but not while it has to answer its first requests. */
  "process.housekeeping": { first: 300_000, every: 3_600_000 },
  // work
  /** Reads the figures for `/metrics`. */
  "work.figures": { every: 15_000 },
  /** Looks for due lanes when nobody wakes the dispatcher. */
  "work.poll": { first: 500, every: 500 },
  /** Renews the leases of lanes, a quarter of which this is. */
  "work.renew": { first: 2_000, every: 2_000 }
} as const satisfies Readonly<Record<string, Pace>>

export type BackgroundName = keyof typeof paces

export interface BackgroundJob extends Pace {
  readonly name: BackgroundName
  /**
   * One round. Never fails.
   * @returns milliseconds until the next one, if that is not `every`
   */
  readonly round: Effect.Effect<number | undefined>
  /** Ends when the next round must not wait any longer. */
  readonly woken: Effect.Effect<unknown>
}

const repeated = ({ every, first = 0, round, woken }: BackgroundJob): Effect.Effect<never> =>
  round.pipe(
    Effect.flatMap((next) => Effect.raceFirst(woken, Effect.sleep(next ?? every))),
    Effect.forever,
    Effect.delay(first)
  )

/** How the jobs of the background run: by themselves until their scope ends; in tests, when a test says so (test/support/background.ts). */
export class Background extends Context.Reference<Background>()("doorlock/Background", {
  defaultValue: () => ({
    start: (job: BackgroundJob): Effect.Effect<void, never, Scope.Scope> =>
      Effect.asVoid(Effect.forkScoped(repeated(job)))
  })
}) {}

/**
 * Runs `round` at the pace of its name until the scope ends. What it fails with is logged, and it runs again.
 * @param failure the warning to log, without a full stop
 */
export const background = <R>(
  name: BackgroundName,
  failure: string,
  round: Effect.Effect<unknown, unknown, R>,
  woken: Effect.Effect<unknown> = Effect.never
): Effect.Effect<void, never, R | Scope.Scope> =>
  backgroundAtPace(
    name,
    Effect.catchAllCause(Effect.as(round, undefined), (cause) =>
      Effect.as(Effect.logWarning(failure, cause), undefined)
    ),
    woken
  )

/** Like {@link background}, for a round that returns when the next one is due (milliseconds from now; undefined: as usual). */
export const backgroundAtPace = <R>(
  name: BackgroundName,
  round: Effect.Effect<number | undefined, never, R>,
  woken: Effect.Effect<unknown> = Effect.never
): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const { start } = yield* Background
    const context = yield* Effect.context<R>()
    yield* start({ ...paces[name], name, round: Effect.provide(round, context), woken })
  })
