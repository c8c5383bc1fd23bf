import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Schema } from "effect"
import { roleForbidden } from "../../accounts/guards.ts"
import { guard } from "../../http/contract/guard.ts"
import { byKeyOrDashboard, Caller, noReader } from "../sessions/guards.ts"

export class FigureReader extends guard(
  HttpApiMiddleware.Tag<FigureReader>()("FigureReader", {
    provides: Caller,
    failure: Schema.Union(noReader("kyc:sessions:read"), roleForbidden)
  }),
  byKeyOrDashboard(
    "For platform API keys with the scope `kyc:sessions:read`, and for signed-in viewers, members and owners."
  )
) {}
