import { Schema } from "effect"
import { DashboardSession } from "../../accounts/guards.ts"
import { fails } from "../../http/contract/error-responses.ts"
import { optional, pageLimit, pageOffset, parsedText, refusing } from "../../http/contract/fields.ts"
import { route, routeGroup } from "../../http/contract/routes.ts"
import { ApiNotFound } from "../catalog/errors.ts"
import { SubscriptionNotFound } from "../subscriptions/errors.ts"
import { readDay, writeDay } from "./calendar-model.ts"
import { PeriodReversed, PeriodTooLong } from "./errors.ts"
import { examples } from "./examples.ts"
import { PublisherUsage, SubscriberUsage } from "./model.ts"

const day = (field: string, description: string) =>
  optional(
    refusing(
      parsedText(Schema.Number, readDay, writeDay, { format: "date", description, examples: ["2026-11-20"] }),
      `${field} must be a day, YYYY-MM-DD`
    )
  )

const period = {
  from: day("from", "The first day, UTC; the first of the month of `to` by default."),
  to: day("to", "The last day, UTC; today by default.")
}

const reversed = fails(PeriodReversed, 400, "from must not be after to")
const tooLong = fails(PeriodTooLong, 400, "from must be less than 366 days before to")

const outcomesText = `
A call is counted once its subscription is known, on the day it came (UTC), by what became of it:

| outcome | the answer | billed |
| --- | --- | --- |
| \`2xx\`, \`3xx\` | the upstream's | yes |
| \`4xx\` | the upstream's, but for 401, 403 and 429 | yes |
| \`5xx\` | the upstream's own | yes |
| \`denied\` | the upstream's 401, 403 or 429 | no |
| \`client_closed\` | none: the client left when the upstream had been asked | yes |
| \`gateway_error\` | the gateway's: nothing usable came from the upstream, or it was not asked | no |
| \`rate_limited\` | 429 \`Rate limit exceeded\` | no |
| \`quota_exceeded\` | 429 \`Monthly quota exceeded\` | no |

Calls with test keys are in \`calls\` and in \`outcomes\`, never in \`billed\`. Against the plan count those calls, of live keys and
of test keys, whose outcome is one that is billed: of a company to an API, over all its keys and subscriptions, cancelled ones too.
Calls that go to a sandbox count by themselves. What is counted shows after about a second;
a process that is killed loses what it had not written by then, one that is stopped nothing.`

/** The usage of calls through the gateway. */
export class UsageApi extends routeGroup(
  "marketplace-usage",
  {
    title: "Marketplace usage",
    description: "What has been called through the gateway, and what of it is billed.",
    guard: DashboardSession,
    examples
  },
  route("subscription", "GET /api/api-marketplace/subscriptions/:id/usage", {
    summary: "Usage of a subscription, for the subscriber",
    description: `Of the present month by default, and of 366 days at most.\n${outcomesText}`,
    ids: { id: "the subscription" },
    query: Schema.Struct(period),
    success: Schema.Struct({ usage: SubscriberUsage }),
    errors: [reversed, tooLong, fails(SubscriptionNotFound, 404, "Subscription not found")],
    unexpected: "Failed to load usage",
    compressed: true
  }),
  route("api", "GET /api/api-marketplace/apis/:id/usage", {
    summary: "Usage of an API, for its publisher",
    description:
      "The same numbers as the subscribers see, added up over all of them and by subscription; of a subscriber the publisher sees the company's name and the plan, no more.",
    ids: { id: "the API" },
    query: Schema.Struct({
      ...period,
      limit: pageLimit,
      offset: pageOffset(1_000_000, undefined, "offset-too-large")
    }),
    success: Schema.Struct({ usage: PublisherUsage }),
    errors: [reversed, tooLong, fails(ApiNotFound, 404, "API not found")],
    unexpected: "Failed to load usage",
    compressed: true
  })
) {}
