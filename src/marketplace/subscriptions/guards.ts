import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Schema } from "effect"
import { roleForbidden } from "../../accounts/guards.ts"
import { guard } from "../../http/contract/guard.ts"
import { byKeyOrDashboard, Caller, noNamedKey } from "../../kyc/sessions/guards.ts"

/** Requires a platform key that names the scope `marketplace:subscriptions:read`, or a dashboard session of a viewer, member or owner. */
export class SubscriptionReader extends guard(
  HttpApiMiddleware.Tag<SubscriptionReader>()("SubscriptionReader", {
    provides: Caller,
    failure: Schema.Union(noNamedKey("marketplace:subscriptions:read"), roleForbidden)
  }),
  byKeyOrDashboard(
    "For platform API keys that name the scope `marketplace:subscriptions:read`, and for signed-in viewers, members and owners."
  )
) {}

/** Requires a platform key that names the scope `marketplace:subscriptions:create`, or a dashboard session of a member or owner. */
export class Subscriber extends guard(
  HttpApiMiddleware.Tag<Subscriber>()("Subscriber", {
    provides: Caller,
    failure: Schema.Union(noNamedKey("marketplace:subscriptions:create"), roleForbidden)
  }),
  byKeyOrDashboard(
    "For platform API keys that name the scope `marketplace:subscriptions:create`, and for signed-in members and owners."
  )
) {}
