import { Schema } from "effect"
import { user } from "../../accounts/guards.ts"
import { fails, tooManyRequests } from "../../http/contract/error-responses.ts"
import {
  characters,
  integer,
  optional,
  optionalNullable,
  refusing,
  storable,
  storableObject
} from "../../http/contract/fields.ts"
import { withCode } from "../../http/contract/rejects.ts"
import { created, route, routeGroup } from "../../http/contract/routes.ts"
import { key } from "../../keys/guards.ts"
import { InstanceForbidden, InstanceNotFound, isRedirectUrl } from "../instances/model.ts"
import { CreationKeyReused, DevModeRefused } from "./errors.ts"
import { examples } from "./examples.ts"
import { CreatedSession, Mode } from "./model.ts"

/** The maximum size of a session's metadata as JSON: 16 KiB. */
const maxMetadataBytes = 16_384

const instanceRequired = "instanceKey or instanceId is required"

const InstanceName = refusing(Schema.String, instanceRequired)

export const ExternalReference = refusing(
  characters(0, 255),
  "externalReference must be a string of at most 255 characters"
).pipe(storable("externalReference"))

const redirectUrl = (field: string, after: string) =>
  optionalNullable(
    refusing(
      Schema.String.pipe(Schema.filter(isRedirectUrl, { jsonSchema: { format: "uri", maxLength: 2048 } })),
      `${field} must be an http or https URL`
    )
  ).annotations({
    description: `Where the end user goes ${after}. Default: the instance's, or else doorlock's result page.`
  })

const CreateSession = Schema.Struct({
  instanceKey: optionalNullable(InstanceName.pipe(storable("instanceKey"))).annotations({
    description:
      "The instance's `public_key`. Required without `instanceId`; if both are given, they must name the same instance."
  }),
  instanceId: optionalNullable(InstanceName).annotations({
    description: "The instance's id, in place of `instanceKey`."
  }),
  externalReference: optionalNullable(ExternalReference).annotations({
    description:
      "Your own name for the session, such as a customer number. It need not be unique, and is stored in plain text: put no personal data into it."
  }),
  expiresInSeconds: optionalNullable(integer("expiresInSeconds", 1, 2_592_000)).annotations({
    description: "The session's lifetime. Default: 3600."
  }),
  successRedirectUrl: redirectUrl("successRedirectUrl", "after the status `completed`"),
  failureRedirectUrl: redirectUrl("failureRedirectUrl", "after the status `failed` or `cancelled`"),
  metadata: optionalNullable(
    storableObject("metadata", maxMetadataBytes, "metadata must be an object or null")
  ).annotations({
    description:
      "Your own data, of at most 16 KiB as JSON. doorlock returns it, to the end user, too, and does not read it."
  }),
  mode: optionalNullable(refusing(Mode, "mode must be prod or dev")).annotations({
    description:
      "`prod`: a real verification. `dev`: a test, which the installation must allow. Default: `prod`."
  })
})
  .pipe(
    Schema.filter(({ instanceId = "", instanceKey = "" }) => instanceId !== "" || instanceKey !== "", {
      message: () => instanceRequired,
      ...withCode("instance-required")
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
          "A random value, such as a UUID, for each new session; repeat it to retry the request. The session's token is derived from " +
          "it, so it must not be guessable. It must not contain personal data."
      }
    })
  ),
  "Idempotency-Key header must be at most 255 visible ASCII characters",
  "idempotency-key-invalid"
)

export const SessionCreated = Schema.Struct({
  session: CreatedSession,
  verificationUrl: Schema.String.annotations({ description: "Where to send the end user." }),
  sessionToken: Schema.String.annotations({
    description: "The session's secret token. Only a retry with the same Idempotency-Key returns it again."
  })
}).annotations({ identifier: "KycSessionCreated" })

const devModeRefused = fails(DevModeRefused, 400, "dev mode is not allowed on this environment")
const instanceNotFound = fails(InstanceNotFound, 404, "Instance not found")

/** Creates sessions for the partner's server (contract.md#kyc-sessions). */
export class SessionCreationApi extends routeGroup(
  "kyc-session-creation",
  {
    title: "KYC session creation",
    description: "The partner's server creates a session and sends the end user to its `verificationUrl`.",
    access: key("kyc:sessions:create"),
    examples
  },
  route("create", "POST /api/kyc/public/sessions", {
    summary: "Create a session",
    description:
      "With an `Idempotency-Key` it is safe to retry: for 24 hours, the same key and body from the same company return the " +
      "same session and token.",
    headers: Schema.Struct({ "idempotency-key": optional(IdempotencyKey) }),
    body: CreateSession,
    success: created(SessionCreated),
    responseHeaders: {
      "Idempotent-Replayed": {
        description: "`true` if the session was created by an earlier request with the same Idempotency-Key."
      }
    },
    errors: [
      devModeRefused,
      fails(InstanceForbidden, 403, "API key is not allowed for this instance"),
      instanceNotFound,
      fails(CreationKeyReused, 422, "Idempotency-Key was used with a different request", {
        code: "idempotency-key-reused"
      })
    ],
    unexpected: "Failed to create session"
  })
) {}

/** Sessions for trying out an instance, without a platform key. */
export class TestSessionsApi extends routeGroup(
  "kyc-test-sessions",
  {
    title: "KYC test sessions",
    description:
      "For dashboard users who test an instance. The installation must allow sessions with the mode `dev`.",
    access: user("write"),
    examples: { create: examples.createTest }
  },
  route("create", "POST /api/kyc/instances/:id/test-session", {
    summary: "Create a test session for an instance",
    description: "The session expires after one hour. For a disabled instance, the response is 404.",
    ids: { id: "the KYC instance" },
    success: created(SessionCreated),
    errors: [devModeRefused, instanceNotFound, tooManyRequests],
    unexpected: "Failed to create test session"
  })
) {}
