import { Schema } from "effect"
import { fails } from "../../http/contract/answers.ts"
import { route, routeGroup } from "../../http/contract/routes.ts"
import { SessionNotFound } from "../sessions/errors.ts"
import { SessionReader } from "../sessions/guards.ts"
import { examples } from "./examples.ts"
import { TimelineEvent } from "./model.ts"

/** The events of a session, for the company that owns it. */
export class TimelineApi extends routeGroup(
  "kyc-timeline",
  {
    title: "KYC timeline, for the partner's server",
    description:
      "What happened in a session and when, by a platform key of scope kyc:sessions:read or a dashboard session. It works after the session expired.",
    guard: SessionReader,
    examples
  },
  route("get", "GET /api/kyc/sessions/:id/timeline", {
    summary: "What happened in a session, oldest first",
    description:
      "As far as the server knows it by itself. The last event of an unfinished session is when it expires, or has.",
    ids: { id: "the session" },
    success: Schema.Struct({ events: Schema.Array(TimelineEvent) }),
    errors: [fails(SessionNotFound, 404, "Session not found")],
    unexpected: "Failed to get timeline",
    compressed: true
  })
) {}
