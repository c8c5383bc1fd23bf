import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { answers, fails } from "../../http/contract/answers.ts"
import {
  idOf,
  optional,
  refusing,
  required,
  storableObject,
  unstorableJson
} from "../../http/contract/fields.ts"
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

const messages = {
  token: "token is required",
  carry: "carry must be an object",
  carryLarge: "carry is too large",
  secret: "secret is required",
  receipt: "receipt must be 32 to 128 letters, digits, - or _",
  code: "code must be two digits"
} as const

const filled = (message: string) => required(refusing(Schema.NonEmptyString, message), message)

const matching = (pattern: RegExp, message: string) =>
  required(refusing(Schema.String.pipe(Schema.pattern(pattern)), message), message)

const Token = filled(messages.token).annotations({ description: "The session's token." })
const Secret = filled(messages.secret).annotations({ description: "What follows `#handoff=` in the link." })
const Receipt = matching(/^[\w-]{32,128}$/, messages.receipt).annotations({
  description: "Random text that the device makes and keeps; by it alone it is known again."
})
const Code = matching(/^\d{2}$/, messages.code).annotations({
  description: "The two digits that the first device shows."
})

/** The maximum size of `carry` as JSON: 64 KiB, the same as for progress. */
const maxCarryBytes = 65_536

const Carry = storableObject("carry", messages.carry, {
  most: maxCarryBytes,
  tooLarge: messages.carryLarge
}).annotations({ description: "For the second device alone; kept encrypted until then, and no longer." })

const holderOfLink = "For whoever has the handoff's link, whose secret is `secret` in the body."

const BySession = Schema.Struct({ sessionId: idOf("the session") })
const ById = Schema.Struct({ sessionId: idOf("the session"), handoffId: idOf("the handoff") })

const notFound = fails(SessionNotFound, 404, "Session not found")
const finished = fails(SessionNotUpdatable, 409, "Session is not updatable")
const expired = fails(SessionExpired, 410, "Session expired")
const confirmed = fails(HandoffConfirmed, 409, "Handoff is already confirmed")
const handoffExpired = fails(HandoffExpired, 410, "Handoff expired")
const handoffCancelled = fails(HandoffCancelled, 410, "Handoff cancelled")

/** The first device's routes: it has the session's token (issue 3, point 6). */
export class HandoffsApi extends HttpApiGroup.make("kyc-handoffs")
  .add(
    HttpApiEndpoint.post("create", "/api/kyc/public/sessions/:sessionId/handoffs")
      .setPath(BySession)
      .setPayload(
        Schema.Struct({ token: Token, carry: optional(Carry) }).annotations({
          identifier: "CreateKycHandoff"
        })
      )
      .addSuccess(
        Schema.Struct({
          handoff: Handoff,
          url: Schema.String.annotations({
            description: "What the second device opens. It is shown here and never again."
          })
        }),
        { status: 201 }
      )
      .addError(fails(HandoffDisabled, 403, "Handoff is not enabled"))
      .addError(notFound)
      .addError(finished)
      .addError(expired)
      .addError(fails(TooManyHandoffs, 429, "Too many handoffs"))
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Begin to hand a session off to another device")
      .annotate(
        OpenApi.Description,
        "The link works for ten minutes, and a new one takes the place of the one before it. A session may have 20 of them."
      )
      .pipe(
        answers({
          caller: holderOfSessionToken,
          example: examples.create,
          rejects: [messages.token, messages.carry, unstorableJson("carry"), messages.carryLarge],
          unexpected: "Failed to create handoff",
          anyOrigin: true
        })
      )
  )
  .add(
    HttpApiEndpoint.get("follow", "/api/kyc/public/sessions/:sessionId/handoffs/:handoffId")
      .setPath(ById)
      .setUrlParams(Schema.Struct({ token: Token }))
      .addSuccess(Schema.Struct({ handoff: FollowedHandoff }))
      .addError(notFound)
      .addError(expired)
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Read how a handoff stands")
      .annotate(
        OpenApi.Description,
        "Once it is claimed it carries the code to show, and what device has claimed it. Ask every two seconds."
      )
      .pipe(
        answers({
          caller: holderOfSessionToken,
          example: examples.follow,
          rejects: [messages.token],
          unexpected: "Failed to get handoff",
          anyOrigin: true
        })
      )
  )
  .add(
    HttpApiEndpoint.post("cancel", "/api/kyc/public/sessions/:sessionId/handoffs/:handoffId/cancel")
      .setPath(ById)
      .setPayload(Schema.Struct({ token: Token }).annotations({ identifier: "CancelKycHandoff" }))
      .addSuccess(Ok)
      .addError(notFound)
      .addError(confirmed)
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Cancel a handoff that has not been confirmed")
      .pipe(
        answers({
          caller: holderOfSessionToken,
          example: examples.cancel,
          rejects: [messages.token],
          unexpected: "Failed to cancel handoff",
          anyOrigin: true
        })
      )
  )
  .annotate(OpenApi.Title, "KYC handoffs")
  .annotate(
    OpenApi.Description,
    "A session that goes on on another device: what the first one does, by the session's token."
  ) {}

