import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { DashboardOwner } from "../accounts/guards.ts"
import { answers } from "../http/contract/answers.ts"
import { optional, refusing, wholeNumber } from "../http/contract/fields.ts"
import { parseIsoDate } from "../shared/iso-date.ts"
import { examples } from "./examples.ts"
import { AuditEvent, actionFilters } from "./model.ts"

const messages = {
  limit: "limit must be a whole number from 1 to 100",
  cursor: "cursor must be the next_cursor of another page",
  action: "action must be an action such as api_key.created, or the part before its dot",
  actor: "actor must be given once",
  resource: "resource must be given once",
  from: "from must be an ISO date string",
  to: "to must be an ISO date string",
  reversed: "from must not be after to"
} as const

/** A position, in decimal digits. */
const Cursor = refusing(
  Schema.compose(
    Schema.String.pipe(
      Schema.pattern(/^[1-9]\d{0,14}$/, { jsonSchema: { description: "`next_cursor` of the page before." } })
    ),
    Schema.NumberFromString
  ),
  messages.cursor
)

const Instant = (message: string, description: string) =>
  refusing(
    Schema.transform(
      Schema.String.pipe(
        Schema.filter((text) => parseIsoDate(text) !== undefined, {
          jsonSchema: { description: `An ISO 8601 date or date-time. ${description}` }
        })
      ),
      Schema.DateFromSelf,
      // The filter above has validated the text.
      {
        strict: true,
        decode: (text) => parseIsoDate(text) ?? new Date(Number.NaN),
        encode: (at) => at.toISOString()
      }
    ),
    message
  )

const ListEvents = Schema.Struct({
  limit: Schema.optionalWith(
    wholeNumber(1, 100, messages.limit, "The most that are listed. By default 20."),
    { default: () => 20 }
  ),
  cursor: optional(Cursor),
  action: optional(
    refusing(
      Schema.String.pipe(
        Schema.filter((text) => actionFilters.includes(text), {
          jsonSchema: {
            enum: actionFilters,
            description: "An action, or the part before its dot: every action of those."
          }
        })
      ),
      messages.action
    )
  ),
  actor: optional(
    refusing(Schema.String.annotations({ description: "The id of who acted." }), messages.actor)
  ),
  resource: optional(
    refusing(Schema.String.annotations({ description: "The id of what was acted on." }), messages.resource)
  ),
  from: optional(Instant(messages.from, "Events of then and later.")),
  to: optional(Instant(messages.to, "Events before then."))
}).pipe(
  Schema.filter(({ from, to }) => from === undefined || to === undefined || from <= to, {
    message: () => messages.reversed
  })
)

/** The audit trail of the caller's company. Only owners may read it, since it shows the address each member acts from. */
export class AuditEventsApi extends HttpApiGroup.make("audit-events")
  .add(
    HttpApiEndpoint.get("list", "/api/audit-events")
      .setUrlParams(ListEvents)
      .addSuccess(
        Schema.Struct({ events: Schema.Array(AuditEvent), next_cursor: Schema.NullOr(Schema.String) })
      )
      .annotate(OpenApi.Summary, "List who did what in the company, newest first")
      .annotate(
        OpenApi.Description,
        'Every event is chained to the one before it by a hash, which anyone can compute anew: `hash` is the SHA-256 of the JSON array `["doorlock audit 1", <company\'s id>, position, id, at, actor.kind, actor.id, actor.name, address, user_agent, action, resource.kind, resource.id, resource.name, <details as JSON text>, previous_hash]` with `", "` between its elements. Who notes position and hash of an event, outside, can tell later that nothing before it was changed or removed.'
      )
      .pipe(
        answers({
          example: examples.list,
          rejects: [
            messages.limit,
            messages.cursor,
            messages.action,
            messages.actor,
            messages.resource,
            messages.from,
            messages.to,
            { message: messages.reversed, code: "period-reversed" }
          ],
          unexpected: "Failed to list audit events",
          compressed: true
        })
      )
  )
  .middleware(DashboardOwner)
  .annotate(OpenApi.Title, "Audit trail")
  .annotate(
    OpenApi.Description,
    "Who did what, when, from where, to what. Events are only ever added, in the same transaction as the act."
  ) {}
