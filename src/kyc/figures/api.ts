import { Schema } from "effect"
import { user } from "../../accounts/guards.ts"
import { fails } from "../../http/contract/error-responses.ts"
import { anyText, isoDate, optional, wholeNumber } from "../../http/contract/fields.ts"
import { withCode } from "../../http/contract/rejects.ts"
import { route, routeGroup } from "../../http/contract/routes.ts"
import { keyOrUser } from "../../keys/guards.ts"
import { InstanceNotFound } from "../instances/model.ts"
import { examples } from "./examples.ts"
import { Funnel, Overview } from "./model.ts"

/** How a company's verifications go. */
export class FiguresApi extends routeGroup(
  "kyc-figures",
  {
    title: "KYC figures",
    description: "How many sessions are created and completed, how long they take, and where people stop.",
    examples
  },
  route("overview", "GET /api/kyc/overview", {
    summary: "Read recent figures, and what needs attention",
    fromStandby: true,
    description:
      "Days are in UTC. A session counts on the day on which it was created, and on the day on which it was completed, failed, was cancelled or expired. " +
      "The figures are a second or so old, those of expired sessions a minute. Sessions of mode `dev` are not counted.",
    access: user("read"),
    query: Schema.Struct({
      days: Schema.optionalWith(
        wholeNumber("days", 1, 366, "How many days, with today as the last one. By default 30."),
        { default: () => 30 }
      ),
      instanceId: anyText("instanceId", "Only sessions of the KYC instance with this id.")
    }),
    success: Overview,
    unexpected: "Failed to get overview"
  }),
  route("funnel", "GET /api/kyc/instances/:id/funnel", {
    summary: "Read the funnel of an instance: at which steps end users stop",
    fromStandby: true,
    description:
      "Looks at the newest 5,000 sessions that were created in the period. Sessions of mode `dev` and resubmissions, which ask for some steps only, are not counted. A step that a rule skips counts as one to which a session came, unless it answered a later one. The steps are those of the instance's current workflow; answers to steps that it " +
      "no longer has are left out.",
    access: keyOrUser("kyc:sessions:read", "read"),
    ids: { id: "the KYC instance" },
    query: Schema.Struct({
      from: optional(isoDate("from", "Only sessions created at this time or later. By default 30 days ago.")),
      to: optional(isoDate("to", "Only sessions created before this time. By default now."))
    }).pipe(
      Schema.filter(({ from, to }) => from === undefined || to === undefined || from <= to, {
        message: () => "from must not be after to",
        ...withCode("period-reversed")
      })
    ),
    success: Schema.Struct({ funnel: Funnel }),
    errors: [fails(InstanceNotFound, 404, "Instance not found")],
    unexpected: "Failed to get funnel",
    compressed: true
  })
) {}