/** The second device's routes: it has the link. */
export class HandoffLinksApi extends HttpApiGroup.make("kyc-handoff-links")
  .add(
    HttpApiEndpoint.post("inspect", "/api/kyc/public/sessions/:sessionId/handoff-links/inspect")
      .setPath(BySession)
      .setPayload(Schema.Struct({ secret: Secret }).annotations({ identifier: "InspectKycHandoff" }))
      .addSuccess(Schema.Struct({ handoff: Handoff, session: OfferedSession }))
      .addError(notFound)
      .addError(finished)
      .addError(expired)
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Read whose session a link is about")
      .annotate(
        OpenApi.Description,
        "Changes nothing. It is a POST so that the secret stands in no address. Nothing of the session's person is told."
      )
      .pipe(
        answers({
          caller: holderOfLink,
          example: examples.inspect,
          rejects: [messages.secret],
          unexpected: "Failed to get handoff",
          anyOrigin: true
        })
      )
  )
  .add(
    HttpApiEndpoint.post("claim", "/api/kyc/public/sessions/:sessionId/handoff-links/claim")
      .setPath(BySession)
      .setPayload(
        Schema.Struct({ secret: Secret, receipt: Receipt }).annotations({ identifier: "ClaimKycHandoff" })
      )
      .addSuccess(Schema.Struct({ handoff: Handoff }))
      .addError(notFound)
      .addError(finished)
      .addError(fails(HandoffClaimed, 409, "Handoff is already claimed"))
      .addError(expired)
      .addError(handoffExpired)
      .addError(handoffCancelled)
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Claim a handoff for this device")
      .annotate(
        OpenApi.Description,
        "The first device that does so has it; the same device, which is known by its `receipt`, may do it again."
      )
      .pipe(
        answers({
          caller: holderOfLink,
          example: examples.claim,
          rejects: [messages.secret, messages.receipt],
          unexpected: "Failed to claim handoff",
          anyOrigin: true
        })
      )
  )
  .add(
    HttpApiEndpoint.post("confirm", "/api/kyc/public/sessions/:sessionId/handoff-links/confirm")
      .setPath(BySession)
      .setPayload(
        Schema.Struct({ secret: Secret, receipt: Receipt, code: Code }).annotations({
          identifier: "ConfirmKycHandoff"
        })
      )
      .addSuccess(
        Schema.Struct({
          handoff: Handoff,
          sessionToken: Schema.String.annotations({
            description: "The secret of the session, given out once."
          }),
          carry: JsonObject
        })
      )
      .addError(fails(WrongMatchingCode, 403, "Wrong code"))
      .addError(notFound)
      .addError(finished)
      .addError(fails(HandoffNotClaimed, 409, "Handoff is not claimed by this device"))
      .addError(confirmed)
      .addError(expired)
      .addError(handoffExpired)
      .addError(handoffCancelled)
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Take the session over, with the code that the first device shows")
      .annotate(OpenApi.Description, "There is one try: a wrong code ends the handoff.")
      .pipe(
        answers({
          caller: holderOfLink,
          example: examples.confirm,
          rejects: [messages.secret, messages.receipt, messages.code],
          unexpected: "Failed to confirm handoff",
          anyOrigin: true
        })
      )
  )
  .annotate(OpenApi.Title, "KYC handoff links")
  .annotate(
    OpenApi.Description,
    "A session that goes on on another device: what the second one does, by the secret of the link."
  ) {}
