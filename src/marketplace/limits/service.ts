import { Cause, Deferred, Effect, FiberId } from "effect"
import { Config } from "../../config.ts"
import { decidedWithoutRedis, redisUp } from "../../observability/metrics.ts"
import { background } from "../../shared/background.ts"
import { Timing } from "../../shared/timing.ts"
import { dayOf, type Month, monthOf } from "../usage/calendar-model.ts"
import { type AdmittedOutcome, isBilled } from "../usage/model.ts"
import { UsageRecorder } from "../usage/recording-service.ts"
import { Account } from "./account.ts"
import { limitField, type Over, type PlannedCall, retryAfter, type Standing } from "./model.ts"
import { type SharedCounts, sharedCounts } from "./redis.ts"

/** Milliseconds for which an idle account is kept: the window's length, plus the time to write its calls. */
const idleMillis = 90_000

interface Fields {
  /** The `RateLimit` field of the response; undefined if the plan has no limits. */
  readonly rateLimit: string | undefined
  readonly rateLimitPolicy: string | undefined
}

/** The call may proceed. Settle it exactly once, when its outcome is known. */
export interface Admitted extends Fields {
  readonly over: undefined
  /** The day of the call (UTC), which it counts for. */
  readonly day: number
}

/** The call exceeds its plan: 429 with `Retry-After`. It has been recorded as refused, and has used up nothing. */
export interface Refused extends Fields {
  readonly over: Over
  readonly retryAfterSeconds: number
}

export type Verdict = Admitted | Refused

/**
 * Enforces plan limits: requests in any 60 seconds, and in a calendar month (UTC). A call takes from both or
 * from neither. The counts cover all of a company's calls to the API, whatever their key, subscription and
 * plan (`AccountId`), so subscribing again resets nothing; a call counts towards both limits even if its own
 * plan lacks one. Calls to a sandbox have separate counts, under the same limits.
 *
 * How exact this is with and without Redis: architecture.md, "Plans". While Redis is down, a process counts
 * on from what it has seen. Afterwards the month's count in Redis is corrected, and the minute's is right
 * again after a minute. While the database cannot return the month's count, the process counts from what it
 * knows: limits are no reason to refuse a paying customer.
 *
 * Does not use the rate limiter of `@effect/experimental` 0.61: it takes one limit per call, gives nothing
 * back, knows no calendar, allows 2q-1 requests in the first minute, keeps every key for ever, needs
 * `ioredis`, and uses the clocks of the processes.
 */
