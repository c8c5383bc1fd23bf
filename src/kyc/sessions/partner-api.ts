import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { answers, fails } from "../../http/contract/answers.ts"
import {
  cursor,
  idOf,
  optional,
  optionalNullable,
  refusing,
  storableObject,
  trueOrFalse,
  unstorableJson,
  unstorableText,
  wholeNumber
} from "../../http/contract/fields.ts"
import { isStorableText } from "../../shared/storable.ts"
import { InstanceForbidden, InstanceNotFound } from "../instances/errors.ts"
import { isRedirectUrl } from "../instances/model.ts"
import { CreationKeyReused, DevModeRefused, SessionNotFound } from "./errors.ts"
import { examples } from "./examples.ts"
import { SessionCreator, SessionReader } from "./guards.ts"
import { CreatedSession, Mode, PartnerSession, Status } from "./model.ts"

const messages = {
  idempotencyKey: "Idempotency-Key header must be at most 255 visible ASCII characters",
  instance: "instanceKey or instanceId is required",
  externalReference: "externalReference must be a string of at most 255 characters",
  expiresInSeconds: "expiresInSeconds must be a whole number from 1 to 2592000",
  successRedirectUrl: "successRedirectUrl must be an http or https URL",
  failureRedirectUrl: "failureRedirectUrl must be an http or https URL",
  metadata: "metadata must be an object or null",
  metadataLarge: "metadata is too large",
  mode: "mode must be prod or dev",
  limit: "limit must be a whole number from 1 to 100",
  cursor: "cursor must be the next_cursor of another page",
  listStatus: "status must be one of created, running, completed, failed, cancelled",
  instanceId: "instanceId must be given once",
  expired: "expired must be true or false"
} as const

/** The maximum size of a session's metadata as JSON: 16 KiB. */
const maxMetadataBytes = 16_384

const InstanceName = refusing(Schema.String, messages.instance)

const InstanceKey = InstanceName.pipe(
  Schema.filter(isStorableText, { message: () => unstorableText("instanceKey") })
)

const ExternalReference = refusing(
  Schema.String.pipe(Schema.maxLength(255)),
  messages.externalReference
).pipe(Schema.filter(isStorableText, { jsonSchema: {}, message: () => unstorableText("externalReference") }))

const RedirectUrl = (message: string) =>
  refusing(
    Schema.String.pipe(Schema.filter(isRedirectUrl, { jsonSchema: { format: "uri", maxLength: 2048 } })),
    message
  )

const Metadata = storableObject("metadata", messages.metadata, {
  most: maxMetadataBytes,
  tooLarge: messages.metadataLarge
})

const CreateSession = Schema.Struct({
  instanceKey: optionalNullable(InstanceKey),
  instanceId: optionalNullable(InstanceName),
  externalReference: optionalNullable(ExternalReference),
  expiresInSeconds: optionalNullable(
    refusing(Schema.Int.pipe(Schema.between(1, 2_592_000)), messages.expiresInSeconds)
  ),
  successRedirectUrl: optionalNullable(RedirectUrl(messages.successRedirectUrl)),
  failureRedirectUrl: optionalNullable(RedirectUrl(messages.failureRedirectUrl)),
  metadata: optionalNullable(Metadata),
  mode: optionalNullable(refusing(Mode, messages.mode))
})
  .pipe(
    Schema.filter(({ instanceId = "", instanceKey = "" }) => instanceId !== "" || instanceKey !== "", {
      message: () => messages.instance
    })
  )
  .annotations({ identifier: "CreateKycSession" })

const IdempotencyKey = refusing(
  Schema.String.pipe(
    Schema.pattern(/^[\x21-\x7e]{1,255}$/, {
      jsonSchema: {
        minLength: 1,
        maxLength: 255,
        description:
          "A random value, such as a UUID, one for each session: the same again is the same request. The session's token derives from " +
          "it, so it must not be guessable, and it must hold no personal data."
      }
    })
  ),
  messages.idempotencyKey
)

/** A session with its token. */
export const SessionCreated = Schema.Struct({
  session: CreatedSession,
  verificationUrl: Schema.String.annotations({ description: "Where to send the end user." }),
  sessionToken: Schema.String.annotations({
    description:
      "The secret of the session. Only the same request with the same Idempotency-Key is told it again."
  })
}).annotations({ identifier: "KycSessionCreated" })

