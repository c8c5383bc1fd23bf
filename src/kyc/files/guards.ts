/** Who may read files, as the contract states it; `http` authenticates the caller. */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Schema } from "effect"
import { roleForbidden } from "../../accounts/guards.ts"
import { guard } from "../../http/contract/guard.ts"
import { byKeyOrDashboard, Caller, noReader } from "../sessions/guards.ts"

/**
 * Requires a platform key with the scope `kyc:files:read`, or a dashboard session. For `original=true` it requires the scope
 * `kyc:files:original`, or the session of a member or an owner.
 */
export class FileReader extends guard(
  HttpApiMiddleware.Tag<FileReader>()("FileReader", {
    provides: Caller,
    failure: Schema.Union(noReader, roleForbidden)
  }),
  byKeyOrDashboard(
    "For platform API keys with the scope `kyc:files:read`, and for every signed-in user. With `original=true`: for platform API keys with the scope `kyc:files:original`, and for owners and members."
  )
) {}
