import { Schema } from "effect"
import { route, routeGroup } from "../../http/contract/routes.ts"
import { keyOrUser } from "../../keys/guards.ts"
import { sessionNotFound } from "../sessions/guards.ts"
import { examples } from "./examples.ts"
import { TimelineEvent } from "./model.ts"

/** The events of a session, for the company that owns it. */
export class TimelineApi extends routeGroup(
  "kyc-timeline",
  {
    title: "KYC timeline, for the partner's server",
    description:
      "What happened in a session and when, for a platform key with the scope kyc:sessions:read or a dashboard session. It can be read even after the session has expired.",
    access: keyOrUser("kyc:sessions:read", "any"),
    examples
  },
  route("get", "GET /api/kyc/sessions/:id/timeline", {
    summary: "Read the timeline of a session: its events, oldest first",
    fromStandby: true,
    description:
      "Only what the server itself has observed. The last event of an unfinished session is its expiry, past or future.",
    ids: { id: "the session" },
    success: Schema.Struct({ events: Schema.Array(TimelineEvent) }),
    errors: [sessionNotFound],
    unexpected: "Failed to get timeline",
    compressed: true
  })
) {}