/** Creates sessions for the partner's server (contract.md#kyc-sessions). */
export class SessionCreationApi extends HttpApiGroup.make("kyc-session-creation")
  .add(
    HttpApiEndpoint.post("create", "/api/kyc/public/sessions")
      .setHeaders(Schema.Struct({ "idempotency-key": optional(IdempotencyKey) }))
      .setPayload(CreateSession)
      .addSuccess(SessionCreated, { status: 201 })
      .addError(fails(DevModeRefused, 400, "dev mode is not allowed on this environment"))
      .addError(fails(InstanceForbidden, 403, "API key is not allowed for this instance"))
      .addError(fails(InstanceNotFound, 404, "Instance not found"))
      .addError(
        fails(CreationKeyReused, 422, "Idempotency-Key was used with a different request", {
          code: "idempotency-key-reused"
        })
      )
      .annotate(OpenApi.Summary, "Create a session, with a platform key of scope kyc:sessions:create")
      .annotate(
        OpenApi.Description,
        "With an `Idempotency-Key` it is safe to be tried again: the same key and body are answered with the same session and token " +
          "for 24 hours, within the company."
      )
      .pipe(
        answers({
          example: examples.create,
          rejects: [
            { message: messages.idempotencyKey, code: "idempotency-key-invalid" },
            unstorableText("instanceKey"),
            messages.externalReference,
            unstorableText("externalReference"),
            messages.expiresInSeconds,
            messages.successRedirectUrl,
            messages.failureRedirectUrl,
            messages.metadata,
            unstorableJson("metadata"),
            messages.metadataLarge,
            messages.mode,
            { message: messages.instance, code: "instance-required" }
          ],
          headers: {
            "Idempotent-Replayed": {
              description:
                "`true` where the session was made by an earlier request with the same Idempotency-Key."
            }
          },
          unexpected: "Failed to create session"
        })
      )
  )
  .middleware(SessionCreator)
  .annotate(OpenApi.Title, "KYC session creation")
  .annotate(
    OpenApi.Description,
    "The partner's server creates a session and sends the end user to its `verificationUrl`."
  ) {}

const ListSessions = Schema.Struct({
  limit: Schema.optionalWith(
    wholeNumber(1, 100, messages.limit, "The most that are listed. By default 20."),
    { default: () => 20 }
  ),
  cursor: optional(cursor(messages.cursor)),
  status: optional(
    refusing(Status.annotations({ description: "Only sessions in this state." }), messages.listStatus)
  ),
  externalReference: optional(
    ExternalReference.annotations({ description: "Only sessions with exactly this reference." })
  ),
  instanceId: optional(
    refusing(
      Schema.String.annotations({ description: "Only sessions of the KYC instance with this id." }),
      messages.instanceId
    )
  ),
  expired: optional(
    trueOrFalse(messages.expired, "`true`: only sessions that have expired. `false`: only the others.")
  )
})

/** The company's own view of its sessions, also after they have expired. */
export class PartnerSessionsApi extends HttpApiGroup.make("kyc-partner-sessions")
  .add(
    HttpApiEndpoint.get("list", "/api/kyc/sessions")
      .setUrlParams(ListSessions)
      .addSuccess(
        Schema.Struct({ sessions: Schema.Array(PartnerSession), next_cursor: Schema.NullOr(Schema.String) })
      )
      .annotate(OpenApi.Summary, "List the company's sessions, newest first")
      .annotate(
        OpenApi.Description,
        "There are more while `next_cursor` is not null: a page of large sessions may hold fewer than `limit`. A session has expired when " +
          "its `expires_at` has passed before it was finished; its `status` stays `created` or `running`. `expired=true` lists only such " +
          "sessions, and `expired=false` all others."
      )
      .pipe(
        answers({
          example: examples.list,
          rejects: [
            messages.limit,
            messages.cursor,
            messages.listStatus,
            messages.externalReference,
            unstorableText("externalReference"),
            messages.instanceId,
            messages.expired
          ],
          unexpected: "Failed to list sessions"
        })
      )
  )
  .add(
    HttpApiEndpoint.get("get", "/api/kyc/sessions/:id")
      .setPath(Schema.Struct({ id: idOf("the session") }))
      .addSuccess(Schema.Struct({ session: PartnerSession }))
      .addError(fails(SessionNotFound, 404, "Session not found"))
      .annotate(OpenApi.Summary, "Read a session with what the server knows of it")
      .pipe(answers({ example: examples.get, unexpected: "Failed to get session" }))
  )
  .middleware(SessionReader)
  .annotate(OpenApi.Title, "KYC sessions, for the partner's server")
  .annotate(
    OpenApi.Description,
    "The company's own view of its sessions, with what the server itself knows of them. It works after they expired."
  ) {}
