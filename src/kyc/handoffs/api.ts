import { Schema } from "effect"
import { fails } from "../../http/contract/answers.ts"
import { filled, optional, required, storableObject } from "../../http/contract/fields.ts"
import { route, routeGroup } from "../../http/contract/routes.ts"
import { tooManyRequests } from "../../http/contract/too-many-requests.ts"
import { JsonObject, Ok } from "../../model.ts"
import { SessionExpired, SessionNotFound, SessionNotUpdatable } from "../sessions/errors.ts"
import { holderOfSessionToken } from "../sessions/guards.ts"
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

const Token = required(filled("token")).annotations({ description: "The session's token." })
const Secret = required(filled("secret")).annotations({
  description: "What follows `#handoff=` in the link."
})
const Receipt = matching(/^[\w-]{32,128}$/, "receipt must be 32 to 128 letters, digits, - or _").annotations({
  description: "Random text that the device makes and keeps; by it alone it is known again."
})
const Code = matching(/^\d{2}$/, "code must be two digits").annotations({
  description: "The two digits that the first device shows."
})

/** The maximum size of `carry` as JSON: 64 KiB, the same as for progress. */
const maxCarryBytes = 65_536

const Carry = storableObject("carry", maxCarryBytes).annotations({
  description: "For the second device alone; kept encrypted until then, and no longer."
})

const holderOfLink = "For whoever has the handoff's link, whose secret is `secret` in the body."

const notFound = fails(SessionNotFound, 404, "Session not found")
const finished = fails(SessionNotUpdatable, 409, "Session is not updatable")
const expired = fails(SessionExpired, 410, "Session expired")
const confirmed = fails(HandoffConfirmed, 409, "Handoff is already confirmed")
const handoffExpired = fails(HandoffExpired, 410, "Handoff expired")
const handoffCancelled = fails(HandoffCancelled, 410, "Handoff cancelled")

/** The first device's routes: it has the session's token (issue 3, point 6). */
export class HandoffsApi extends routeGroup(
  "kyc-handoffs",
  {
    title: "KYC handoffs",
    description: "A session that goes on on another device: what the first one does, by the session's token.",
    caller: holderOfSessionToken,
    anyOrigin: true,
    examples
  },
  route("create", "POST /api/kyc/public/sessions/:sessionId/handoffs", {
    summary: "Begin to hand a session off to another device",
    description:
      "The link works for ten minutes, and a new one takes the place of the one before it. A session may have 20 of them.",
    ids: { sessionId: "the session" },
    body: Schema.Struct({ token: Token, carry: optional(Carry) }).annotations({
      identifier: "CreateKycHandoff"
    }),
    success: Schema.Struct({
      handoff: Handoff,
      url: Schema.String.annotations({
        description: "What the second device opens. It is shown here and never again."
      })
    }),
    status: 201,
    errors: [
      fails(HandoffDisabled, 403, "Handoff is not enabled"),
      notFound,
      finished,
      expired,
      fails(TooManyHandoffs, 429, "Too many handoffs"),
      tooManyRequests
    ],
    unexpected: "Failed to create handoff"
  }),
  route("follow", "GET /api/kyc/public/sessions/:sessionId/handoffs/:handoffId", {
    summary: "Read how a handoff stands",
    description:
      "Once it is claimed it carries the code to show, and what device has claimed it. Ask every two seconds.",
    ids: { sessionId: "the session", handoffId: "the handoff" },
    query: Schema.Struct({ token: Token }),
    success: Schema.Struct({ handoff: FollowedHandoff }),
    errors: [notFound, expired, tooManyRequests],
    unexpected: "Failed to get handoff"
  }),
  route("cancel", "POST /api/kyc/public/sessions/:sessionId/handoffs/:handoffId/cancel", {
    summary: "Cancel a handoff that has not been confirmed",
    ids: { sessionId: "the session", handoffId: "the handoff" },
    body: Schema.Struct({ token: Token }).annotations({ identifier: "CancelKycHandoff" }),
    success: Ok,
    errors: [notFound, confirmed, tooManyRequests],
    unexpected: "Failed to cancel handoff"
  })
) {}

/** The second device's routes: it has the link. */
export class HandoffLinksApi extends routeGroup(
  "kyc-handoff-links",
  {
    title: "KYC handoff links",
    description:
      "A session that goes on on another device: what the second one does, by the secret of the link.",
    caller: holderOfLink,
    anyOrigin: true,
    examples
  },
  route("inspect", "POST /api/kyc/public/sessions/:sessionId/handoff-links/inspect", {
    summary: "Read whose session a link is about",
    description:
      "Changes nothing. It is a POST so that the secret stands in no address. Nothing of the session's person is told.",
    ids: { sessionId: "the session" },
    body: Schema.Struct({ secret: Secret }).annotations({ identifier: "InspectKycHandoff" }),
    success: Schema.Struct({ handoff: Handoff, session: OfferedSession }),
    errors: [notFound, finished, expired, tooManyRequests],
    unexpected: "Failed to get handoff"
  }),
  route("claim", "POST /api/kyc/public/sessions/:sessionId/handoff-links/claim", {
    summary: "Claim a handoff for this device",
    description:
      "The first device that does so has it; the same device, which is known by its `receipt`, may do it again.",
    ids: { sessionId: "the session" },
    body: Schema.Struct({ secret: Secret, receipt: Receipt }).annotations({ identifier: "ClaimKycHandoff" }),
    success: Schema.Struct({ handoff: Handoff }),
    errors: [
      notFound,
      finished,
      fails(HandoffClaimed, 409, "Handoff is already claimed"),
      expired,
      handoffExpired,
      handoffCancelled,
      tooManyRequests
    ],
    unexpected: "Failed to claim handoff"
  }),
  route("confirm", "POST /api/kyc/public/sessions/:sessionId/handoff-links/confirm", {
    summary: "Take the session over, with the code that the first device shows",
    description: "There is one try: a wrong code ends the handoff.",
    ids: { sessionId: "the session" },
    body: Schema.Struct({ secret: Secret, receipt: Receipt, code: Code }).annotations({
      identifier: "ConfirmKycHandoff"
    }),
    success: Schema.Struct({
      handoff: Handoff,
      sessionToken: Schema.String.annotations({
        description: "The secret of the session, given out once."
      }),
      carry: JsonObject
    }),
    errors: [
      fails(WrongMatchingCode, 403, "Wrong code"),
      notFound,
      finished,
      fails(HandoffNotClaimed, 409, "Handoff is not claimed by this device"),
      confirmed,
      expired,
      handoffExpired,
      handoffCancelled,
      tooManyRequests
    ],
    unexpected: "Failed to confirm handoff"
  })
) {}
