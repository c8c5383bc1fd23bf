import { Schema } from "effect"
import { fails, tooManyRequests } from "../../http/contract/error-responses.ts"
import { required } from "../../http/contract/fields.ts"
import { route, routeGroup, unguarded } from "../../http/contract/routes.ts"
import {
  holderOfSessionToken,
  SessionToken,
  sessionExpired,
  sessionNotFound,
  sessionNotUpdatable
} from "../sessions/guards.ts"
import { examples } from "./examples.ts"
import { Sighting, TooManyDedupChecks } from "./model.ts"

const CheckDedup = Schema.Struct({
  token: SessionToken,
  keyHash: required(
    Schema.String.pipe(Schema.pattern(/^[0-9A-Fa-f]{64}$/)),
    "keyHash must be a sha256 hex string"
  ).annotations({
    description:
      "A SHA-256 in hex, which the browser makes from what identifies the document or person. Only a keyed hash of it is stored."
  })
}).annotations({ identifier: "CheckDedup" })

/** Whether the same document or person was seen in another session (contract.md#dedup). */
export class DedupApi extends routeGroup(
  "kyc-dedup",
  {
    title: "KYC deduplication",
    description: "Checks whether the same document or person appeared in another session of the company.",
    access: unguarded(holderOfSessionToken),
    anyOrigin: true,
    examples
  },
  route("check", "POST /api/kyc/public/sessions/:sessionId/dedup-check", {
    summary: "Check for duplicates: record a key hash, and learn whether another session has it",
    description:
      "Compares sessions of the same company and mode. Repeating a check in the same session changes nothing, and a session never matches itself. A session may check at most 20 different hashes, and none once it is redacted.",
    ids: { sessionId: "the session" },
    body: CheckDedup,
    success: Schema.Struct({ ok: Schema.Literal(true), ...Sighting.fields }),
    errors: [
      sessionNotFound,
      sessionExpired,
      sessionNotUpdatable,
      fails(TooManyDedupChecks, 429, "Too many dedup checks"),
      tooManyRequests
    ],
    unexpected: "Failed to check dedup"
  })
) {}
