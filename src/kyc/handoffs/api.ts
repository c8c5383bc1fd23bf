import { Schema } from "effect"
import { fails, tooManyRequests } from "../../http/contract/error-responses.ts"
import { filled, optional, required, storableObject } from "../../http/contract/fields.ts"
import { created, route, routeGroup, unguarded } from "../../http/contract/routes.ts"
import { JsonObject, Ok } from "../../shared/schemas.ts"
import {
  holderOfSessionToken,
  SessionToken,
  sessionExpired,
  sessionNotFound,
  sessionNotUpdatable
} from "../sessions/guards.ts"
import {
  HandoffCancelled,
  HandoffClaimed,
  HandoffConfirmed,
  HandoffDisabled,
  HandoffExpired,
  HandoffNotClaimed,
  TooManyHandoffs,
  WrongMatchingCode
} from "./errors.ts"
import { examples } from "./examples.ts"
import { FollowedHandoff, Handoff, OfferedSession } from "./model.ts"

const matching = (pattern: RegExp, message: string) =>
  required(Schema.String.pipe(Schema.pattern(pattern)), message)

const Secret = required(filled("secret")).annotations({
  description: "The part of the link after `#handoff=`."
})
const Receipt = matching(/^[\w-]{32,128}$/, "receipt must be 32 to 128 letters, digits, - or _").annotations({
  description: "Random text that the device generates and keeps; it identifies the device."
})
const Code = matching(/^\d{2}$/, "code must be two digits").annotations({
  description: "The two digits that the first device shows."
})

/** The maximum size of `carry` as JSON: 64 KiB, the same as for progress. */
const maxCarryBytes = 65_536

const Carry = optional(storableObject("carry", maxCarryBytes)).annotations({
  description: "Data for the second device only, of at most 64 KiB; stored encrypted until the handoff ends."
})

const confirmed = fails(HandoffConfirmed, 409, "Handoff is already confirmed")
const handoffExpired = fails(HandoffExpired, 410, "Handoff expired")
const handoffCancelled = fails(HandoffCancelled, 410, "Handoff cancelled")

/** The first device's routes: it has the session's token. */
export class HandoffsApi extends routeGroup(
  "kyc-handoffs",
  {
    title: "KYC handoffs",
    description:
      "Continue a session on another device: the routes of the first device, which has the session's token.",
    access: unguarded(holderOfSessionToken),
    anyOrigin: true,
    examples
  },
  route("create", "POST /api/kyc/public/sessions/:sessionId/handoffs", {
    summary: "Start a handoff to another device",
    description:
      "The link works for ten minutes. A new link replaces the previous one. A session may have at most 20 handoffs.",
    ids: { sessionId: "the session" },
    body: Schema.Struct({ token: SessionToken, carry: Carry }).annotations({
      identifier: "CreateKycHandoff"
    }),
    success: created(
      Schema.Struct({
        handoff: Handoff,
        url: Schema.String.annotations({
          description: "The link for the second device. It is returned only once."
        })
      })
    ),
    errors: [
      fails(HandoffDisabled, 403, "Handoff is not enabled"),
      sessionNotFound,
      sessionNotUpdatable,
      sessionExpired,
      fails(TooManyHandoffs, 429, "Too many handoffs"),
      tooManyRequests
    ],
    unexpected: "Failed to create handoff"
  }),
  route("follow", "GET /api/kyc/public/sessions/:sessionId/handoffs/:handoffId", {
    summary: "Read the status of a handoff",
    description:
      "Once the handoff is claimed, the response has the code to show and the kind of device. Poll every two seconds.",
    ids: { sessionId: "the session", handoffId: "the handoff" },
    query: Schema.Struct({ token: SessionToken }),
    success: Schema.Struct({ handoff: FollowedHandoff }),
    errors: [sessionNotFound, sessionExpired, tooManyRequests],
    unexpected: "Failed to get handoff"
  }),
  route("cancel", "POST /api/kyc/public/sessions/:sessionId/handoffs/:handoffId/cancel", {
    summary: "Cancel a handoff that has not been confirmed",
    ids: { sessionId: "the session", handoffId: "the handoff" },
    body: Schema.Struct({ token: SessionToken }).annotations({ identifier: "CancelKycHandoff" }),
    success: Ok,
    errors: [sessionNotFound, confirmed, tooManyRequests],
    unexpected: "Failed to cancel handoff"
  })
) {}

export class HandoffLinksApi extends routeGroup(
  "kyc-handoff-links",
  {
    title: "KYC handoff links",
    description:
      "Continue a session on another device: the routes of the second device, which has the link's secret.",
    access: unguarded("For holders of the handoff's link: `secret` in the body is its secret."),
    anyOrigin: true,
    examples
  },
  route("inspect", "POST /api/kyc/public/sessions/:sessionId/handoff-links/inspect", {
    summary: "Inspect a link: read its handoff and session",
    description:
      "Changes nothing. It is a POST so that the secret is in no URL. The response contains no personal data.",
    ids: { sessionId: "the session" },
    body: Schema.Struct({ secret: Secret }).annotations({ identifier: "InspectKycHandoff" }),
    success: Schema.Struct({ handoff: Handoff, session: OfferedSession }),
    errors: [sessionNotFound, sessionNotUpdatable, sessionExpired, tooManyRequests],
    unexpected: "Failed to get handoff"
  }),
  route("claim", "POST /api/kyc/public/sessions/:sessionId/handoff-links/claim", {
    summary: "Claim a handoff for this device",
    description:
      "Only the first device can claim a handoff. The same device, identified by its `receipt`, may claim it again.",
    ids: { sessionId: "the session" },
    body: Schema.Struct({ secret: Secret, receipt: Receipt }).annotations({ identifier: "ClaimKycHandoff" }),
    success: Schema.Struct({ handoff: Handoff }),
    errors: [
      sessionNotFound,
      sessionNotUpdatable,
      fails(HandoffClaimed, 409, "Handoff is already claimed"),
      sessionExpired,
      handoffExpired,
      handoffCancelled,
      tooManyRequests
    ],
    unexpected: "Failed to claim handoff"
  }),
  route("confirm", "POST /api/kyc/public/sessions/:sessionId/handoff-links/confirm", {
    summary: "Confirm a handoff: take over the session with the code that the first device shows",
    description: "There is only one attempt: a wrong code ends the handoff.",
    ids: { sessionId: "the session" },
    body: Schema.Struct({ secret: Secret, receipt: Receipt, code: Code }).annotations({
      identifier: "ConfirmKycHandoff"
    }),
    success: Schema.Struct({
      handoff: Handoff,
      sessionToken: Schema.String.annotations({
        description: "The session's token. It is returned only once."
      }),
      carry: JsonObject.annotations({ description: "What the first device sent as `carry`; else empty." })
    }),
    errors: [
      fails(WrongMatchingCode, 403, "Wrong code"),
      sessionNotFound,
      sessionNotUpdatable,
      fails(HandoffNotClaimed, 409, "Handoff is not claimed by this device"),
      confirmed,
      sessionExpired,
      handoffExpired,
      handoffCancelled,
      tooManyRequests
    ],
    unexpected: "Failed to confirm handoff"
  })
) {}
