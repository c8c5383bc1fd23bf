import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Context, Schema } from "effect"
import { crossSite } from "../accounts/guards.ts"
import { guard } from "../http/contract/guard.ts"
import { noValidKey, platformKey } from "../keys/guards.ts"
import type { VerifiedKey } from "../keys/model.ts"

/** The platform key behind a request. */
export class CallingKey extends Context.Tag("CallingKey")<CallingKey, VerifiedKey>() {}

/** Requires a platform key, whatever its scopes. Refuses pages of other sites, as MCP demands. */
export class Agent extends guard(
  HttpApiMiddleware.Tag<Agent>()("Agent", {
    provides: CallingKey,
    failure: Schema.Union(crossSite, noValidKey)
  }),
  {
    credentials: [platformKey],
    who: "For platform API keys. The scopes of the key decide which tools it has.",
    companyOf: ({ companyId }) => companyId
  }
) {}
