import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { answers, fails } from "../../http/contract/answers.ts"
import { idOf, refusing, required } from "../../http/contract/fields.ts"
import { tooManyRequests } from "../../http/contract/too-many-requests.ts"
import { SessionExpired, SessionNotFound } from "../sessions/errors.ts"
import { holderOfSessionToken } from "../sessions/guards.ts"
import { TooManyDedupChecks } from "./errors.ts"
import { examples } from "./examples.ts"
import { isSha256Hex, Sighting } from "./model.ts"

const messages = {
  token: "token is required",
  keyHash: "keyHash must be a sha256 hex string"
} as const

const KeyHash = refusing(
  Schema.String.pipe(Schema.filter(isSha256Hex, { jsonSchema: { pattern: "^[0-9A-Fa-f]{64}$" } })),
  messages.keyHash
)

const CheckDedup = Schema.Struct({
  token: required(refusing(Schema.NonEmptyString, messages.token), messages.token),
  keyHash: required(KeyHash, messages.keyHash)
}).annotations({ identifier: "CheckDedup" })

/** Whether the same document or person was seen in another session (contract.md#dedup). */
export class DedupApi extends HttpApiGroup.make("kyc-dedup")
  .add(
    HttpApiEndpoint.post("check", "/api/kyc/public/sessions/:sessionId/dedup-check")
      .setPath(Schema.Struct({ sessionId: idOf("the session") }))
      .setPayload(CheckDedup)
      .addSuccess(Schema.Struct({ ok: Schema.Literal(true), ...Sighting.fields }))
      .addError(fails(SessionNotFound, 404, "Session not found"))
      .addError(fails(SessionExpired, 410, "Session expired"))
      .addError(fails(TooManyDedupChecks, 429, "Too many dedup checks"))
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Record a key hash and tell whether another session has it")
      .annotate(
        OpenApi.Description,
        "Scoped to the company and the mode. The same session again changes nothing and is never its own match. A session may check 20 different hashes."
      )
      .pipe(
        answers({
          caller: holderOfSessionToken,
          example: examples.check,
          rejects: [messages.token, messages.keyHash],
          unexpected: "Failed to check dedup",
          anyOrigin: true
        })
      )
  )
  .annotate(OpenApi.Title, "KYC deduplication")
  .annotate(
    OpenApi.Description,
    "Whether the same document or person was seen in another session of the company."
  ) {}
