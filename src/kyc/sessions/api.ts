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
  storableValue,
  unstorableJson
} from "../../http/contract/fields.ts"
import { tooManyRequests } from "../../http/contract/too-many-requests.ts"
import { Timestamp } from "../../model.ts"
import { ProgressTooLarge, SessionExpired, SessionNotFound, SessionNotUpdatable } from "./errors.ts"
import { examples } from "./examples.ts"
import { holderOfSessionToken } from "./guards.ts"
import { Session, Status } from "./model.ts"

const messages = {
  token: "token is required",
  progress: "progress must be an object",
  progressStatus: "status must be one of created, running, failed, cancelled",
  resultLarge: "result is too large",
  completeStatus: "status must be one of completed, failed, cancelled"
} as const

/** The session's token, which every route of the end user's browser requires. */
const Token = required(refusing(Schema.NonEmptyString, messages.token), messages.token).annotations({
  description: "The session's token."
})

const BySession = Schema.Struct({ sessionId: idOf("the session") })

const UpdateProgress = Schema.Struct({
  token: Token,
  progress: optional(storableObject("progress", messages.progress)),
  status: optional(
    refusing(Schema.Literal("created", "running", "failed", "cancelled"), messages.progressStatus)
  )
}).annotations({ identifier: "UpdateKycProgress" })

/** The maximum size of a result as JSON: 1 MiB. */
const maxResultBytes = 1_048_576

const Result = storableValue("result", { most: maxResultBytes, tooLarge: messages.resultLarge })

const CompleteSession = Schema.Struct({
  token: Token,
  result: optional(Result),
  status: optional(refusing(Schema.Literal("completed", "failed", "cancelled"), messages.completeStatus))
}).annotations({ identifier: "CompleteKycSession" })

const notFound = fails(SessionNotFound, 404, "Session not found")
const expired = fails(SessionExpired, 410, "Session expired")

/** The routes for the end user's browser; the session token is the credential. */
export class BrowserSessionsApi extends HttpApiGroup.make("kyc-sessions")
  .add(
    HttpApiEndpoint.get("read", "/api/kyc/public/sessions/:sessionId")
      .setPath(BySession)
      .setUrlParams(Schema.Struct({ token: Token }))
      .addSuccess(Schema.Struct({ session: Session }))
      .addError(notFound)
      .addError(expired)
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Read a session")
      .pipe(
        answers({
          caller: holderOfSessionToken,
          example: examples.read,
          rejects: [messages.token],
          unexpected: "Failed to get session",
          anyOrigin: true
        })
      )
  )
  .add(
    HttpApiEndpoint.post("progress", "/api/kyc/public/sessions/:sessionId/progress")
      .setPath(BySession)
      .setPayload(UpdateProgress)
      .addSuccess(
        Schema.Struct({
          ok: Schema.Literal(true),
          session: Schema.Struct({
            id: Schema.String,
            status: Status,
            started_at: Schema.NullOr(Timestamp),
            updated_at: Timestamp
          })
        })
      )
      .addError(notFound)
      .addError(fails(SessionNotUpdatable, 409, "Session is not updatable"))
      .addError(expired)
      .addError(fails(ProgressTooLarge, 413, "progress is too large"))
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Merge progress into a session and set its status")
      .annotate(
        OpenApi.Description,
        "`progress` is merged key by key at the top level; a key's last writer wins, and null is stored as null. All of it takes at most 64 KiB as Postgres writes jsonb."
      )
      .pipe(
        answers({
          caller: holderOfSessionToken,
          example: examples.progress,
          rejects: [
            messages.token,
            messages.progress,
            unstorableJson("progress"),
            { message: messages.progressStatus, code: "progress-status-invalid" }
          ],
          unexpected: "Failed to update progress",
          anyOrigin: true
        })
      )
  )
  .add(
    HttpApiEndpoint.post("complete", "/api/kyc/public/sessions/:sessionId/complete")
      .setPath(BySession)
      .setPayload(CompleteSession)
      .addSuccess(
        Schema.Struct({
          ok: Schema.Literal(true),
          session: Schema.Struct({ id: Schema.String, status: Status }),
          redirectUrl: Schema.String
        })
      )
      .addError(notFound)
      .addError(expired)
      .addError(tooManyRequests)
      .annotate(OpenApi.Summary, "Finish a session")
      .annotate(
        OpenApi.Description,
        "A session that is finished already is answered as it was finished, and nothing changes."
      )
      .pipe(
        answers({
          caller: holderOfSessionToken,
          example: examples.complete,
          rejects: [
            messages.token,
            unstorableJson("result"),
            messages.resultLarge,
            { message: messages.completeStatus, code: "completion-status-invalid" }
          ],
          unexpected: "Failed to complete session",
          anyOrigin: true
        })
      )
  )
  .annotate(OpenApi.Title, "KYC sessions")
  .annotate(
    OpenApi.Description,
    "What the end user's browser does with its session. The session token is the credential: `token` in the query of a GET, in the body of a POST."
  ) {}
