import { Clock, Effect } from "effect"
import { foundOr, idOr } from "../../shared/found.ts"
import { ApiNotFound } from "../catalog/errors.ts"
import { SubscriptionNotFound } from "../subscriptions/errors.ts"
import { beginOf, dayOf, monthOf, writeDay } from "./calendar-model.ts"
import { ClickHouseUsage } from "./clickhouse.ts"
import {
  accountIdOf,
  addUp,
  type CountedCalls,
  PeriodReversed,
  PeriodTooLong,
  type PublisherUsage,
  type SubscriberUsage,
  type SubscriptionUsage
} from "./model.ts"
import { UsageRecordingRepo } from "./recording-repo.ts"
import { type Period, UsageRepo } from "./repo.ts"

/** Days that are added up at once, at most: a year of 366. */
const mostDays = 366

/** Days since 1970-01-01, both in the period. */
interface PeriodRequest {
  /** Default: the first of the month of `to`. */
  readonly from?: number | undefined
  /** Default: today. */
  readonly to?: number | undefined
}

interface PageRequest extends PeriodRequest {
  readonly limit: number
  readonly offset: number
}

const today = Effect.map(Clock.currentTimeMillis, dayOf)

const periodOf = Effect.fnUntraced(function* (request: PeriodRequest) {
  const to = request.to ?? (yield* today)
  const from = request.from ?? monthOf(to).first
  if (from > to) return yield* new PeriodReversed()
  if (to - from >= mostDays) return yield* new PeriodTooLong()
  return { from, to } satisfies Period
})

/** The common part of both views. Fills in the days without calls. */
const overview = ({ from, to }: Period, rows: ReadonlyArray<CountedCalls & { readonly day: number }>) => {
  const byDay = Map.groupBy(rows, ({ day }) => day)
  return {
    from: writeDay(from),
    to: writeDay(to),
    days: Array.from({ length: to - from + 1 }, (_, index) => ({
      day: writeDay(from + index),
      ...addUp(byDay.get(from + index) ?? [])
    })),
    total: addUp(rows)
  }
}

const subscriptionNotFound = () => new SubscriptionNotFound()
const apiNotFound = () => new ApiNotFound()

/**
 * The usage of calls through the gateway, with the same numbers for subscriber and publisher. A call's row is either in Postgres or in
 * ClickHouse, by the `USAGE_SINK` of the process that counted it, so both are added up.
 */
export class Usage extends Effect.Service<Usage>()("Usage", {
  dependencies: [ClickHouseUsage.Default],
  effect: Effect.gen(function* () {
    const repo = yield* UsageRepo
    const recording = yield* UsageRecordingRepo
    const { rows: elsewhere } = yield* ClickHouseUsage
    const none = Effect.succeed([])

    /** Also fails with `SubscriptionNotFound` for another company's subscription. */
    const ofSubscription = Effect.fnUntraced(function* (
      companyId: string,
      id: string,
      request: PeriodRequest
    ) {
      const period = yield* periodOf(request)
      const subscriptionId = yield* idOr(id, subscriptionNotFound)
      const { api_id, limit } = yield* repo
        .subscription(companyId, subscriptionId)
        .pipe(foundOr(subscriptionNotFound))
      const month = monthOf(yield* today)
      const asked = { apiId: api_id, period, subscriptionIds: [subscriptionId] }
      const groups = [
        ...(yield* repo.ofSubscription(subscriptionId, period)),
        ...(yield* Effect.orDie(elsewhere?.ofSubscription(asked) ?? none))
      ]
      const days = groups.flatMap((group) => (group.day === null ? [] : [{ ...group, day: group.day }]))
      const byKey = Map.groupBy(groups, ({ key_id }) => key_id)
      const keys = yield* repo.keys(subscriptionId)
      return {
        subscription_id: subscriptionId,
        ...overview(period, days),
        keys: keys.map((key) => ({ ...key, ...addUp(byKey.get(key.id) ?? []) })),
        month: {
          used: yield* recording.used(accountIdOf(companyId, api_id, "live"), month.first),
          limit,
          resets_at: new Date(beginOf(month.end))
        }
      } satisfies SubscriberUsage
    })

    /** Also fails with `ApiNotFound` for another company's API. */
    const ofApi = Effect.fnUntraced(function* (companyId: string, id: string, request: PageRequest) {
      const period = yield* periodOf(request)
      const apiId = yield* idOr(id, apiNotFound)
      yield* repo.publishedBy(companyId, apiId).pipe(foundOr(apiNotFound))
      const asked = { apiId, period }
      const others = yield* Effect.orDie(elsewhere?.subscriptions(asked) ?? none)
      const page = yield* repo.subscriptions(apiId, period, others, request.limit, request.offset)
      const subscriptionIds = page.map(({ id }) => id)
      const bySubscription = Map.groupBy(
        [
          ...(yield* repo.bySubscription(subscriptionIds, period)),
          ...(yield* Effect.orDie(elsewhere?.bySubscription({ ...asked, subscriptionIds }) ?? none))
        ],
        ({ id }) => id
      )
      const days = [
        ...(yield* repo.daysOfApi(apiId, period)),
        ...(yield* Effect.orDie(elsewhere?.days(asked) ?? none))
      ]
      return {
        api_id: apiId,
        ...overview(period, days),
        subscriptions: page.map(
          (subscription): SubscriptionUsage => ({
            ...subscription,
            ...addUp(bySubscription.get(subscription.id) ?? [])
          })
        ),
        total_subscriptions: yield* repo.countSubscriptions(apiId, period, others),
        limit: request.limit,
        offset: request.offset
      } satisfies PublisherUsage
    })

    return { ofSubscription, ofApi }
  })
}) {}
