import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Schema } from "effect"
import { roleForbidden } from "../../accounts/guards.ts"
import { guard } from "../../http/contract/guard.ts"
import { byKeyOrDashboard, Caller, noNamedKey } from "../../kyc/sessions/guards.ts"

/** Requires a platform key that names the scope `usage:read`, or a dashboard session of a viewer, member or owner. */
export class UsageReader extends guard(
  HttpApiMiddleware.Tag<UsageReader>()("UsageReader", {
    provides: Caller,
    failure: Schema.Union(noNamedKey("usage:read"), roleForbidden)
  }),
  byKeyOrDashboard(
    "For platform API keys that name the scope `usage:read`, and for signed-in viewers, members and owners."
  )
) {}
