import { Data, Schema } from "effect"
import { Timestamp, TokenPrefix } from "../../shared/schemas.ts"

/** Calls of live keys are billed, calls of test keys never. {@link AccountId} says which use up a plan. */
export const Mode = Schema.Literal("live", "test").annotations({
  description: "Calls with `test` keys are never billed."
})
export type Mode = typeof Mode.Type

/**
 * The outcome of a call, by the status of its response and by who produced it; `responseOf`
 * explains each. A call refused before its subscription is known is nobody's usage. A billed outcome uses up
 * the plan's month, with test keys too.
 */
export const outcomes = [
  "2xx",
  "3xx",
  "4xx",
  "5xx",
  "denied",
  "client_closed",
  "gateway_error",
  "rate_limited",
  "quota_exceeded"
] as const

export const Outcome = Schema.Literal(...outcomes)
export type Outcome = typeof Outcome.Type

/** Which response a call of each outcome got, in words. */
export const responseOf: Readonly<Record<Outcome, string>> = {
  "2xx": "the upstream's",
  "3xx": "the upstream's",
  "4xx": "the upstream's, except 401, 403 and 429",
  "5xx": "the upstream's own",
  denied: "the upstream's 401, 403 or 429",
  client_closed:
    "none: the client disconnected after the gateway had started sending the request to the upstream",
  gateway_error:
    "the gateway's: the upstream's response was missing or invalid, or the gateway did not send the request",
  rate_limited: "429 `Rate limit exceeded`",
  quota_exceeded: "429 `Monthly quota exceeded`"
}

/** A value for each outcome, from its place in `outcomes`. */
export const byOutcome = <A>(valueAt: (place: number) => A): Record<Outcome, A> =>
  // The cast: `fromEntries` forgets that every outcome is there.
  Object.fromEntries(outcomes.map((outcome, place) => [outcome, valueAt(place)])) as Record<Outcome, A>

/** The possible outcomes of a call that the plan's limits admit. */
export type AdmittedOutcome = Exclude<Outcome, "rate_limited" | "quota_exceeded">

export const billedOutcomes: ReadonlyArray<Outcome> = ["2xx", "3xx", "4xx", "5xx", "client_closed"]

export const isBilled = (outcome: Outcome): boolean => billedOutcomes.includes(outcome)

/** The outcome of a call with this final status from the upstream. A 101 is a success, too. */
export const upstreamOutcome = (status: number): AdmittedOutcome => {
  if (status === 401 || status === 403 || status === 429) return "denied"
  if (status < 300) return "2xx"
  if (status < 400) return "3xx"
  return status < 500 ? "4xx" : "5xx"
}

/** Where a call goes: with a test key to the sandbox, if the version has one; otherwise to the upstream. */
export const UpstreamKind = Schema.Literal("live", "sandbox")
export type UpstreamKind = typeof UpstreamKind.Type

/** Calls that count together against a plan, cancelled subscriptions included: cancelling resets nothing. */
export interface AccountId {
  readonly companyId: string
  readonly apiId: string
  readonly upstream: UpstreamKind
  /** The three fields as one text. */
  readonly name: string
}

export const accountIdOf = (companyId: string, apiId: string, upstream: UpstreamKind): AccountId => ({
  companyId,
  apiId,
  upstream,
  name: `${companyId}:${apiId}${upstream === "live" ? "" : ":sandbox"}`
})

export interface CallSource {
  readonly keyId: string
  readonly mode: Mode
  readonly subscriptionId: string
  readonly account: AccountId
}

const Count = Schema.NonNegativeInt

const countOf = (place: number) => {
  // The cast: a place is one of `outcomes`.
  const outcome = outcomes[place] as Outcome
  const bill = isBilled(outcome) ? "Billed if the key is a live one." : "Not billed."
  return Count.annotations({ description: `Response: ${responseOf[outcome]}. ${bill}` })
}

const counts = {
  calls: Count.annotations({ description: "All calls, with live and test keys." }),
  billed: Count.annotations({ description: "Calls with live keys and a billed outcome." }),
  outcomes: Schema.Struct(byOutcome(countOf)).annotations({
    identifier: "UsageOutcomes",
    description: "The calls by their outcome, with live and test keys."
  })
}

export const UsageCounts = Schema.Struct(counts).annotations({ identifier: "UsageCounts" })
export type UsageCounts = typeof UsageCounts.Type

const Day = Schema.String.annotations({
  jsonSchema: { type: "string", format: "date", description: "A day, UTC.", examples: ["2026-11-20"] }
})

const UsageDay = Schema.Struct({ day: Day, ...counts }).annotations({ identifier: "UsageDay" })

const period = {
  from: Day,
  to: Day,
  days: Schema.Array(UsageDay).annotations({
    description: "Every day of the period, including days without calls."
  }),
  total: UsageCounts
}

export const KeyUsage = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  mode: Mode,
  token_prefix: TokenPrefix,
  ...counts
}).annotations({ identifier: "KeyUsage" })

export const SubscriberUsage = Schema.Struct({
  subscription_id: Schema.String,
  ...period,
  keys: Schema.Array(KeyUsage).annotations({ description: "Every key of the subscription, oldest first." }),
  month: Schema.Struct({
    used: Count.annotations({
      description:
        "The calls that count against the plan in the current month, whatever the period: the company's calls to the API's live upstream, over all keys and subscriptions, including cancelled ones."
    }),
    limit: Schema.NullOr(Count).annotations({
      description: "The plan's requests per month; null if unlimited."
    }),
    resets_at: Schema.propertySignature(Timestamp).annotations({
      description: "When the next month begins and `used` is 0 again."
    })
  })
}).annotations({ identifier: "SubscriberUsage" })
export type SubscriberUsage = typeof SubscriberUsage.Type

export const SubscriptionUsage = Schema.Struct({
  id: Schema.String,
  status: Schema.Literal("active", "cancelled").annotations({
    description: "The current status, not that during the period."
  }),
  company_name: Schema.String.annotations({ description: "The subscriber's company name." }),
  plan: Schema.Struct({ id: Schema.String, name: Schema.String }),
  ...counts
}).annotations({ identifier: "SubscriptionUsage" })
export type SubscriptionUsage = typeof SubscriptionUsage.Type

export const PublisherUsage = Schema.Struct({
  api_id: Schema.String,
  ...period,
  subscriptions: Schema.Array(SubscriptionUsage).annotations({
    description: "One page of the subscriptions with calls in the period, oldest first."
  }),
  total_subscriptions: Count.annotations({ description: "The number of subscriptions on all pages." }),
  limit: Count.annotations({ description: "The `limit` of the request." }),
  offset: Count.annotations({ description: "The `offset` of the request." })
}).annotations({ identifier: "PublisherUsage" })
export type PublisherUsage = typeof PublisherUsage.Type

/** The number of calls of one group and outcome, from the database. */
export interface CountedCalls {
  readonly outcome: Outcome
  readonly mode: Mode
  readonly calls: number
}

export const addUp = (rows: ReadonlyArray<CountedCalls>): UsageCounts => {
  const sums = byOutcome(() => 0)
  let calls = 0
  let billedCalls = 0
  for (const row of rows) {
    sums[row.outcome] += row.calls
    calls += row.calls
    if (row.mode === "live" && isBilled(row.outcome)) billedCalls += row.calls
  }
  return { calls, billed: billedCalls, outcomes: sums }
}

export class PeriodReversed extends Data.TaggedError("PeriodReversed") {}

export class PeriodTooLong extends Data.TaggedError("PeriodTooLong") {}