export class PlanLimits extends Effect.Service<PlanLimits>()("PlanLimits", {
  scoped: Effect.gen(function* () {
    const recorder = yield* UsageRecorder
    const { redisUrls } = yield* Config
    const { withinOr } = yield* Timing
    const clock = yield* Effect.clock
    const scope = yield* Effect.scope
    const shared: SharedCounts | undefined =
      redisUrls === undefined ? undefined : yield* sharedCounts(redisUrls)
    if (shared !== undefined) yield* redisUp.from(shared.reachable)
    const accounts = new Map<string, Account>()
    let month: Month = { first: 0, end: 0 }

    const now = (): number => clock.unsafeCurrentTimeMillis()
    const monthAt = (day: number): Month => {
      if (day < month.first || day >= month.end) month = monthOf(day)
      return month
    }
    const accountOf = ({ account: { name } }: PlannedCall, at: number): Account => {
      let account = accounts.get(name)
      if (account === undefined) {
        account = new Account(name)
        accounts.set(name, account)
      }
      account.enter(monthAt(dayOf(at)), at)
      return account
    }

    const verdict = (
      call: PlannedCall,
      account: Account,
      at: number,
      over: Over | undefined,
      standing: Standing
    ): Verdict => {
      const rateLimit = limitField(call, standing)
      const rateLimitPolicy = account.policy(call)
      const day = dayOf(at)
      if (over === undefined) return { over, day, rateLimit, rateLimitPolicy }
      recorder.record(call, day, over)
      return { over, retryAfterSeconds: retryAfter(over, standing), rateLimit, rateLimitPolicy }
    }
    const takeHere = (call: PlannedCall, account: Account, at: number): Verdict => {
      if (shared !== undefined) decidedWithoutRedis.add()
      const over = account.over(call, at)
      if (over === undefined) account.add(at)
      return verdict(call, account, at, over, account.standing(at))
    }
    const decideHere = (call: PlannedCall): Verdict => {
      const at = now()
      return takeHere(call, accountOf(call, at), at)
    }
    /** Decides alone, because Redis is slow. Redis counts the call nevertheless, whenever it gets to it. */
    const decideAhead = (counts: SharedCounts, call: PlannedCall): Verdict => {
      const at = now()
      const account = accountOf(call, at)
      const { used } = account
      const decided = takeHere(call, account, at)
      if (decided.over === undefined) {
        counts.tell({ name: account.name, month: account.month.first }, call, used, ({ inMinute }) =>
          account.hear(now(), inMinute)
        )
      }
      return decided
    }

    /** One query for all calls that wait for it. */
    const load = (call: PlannedCall, account: Account) =>
      Effect.suspend(() => {
        if (account.loading !== undefined) return Deferred.await(account.loading)
        const done = Deferred.unsafeMake<void>(FiberId.none)
        account.loading = done
        const { first } = account.month
        return withinOr(
          "marketplace.month",
          recorder.used(call.account, first),
          () => new Cause.TimeoutException("The database did not answer in time")
        ).pipe(
          Effect.map((used) => account.learn(first, used)),
          Effect.catchAllCause((cause) =>
            Effect.logWarning(
              "Could not load what a subscriber has used of an API's month; counting from here",
              cause
            )
          ),
          Effect.ensuring(
            Effect.sync(() => {
              account.loaded = true
              account.loading = undefined
              Deferred.unsafeDone(done, Effect.void)
            })
          ),
          Effect.forkIn(scope),
          Effect.zipRight(Deferred.await(done))
        )
      })

    const takeShared = (counts: SharedCounts, call: PlannedCall): Effect.Effect<Verdict> =>
      Effect.promise(async () => {
        const at = now()
        const account = accountOf(call, at)
        let decided: Verdict | undefined
        const answer = await counts.take(
          { name: account.name, month: account.month.first },
          call,
          account.used,
          (late) => {
            account.hear(now(), late.inMinute)
            if (late.over === undefined && decided?.over !== undefined) late.takeBack()
          }
        )
        if (answer === undefined) {
          decided = decideHere(call)
          return decided
        }
        // Both are needed when Redis cannot be asked.
        if (answer.over === undefined) account.add(at)
        account.hear(at, answer.inMinute)
        return verdict(call, account, at, answer.over, { ...answer, monthWait: account.monthWait(at) })
        // Uninterruptible, so that every call taken from Redis is also counted here.
      }).pipe(Effect.uninterruptible)

    yield* recorder.onWritten(({ account: name, month: first, own, used }) => {
      const account = accounts.get(name)
      if (account?.month.first === first) account.written(own, used)
    })
    const forgetIdle = Effect.sync(() => {
      const limit = now() - idleMillis
      for (const [name, account] of accounts) {
        if (account.seenAt < limit && account.isSettled) accounts.delete(name)
      }
    })
    yield* background("marketplace.limits_idle", "Idle accounts cannot be forgotten", forgetIdle)

    return {
      /** Decides at once if possible. Undefined if the decision needs a query, which `take` makes. */
      takeNow: (call: PlannedCall): Verdict | undefined => {
        const state = shared?.stateOf(call.account.name)
        if (state === "up") return undefined
        const at = now()
        const account = accountOf(call, at)
        if (call.requestsPerMonth !== null && !account.loaded) return undefined
        return shared !== undefined && state === "slow"
          ? decideAhead(shared, call)
          : takeHere(call, account, at)
      },

      /** Decides after querying the database (account new to this process) and Redis (if configured). */
      take: (call: PlannedCall): Effect.Effect<Verdict> =>
        Effect.suspend(() => {
          const account = accountOf(call, now())
          const known = call.requestsPerMonth === null || account.loaded ? Effect.void : load(call, account)
          return Effect.zipRight(
            known,
            Effect.suspend(() => {
              const state = shared?.stateOf(call.account.name)
              if (shared === undefined || state === "away") return Effect.sync(() => decideHere(call))
              return state === "up" ? takeShared(shared, call) : Effect.sync(() => decideAhead(shared, call))
            })
          )
        }),

      /** Call once per admitted call. Gives an unbilled call back to the month. Synchronous; never fails. */
      settle: (call: PlannedCall, { day }: Admitted, outcome: AdmittedOutcome): void => {
        recorder.record(call, day, outcome)
        if (isBilled(outcome)) return
        const { name } = call.account
        const { first } = monthAt(day)
        const account = accounts.get(name)
        if (account?.month.first === first) account.giveBack()
        if (shared !== undefined && shared.stateOf(name) !== "away") shared.giveBack({ name, month: first })
      }
    }
  })
}) {}
