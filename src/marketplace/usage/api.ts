import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { DashboardSession } from "../../accounts/guards.ts"
import { answers, fails } from "../../http/contract/answers.ts"
import { idOf, optional, refusing, wholeNumber } from "../../http/contract/fields.ts"
import { ApiNotFound } from "../catalog/errors.ts"
import { SubscriptionNotFound } from "../subscriptions/errors.ts"
import { readDay, writeDay } from "./calendar-model.ts"
import { PeriodReversed, PeriodTooLong } from "./errors.ts"
import { examples } from "./examples.ts"
import { PublisherUsage, SubscriberUsage } from "./model.ts"

const messages = {
  from: "from must be a day, YYYY-MM-DD",
  to: "to must be a day, YYYY-MM-DD",
  reversed: "from must not be after to",
  tooLong: "from must be less than 366 days before to",
  limit: "limit must be a whole number from 1 to 100",
  offset: "offset must be a whole number from 0 to 1000000"
} as const

const Day = (message: string, description: string) =>
  refusing(
    Schema.transform(
      Schema.String.pipe(
        Schema.filter((text) => readDay(text) !== undefined, {
          jsonSchema: { format: "date", description, examples: ["2026-11-20"] }
        })
      ),
      Schema.Number,
      // The filter above has checked that the day exists.
      { strict: true, decode: (text) => readDay(text) ?? Number.NaN, encode: writeDay }
    ),
    message
  )

const period = {
  from: optional(Day(messages.from, "The first day, UTC; the first of the month of `to` by default.")),
  to: optional(Day(messages.to, "The last day, UTC; today by default."))
}

const page = {
  limit: Schema.optionalWith(
    wholeNumber(1, 100, messages.limit, "The most that are listed. By default 20."),
    { default: () => 20 }
  ),
  offset: Schema.optionalWith(
    wholeNumber(
      0,
      1_000_000,
      messages.offset,
      "How many to pass over before the first that is listed. By default 0."
    ),
    { default: () => 0 }
  )
}

const reversed = fails(PeriodReversed, 400, messages.reversed)
const tooLong = fails(PeriodTooLong, 400, messages.tooLong)

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
export class UsageApi extends HttpApiGroup.make("marketplace-usage")
  .add(
    HttpApiEndpoint.get("subscription", "/api/api-marketplace/subscriptions/:id/usage")
      .setPath(Schema.Struct({ id: idOf("the subscription") }))
      .setUrlParams(Schema.Struct(period))
      .addSuccess(Schema.Struct({ usage: SubscriberUsage }))
      .addError(reversed)
      .addError(tooLong)
      .addError(fails(SubscriptionNotFound, 404, "Subscription not found"))
      .annotate(OpenApi.Summary, "Usage of a subscription, for the subscriber")
      .annotate(
        OpenApi.Description,
        `Of the present month by default, and of 366 days at most.\n${outcomesText}`
      )
      .pipe(
        answers({
          example: examples.subscriber,
          rejects: [messages.from, messages.to],
          unexpected: "Failed to load usage",
          compressed: true
        })
      )
  )
  .add(
    HttpApiEndpoint.get("api", "/api/api-marketplace/apis/:id/usage")
      .setPath(Schema.Struct({ id: idOf("the API") }))
      .setUrlParams(Schema.Struct({ ...period, ...page }))
      .addSuccess(Schema.Struct({ usage: PublisherUsage }))
      .addError(reversed)
      .addError(tooLong)
      .addError(fails(ApiNotFound, 404, "API not found"))
      .annotate(OpenApi.Summary, "Usage of an API, for its publisher")
      .annotate(
        OpenApi.Description,
        "The same numbers as the subscribers see, added up over all of them and by subscription; of a subscriber the publisher sees the company's name and the plan, no more."
      )
      .pipe(
        answers({
          example: examples.publisher,
          rejects: [
            messages.from,
            messages.to,
            messages.limit,
            { message: messages.offset, code: "offset-too-large" }
          ],
          unexpected: "Failed to load usage",
          compressed: true
        })
      )
  )
  .middleware(DashboardSession)
  .annotate(OpenApi.Title, "Marketplace usage")
  .annotate(OpenApi.Description, "What has been called through the gateway, and what of it is billed.") {}
