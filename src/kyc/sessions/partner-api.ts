import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { user } from "../../accounts/guards.ts"
import { fails, tooManyRequests } from "../../http/contract/error-responses.ts"
import {
  anyText,
  characters,
  integer,
  isoDate,
  NextCursor,
  optional,
  optionalNullable,
  pageCursor,
  pageLimit,
  refusing,
  storable,
  storableObject,
  trueOrFalse
} from "../../http/contract/fields.ts"
import { withCode } from "../../http/contract/rejects.ts"
import { created, route, routeGroup } from "../../http/contract/routes.ts"
import { key, keyOrUser } from "../../keys/guards.ts"
import { InstanceForbidden, InstanceNotFound, isRedirectUrl } from "../instances/model.ts"
import { ReviewStanding } from "../reviews/model.ts"
import { CreationKeyReused, DevModeRefused } from "./errors.ts"
import { examples } from "./examples.ts"
import { sessionNotFound } from "./guards.ts"
import { CheckedSession, CreatedSession, Included, ListedSession, ListOrder, Mode, Status } from "./model.ts"

/** The maximum size of a session's metadata as JSON: 16 KiB. */
const maxMetadataBytes = 16_384

const instanceRequired = "instanceKey or instanceId is required"

const InstanceName = refusing(Schema.String, instanceRequired)

const ExternalReference = refusing(
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

const filters = {
  status: optional(
    refusing(
      Status.annotations({ description: "Only sessions in this state." }),
      "status must be one of created, running, completed, failed, cancelled"
    )
  ),
  expired: trueOrFalse("expired", "`true`: only sessions that have expired. `false`: only the others."),
  instanceId: anyText("instanceId", "Only sessions of the KYC instance with this id."),
  externalReference: optional(
    ExternalReference.annotations({ description: "Only sessions with exactly this reference." })
  ),
  externalReferencePrefix: optional(
    refusing(
      characters(1, 255).annotations({
        description: "Only sessions whose reference begins with this text. They are then sorted by reference."
      }),
      "externalReferencePrefix must be a string of 1 to 255 characters"
    ).pipe(storable("externalReferencePrefix"))
  ),
  review: optional(
    refusing(
      ReviewStanding.annotations({
        description:
          "Only sessions whose review is `pending` (nobody has decided), `proposed` (a second person has to confirm), or ended with this decision."
      }),
      "review must be one of pending, proposed, approved, declined, resubmission"
    )
  ),
  flags: trueOrFalse("flags", "`true`: only sessions with flags. `false`: only the others."),
  from: optional(isoDate("from", "Only sessions created at this time or later.")),
  to: optional(isoDate("to", "Only sessions created before this time.")),
  order: Schema.optionalWith(
    refusing(
      ListOrder.annotations({
        description:
          "By default `newest` first. With `externalReferencePrefix`, `newest` sorts by descending references and `oldest` by ascending ones."
      }),
      "order must be oldest or newest"
    ),
    { default: () => "newest" as const }
  )
}

interface Period {
  readonly from?: Date
  readonly to?: Date
}

const inOrder = <A extends Period, I>(query: Schema.Schema<A, I>): Schema.Schema<A, I> =>
  query.pipe(
    Schema.filter(({ from, to }) => from === undefined || to === undefined || from <= to, {
      message: () => "from must not be after to",
      ...withCode("period-reversed")
    })
  )

const include = optional(
  refusing(
    Schema.compose(Schema.split(","), Schema.Array(Included)).annotations({
      jsonSchema: {
        type: "string",
        pattern: "^(instance_config|instance_workflow)(,(instance_config|instance_workflow))*$",
        description:
          "Fields that the sessions have as well, with commas between them: `instance_config`, `instance_workflow`."
      }
    }),
    "include must list instance_config or instance_workflow"
  )
)

const ListSessions = inOrder(Schema.Struct({ limit: pageLimit, cursor: pageCursor, ...filters, include }))

/** The framework describes a response of text without its header. */
const csv = {
  description: "The sessions",
  content: { "text/csv": { schema: { type: "string" } } }
}

export class PartnerSessionsApi extends routeGroup(
  "kyc-partner-sessions",
  {
    title: "KYC sessions, for the partner's server",
    description:
      "A company's sessions, with what the server itself recorded about them. They can be read even after they have expired.",
    access: keyOrUser("kyc:sessions:read", "any"),
    examples
  },
  route("list", "GET /api/kyc/sessions", {
    summary: "List the company's sessions, newest first",
    fromStandby: true,
    description:
      "`next_cursor` is null on the last page, and only there: a page may have fewer sessions than `limit`, or none, if they are large or " +
      "if few match the filters. A session has expired if its `expires_at` passed before it was finished; its `status` stays " +
      "`created` or `running`. `expired=true` lists only expired sessions, `expired=false` all others. " +
      "The config and the workflow of each session come only if `include` asks for them.",
    query: ListSessions,
    success: Schema.Struct({
      sessions: Schema.Array(ListedSession),
      next_cursor: NextCursor
    }),
    unexpected: "Failed to list sessions"
  }),
  route("csv", "GET /api/kyc/sessions.csv", {
    summary: "Download sessions as CSV",
    description:
      "All sessions that match, in the order of the list and without personal data. The text is UTF-8, and its first line has the names of the columns. All values " +
      "are in quotes. What a spreadsheet would take for a formula, as a value or as a part of one, begins with an apostrophe.",
    query: inOrder(Schema.Struct(filters)),
    success: HttpApiSchema.Text({ contentType: "text/csv" }),
    unexpected: "Failed to export sessions"
  }).annotate(OpenApi.Override, { responses: { "200": csv } }),
  route("get", "GET /api/kyc/sessions/:id", {
    summary: "Read a session",
    fromStandby: true,
    ids: { id: "the session" },
    success: Schema.Struct({ session: CheckedSession }),
    errors: [sessionNotFound],
    unexpected: "Failed to get session"
  })
) {}
