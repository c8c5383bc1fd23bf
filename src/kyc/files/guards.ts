import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Schema } from "effect"
import { roleForbidden } from "../../accounts/guards.ts"
import { guard } from "../../http/contract/guard.ts"
import { byKeyOrDashboard, Caller, noReader } from "../sessions/guards.ts"

export class FileReader extends guard(
  HttpApiMiddleware.Tag<FileReader>()("FileReader", {
    provides: Caller,
    failure: Schema.Union(noReader("kyc:files:read"), roleForbidden)
  }),
  byKeyOrDashboard(
    "For platform API keys with the scope `kyc:files:read`, and for every signed-in user. With `original=true`: for platform API keys with the scope `kyc:files:original`, and for owners and members."
  )
) {}
