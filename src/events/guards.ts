/** The guard of the feed, as the contract declares it. `http.ts` implements it. */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Schema } from "effect"
import { roleForbidden } from "../accounts/guards.ts"
import { guard } from "../http/contract/guard.ts"
import { byKeyOrDashboard, Caller, noReader } from "../kyc/sessions/guards.ts"

/** Requires a platform key with the scope `events:read`, or a dashboard session of a viewer, member or owner. */
export class EventReader extends guard(
  HttpApiMiddleware.Tag<EventReader>()("EventReader", {
    provides: Caller,
    failure: Schema.Union(noReader("events:read"), roleForbidden)
  }),
  byKeyOrDashboard(
    "For platform API keys with the scope `events:read`, and for signed-in viewers, members and owners."
  )
) {}
