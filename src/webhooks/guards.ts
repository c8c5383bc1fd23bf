/** The guards of the webhook routes, as the contract declares them. `http.ts` implements them. */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Schema } from "effect"
import { roleForbidden } from "../accounts/guards.ts"
import { guard } from "../http/contract/guard.ts"
import { byKeyOrDashboard, Caller, noReader } from "../kyc/sessions/guards.ts"

/** Requires a platform key with the scope `webhooks:read`, or a dashboard session of a viewer, member or owner. */
export class WebhookReader extends guard(
  HttpApiMiddleware.Tag<WebhookReader>()("WebhookReader", {
    provides: Caller,
    failure: Schema.Union(noReader("webhooks:read"), roleForbidden)
  }),
  byKeyOrDashboard(
    "For platform API keys with the scope `webhooks:read`, and for signed-in viewers, members and owners."
  )
) {}

/** Requires a platform key with the scope `webhooks:write`, or a dashboard session of a member or owner. */
export class WebhookWriter extends guard(
  HttpApiMiddleware.Tag<WebhookWriter>()("WebhookWriter", {
    provides: Caller,
    failure: Schema.Union(noReader("webhooks:write"), roleForbidden)
  }),
  byKeyOrDashboard(
    "For platform API keys with the scope `webhooks:write`, and for signed-in members and owners."
  )
) {}
