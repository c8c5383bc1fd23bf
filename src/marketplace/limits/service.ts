import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { Config } from "../../config.ts"
import { decidedWithoutRedis, redisUp } from "../../observability/metrics.ts"
import { dayOf, type Month, monthOf } from "../usage/calendar-model.ts"
import { type AdmittedOutcome, isBilled } from "../usage/model.ts"
import { UsageRecorder } from "../usage/recording-service.ts"
import { Account } from "./account.ts"
import { limitField, type Over, type PlannedCall, retryAfter, type Standing } from "./model.ts"
import { type SharedCounts, sharedCounts } from "./redis.ts"

/** How long an account is kept without a call; a window's length, and what it takes for calls to be written. */
const idleMillis = 90_000

/** How long the first call of an account waits for the database to say what the month has used. */
const loadPatience = Duration.seconds(1)

interface Fields {
  /** The `RateLimit` field for the answer; undefined when the plan has no limits. */
  readonly rateLimit: string | undefined
  /** The `RateLimit-Policy` field. */
  readonly rateLimitPolicy: string | undefined
}

/** The call may go on. It must be settled, once, when it is known what became of it. */
export interface Admitted extends Fields {
  readonly over: undefined
  /** When it came (UTC), by which it is counted. */
  readonly day: number
}

/** The call is over its plan: 429, with `Retry-After`. It has been counted as that, and has used up nothing. */
export interface Refused extends Fields {
  readonly over: Over
  readonly retryAfterSeconds: number
}

export type Verdict = Admitted | Refused

/**
 * The limits of plans: requests in any 60 seconds, and requests in a month of the UTC calendar. A call takes from both or
 * from neither. What counts is what the company has called of the API, whatever the key, the subscription and its plan were
 * (`AccountId`): who cancels and subscribes again, to the same plan or another, goes on counting. So calls count towards both
 * limits, also towards one that their own plan has not. Calls that go to a sandbox have counts of their own, under the same limits.
 *
 * Without Redis the minute is counted by this process alone: n processes let n times the plan's requests per
 * minute through. The month is counted by all of them: a process knows its own calls at once, and those of the
 * others as they stood when it last wrote its own, a second ago at most. What a month lets through too many
 * is therefore at most what the other processes admitted in the last two seconds.
 *
 * With Redis both counts are shared and exact. While Redis does not answer, the process counts by itself, as
 * above, from what it has seen so far; the month's count in Redis is made good afterwards, and the minute's
 * is right again after a minute.
 *
 * Limits are no reason to refuse a paying customer: when the database cannot say what the month has used,
 * the process counts from what it knows itself until it can.
 *
 * The rate limiter of `@effect/experimental` 0.61 is not used. It takes one limit a call, so two cannot be taken
 * together or not at all, and nothing can be given back; it knows no calendar; its token bucket lets 2q-1
 * through in the first minute; its memory store keeps every key for ever, and its Redis store every bucket; the
 * latter is written for `ioredis` and follows the clocks of the processes; and every call is an effect, 1 µs
 * for each limit when it admits and 6 µs when it refuses.
 */
export class PlanLimits extends Effect.Service<PlanLimits>()("PlanLimits", {
  scoped: Effect.gen(function* () {
    const recorder = yield* UsageRecorder
    const { redisUrl } = yield* Config
    const clock = yield* Effect.clock
    const scope = yield* Effect.scope
    const shared: SharedCounts | undefined =
      redisUrl === undefined ? undefined : yield* sharedCounts(redisUrl)
    if (shared !== undefined) yield* redisUp.from(() => (shared.isUp() ? 1 : 0))
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
      recorder.record(call, day, over === "rate" ? "rate_limited" : "quota_exceeded")
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

    /** One query for all calls that wait for it. */
    const load = (call: PlannedCall, account: Account) =>
      Effect.suspend(() => {
        if (account.loading !== undefined) return Deferred.await(account.loading)
        const done = Deferred.unsafeMake<void>(FiberId.none)
        account.loading = done
        const { first } = account.month
        return recorder.used(call.account, first).pipe(
          Effect.timeout(loadPatience),
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
        const answer = await counts.take(
          { name: account.name, month: account.month.first },
          call,
          account.used
        )
        if (answer === undefined) return decideHere(call)
        // For when Redis goes away.
        if (answer.over === undefined) account.add(at)
        return verdict(call, account, at, answer.over, { ...answer, monthWait: account.monthWait(at) })
        // Whole, so that a call is never taken from Redis without being known here.
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
    yield* Effect.forkScoped(Effect.forever(Effect.delay(forgetIdle, Duration.millis(idleMillis))))

    return {
      /** Decides at once, when that is possible; undefined when `take` has to ask somebody first. */
      takeNow: (call: PlannedCall): Verdict | undefined => {
        if (shared?.isUp() === true) return undefined
        const at = now()
        const account = accountOf(call, at)
        return call.requestsPerMonth === null || account.loaded ? takeHere(call, account, at) : undefined
      },

      /** Decides, after asking the database about an account that is new to this process, and Redis if there is one. */
      take: (call: PlannedCall): Effect.Effect<Verdict> =>
        Effect.suspend(() => {
          const account = accountOf(call, now())
          const known = call.requestsPerMonth === null || account.loaded ? Effect.void : load(call, account)
          return Effect.zipRight(
            known,
            Effect.suspend(() =>
              shared?.isUp() === true ? takeShared(shared, call) : Effect.sync(() => decideHere(call))
            )
          )
        }),

      /**
       * Counts what became of an admitted call; one that is not billed is given back to the month. Synchronous,
       * and never fails. Call it once for each admitted call, when the outcome is known.
       */
      settle: (call: PlannedCall, { day }: Admitted, outcome: AdmittedOutcome): void => {
        recorder.record(call, day, outcome)
        if (isBilled(outcome)) return
        const { name } = call.account
        const { first } = monthAt(day)
        const account = accounts.get(name)
        if (account?.month.first === first) account.giveBack()
        if (shared?.isUp() === true) shared.giveBack({ name, month: first })
      }
    }
  })
}) {}
