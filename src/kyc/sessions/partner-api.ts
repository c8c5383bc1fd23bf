import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import {
  anyText,
  characters,
  isoDate,
  NextCursor,
  optional,
  pageCursor,
  pageLimit,
  refusing,
  storable,
  trueOrFalse
} from "../../http/contract/fields.ts"
import { withCode } from "../../http/contract/rejects.ts"
import { route, routeGroup } from "../../http/contract/routes.ts"
import { keyOrUser } from "../../keys/guards.ts"
import { ReviewStanding } from "../reviews/model.ts"
import { ExternalReference } from "./creation-api.ts"
import { examples } from "./examples.ts"
import { sessionNotFound } from "./guards.ts"
import { CheckedSession, Included, ListedSession, ListOrder, Status } from "./model.ts"

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
