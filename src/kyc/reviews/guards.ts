import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Schema } from "effect"
import { roleForbidden } from "../../accounts/guards.ts"
import { guard } from "../../http/contract/guard.ts"
import { byKeyOrDashboard, Caller, noReader } from "../sessions/guards.ts"

export class ReviewReader extends guard(
  HttpApiMiddleware.Tag<ReviewReader>()("ReviewReader", {
    provides: Caller,
    failure: noReader("kyc:reviews:read")
  }),
  byKeyOrDashboard("For platform API keys with the scope `kyc:reviews:read`, and for every signed-in user.")
) {}

export class ReviewDecider extends guard(
  HttpApiMiddleware.Tag<ReviewDecider>()("ReviewDecider", {
    provides: Caller,
    failure: Schema.Union(noReader("kyc:reviews:write"), roleForbidden)
  }),
  byKeyOrDashboard(
    "For platform API keys with the scope `kyc:reviews:write`, and for signed-in reviewers, members and owners."
  )
) {}
