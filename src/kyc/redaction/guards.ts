import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Schema } from "effect"
import { roleForbidden } from "../../accounts/guards.ts"
import { guard } from "../../http/contract/guard.ts"
import { byKeyOrDashboard, Caller, noReader } from "../sessions/guards.ts"

export class SessionRedactor extends guard(
  HttpApiMiddleware.Tag<SessionRedactor>()("SessionRedactor", {
    provides: Caller,
    failure: Schema.Union(noReader("kyc:sessions:redact"), roleForbidden)
  }),
  byKeyOrDashboard("For platform API keys with the scope `kyc:sessions:redact`, and for owners.")
) {}
