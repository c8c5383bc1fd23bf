import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Schema } from "effect"
import { roleForbidden } from "../../accounts/guards.ts"
import { guard } from "../../http/contract/guard.ts"
import { byKeyOrDashboard, Caller, noReader } from "../sessions/guards.ts"

/** Requires a platform key with the scope `kyc:instances:read`, or a dashboard session of a viewer, member or owner. */
export class InstanceReader extends guard(
  HttpApiMiddleware.Tag<InstanceReader>()("InstanceReader", {
    provides: Caller,
    failure: Schema.Union(noReader("kyc:instances:read"), roleForbidden)
  }),
  byKeyOrDashboard(
    "For platform API keys with the scope `kyc:instances:read`, and for signed-in viewers, members and owners."
  )
) {}
