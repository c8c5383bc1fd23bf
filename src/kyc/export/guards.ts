import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Schema } from "effect"
import { roleForbidden } from "../../accounts/guards.ts"
import { guard } from "../../http/contract/guard.ts"
import { byKeyOrDashboard, Caller, noReader } from "../sessions/guards.ts"

export class SessionExporter extends guard(
  HttpApiMiddleware.Tag<SessionExporter>()("SessionExporter", {
    provides: Caller,
    failure: Schema.Union(noReader("kyc:sessions:export"), roleForbidden)
  }),
  byKeyOrDashboard(
    "For platform API keys with the scope `kyc:sessions:export`, and for signed-in members and owners."
  )
) {}
