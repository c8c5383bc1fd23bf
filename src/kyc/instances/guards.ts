import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Schema } from "effect"
import { roleForbidden } from "../../accounts/guards.ts"
import { guard } from "../../http/contract/guard.ts"
import { byKeyOrDashboard, Caller, noNamedKey } from "../sessions/guards.ts"

/** Requires a platform key that names the scope `kyc:instances:read`, or a dashboard session of a viewer, member or owner. */
export class InstanceReader extends guard(
  HttpApiMiddleware.Tag<InstanceReader>()("InstanceReader", {
    provides: Caller,
    failure: Schema.Union(noNamedKey("kyc:instances:read"), roleForbidden)
  }),
  byKeyOrDashboard(
    "For platform API keys that name the scope `kyc:instances:read`, and for signed-in viewers, members and owners."
  )
) {}
