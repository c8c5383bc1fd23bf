import { Schema } from "effect"
import { anybody, fails, tooManyRequests } from "../../http/contract/error-responses.ts"
import { route, routeGroup, unguarded } from "../../http/contract/routes.ts"
import { holderOfSessionToken, SessionToken, sessionExpired, sessionNotFound } from "../sessions/guards.ts"
import { SessionNotFinished } from "./receipt-model.ts"

const token = "kyc_sess_ffOX0000000000000000000000000000000000000000000000000"

const key = {
  kty: "OKP",
  crv: "Ed25519",
  x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  kid: "01a1f8d8-3b1e-7c4a-9d52-6f0e8b7a4c13",
  use: "sig",
  alg: "EdDSA"
}

const examples = {
  issue: { request: { token }, response: { receipt: "eyJhbGciOiJFZERTQSJ9.eyJ2IjoxfQ.c2lnbmF0dXJl" } },
  keys: { response: { keys: [key] } }
}

const IssueReceipt = Schema.Struct({
  token: SessionToken
}).annotations({ identifier: "IssueKycReceipt" })

/** Receipts for end users. */
export class ReceiptsApi extends routeGroup(
  "kyc-receipts",
  {
    title: "KYC receipts",
    description:
      "Proof for the end user: who asked for their data and why, which kinds of data they handed over, and how long it is kept.",
    access: unguarded(holderOfSessionToken),
    anyOrigin: true,
    examples: { issue: examples.issue }
  },
  route("issue", "POST /api/kyc/public/sessions/:sessionId/receipt", {
    summary: "Get the receipt of a finished session",
    description:
      "A compact JWS (RFC 7515), signed with ed25519 by a key of `/.well-known/doorlock-receipts.json`. Its payload is JSON and contains " +
      "none of the data that were handed over. `bun cli receipt verify` and the page `/receipt` check it.",
    ids: { sessionId: "the session" },
    body: IssueReceipt,
    success: Schema.Struct({
      receipt: Schema.String.annotations({
        description: "A compact JWS: three base64url parts, joined by dots."
      })
    }),
    errors: [
      sessionNotFound,
      fails(SessionNotFinished, 409, "Session is not finished"),
      sessionExpired,
      tooManyRequests
    ],
    unexpected: "Failed to issue receipt"
  })
) {}

const PublicKey = Schema.Struct({
  kty: Schema.Literal("OKP"),
  crv: Schema.Literal("Ed25519"),
  x: Schema.String.annotations({ description: "The public key, in base64url." }),
  kid: Schema.String.annotations({ description: "The key's id, which the header of a receipt names." }),
  use: Schema.Literal("sig"),
  alg: Schema.Literal("EdDSA")
}).annotations({ identifier: "ReceiptKey", description: "An ed25519 key as a JWK (RFC 8037)." })

export class ReceiptKeysApi extends routeGroup(
  "kyc-receipt-keys",
  {
    title: "KYC receipt keys",
    description: "The public keys that verify receipts, including keys that no longer sign.",
    access: unguarded(anybody),
    anyOrigin: true,
    examples: { list: examples.keys }
  },
  route("list", "GET /.well-known/doorlock-receipts.json", {
    summary: "List the public keys of receipts, as a JWK set (RFC 7517)",
    success: Schema.Struct({ keys: Schema.Array(PublicKey) }),
    unexpected: "Failed to list receipt keys"
  })
) {}
