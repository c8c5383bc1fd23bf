import { Schema } from "effect"
import { fails } from "../../http/contract/error-responses.ts"
import { optional, pageLimit, pageOffset, parsedText, refusing } from "../../http/contract/fields.ts"
import { route, routeGroup } from "../../http/contract/routes.ts"
import { keyOrUser } from "../../keys/guards.ts"
import { ApiNotFound } from "../catalog/errors.ts"
import { SubscriptionNotFound } from "../subscriptions/errors.ts"
import { readDay, writeDay } from "./calendar-model.ts"
import { examples } from "./examples.ts"
import {
  isBilled,
  outcomes,
  PeriodReversed,
  PeriodTooLong,
  PublisherUsage,
  responseOf,
  SubscriberUsage
} from "./model.ts"

const day = (field: string, description: string) =>
  optional(
    refusing(
      parsedText(Schema.Number, readDay, writeDay, { format: "date", description, examples: ["2026-11-20"] }),
      `${field} must be a day, YYYY-MM-DD`
    )
  )

const period = {
  from: day("from", "The first day, in UTC. Default: the first day of the month of `to`."),
  to: day("to", "The last day, in UTC. Default: today.")
}

const reversed = fails(PeriodReversed, 400, "from must not be after to")
const tooLong = fails(PeriodTooLong, 400, "from must be less than 366 days before to")

const outcomesText = `
A call is counted once its subscription is known, under the day when it arrived (UTC) and its outcome:

| outcome | the response | billed |
| --- | --- | --- |
${outcomes.map((outcome) => `| \`${outcome}\` | ${responseOf[outcome]} | ${isBilled(outcome) ? "yes" : "no"} |`).join("\n")}

Calls with test keys are included in \`calls\` and \`outcomes\`, never in \`billed\`. A call counts against the plan if its outcome is
one that is billed, whether its key is a live or a test key. The plan's limits apply to all calls of a company to an API, over all its
keys and subscriptions, including cancelled ones. Calls to a sandbox are counted separately. Counts appear after about a second. A process
that is killed loses the counts that it has not yet written; one that is stopped loses none.`

/** The usage of calls through the gateway. */
export class UsageApi extends routeGroup(
  "marketplace-usage",
  {
    title: "Marketplace usage",
    description: "The counts of calls through the gateway, and how many of them are billed.",
    access: keyOrUser("usage:read", "read"),
    examples
  },
  route("subscription", "GET /api/api-marketplace/subscriptions/:id/usage", {
    summary: "Read the usage of a subscription, as its subscriber",
    fromStandby: true,
    description: `The current month by default; at most 366 days.\n${outcomesText}`,
    ids: { id: "the subscription" },
    query: Schema.Struct(period),
    success: Schema.Struct({ usage: SubscriberUsage }),
    errors: [reversed, tooLong, fails(SubscriptionNotFound, 404, "Subscription not found")],
    unexpected: "Failed to load usage",
    compressed: true
  }),
  route("api", "GET /api/api-marketplace/apis/:id/usage", {
    summary: "Read the usage of an API, as its publisher",
    fromStandby: true,
    description:
      "The same counts as the subscribers see, in total and by subscription. A publisher sees only a subscriber's company name and plan.",
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
