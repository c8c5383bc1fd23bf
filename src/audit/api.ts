import { Schema } from "effect"
import { user } from "../accounts/guards.ts"
import {
  anyText,
  cursorText,
  isoDate,
  NextCursor,
  optional,
  pageLimit,
  refusing
} from "../http/contract/fields.ts"
import { withCode } from "../http/contract/rejects.ts"
import { route, routeGroup } from "../http/contract/routes.ts"
import { examples } from "./examples.ts"
import { AuditEvent, actionFilters } from "./model.ts"

const Cursor = Schema.compose(
  cursorText((text) => /^[1-9]\d{0,14}$/.test(text)),
  Schema.NumberFromString
)

const ListEvents = Schema.Struct({
  limit: pageLimit,
  cursor: optional(Cursor),
  action: optional(
    refusing(
      Schema.String.pipe(
        Schema.filter((text) => actionFilters.includes(text), {
          jsonSchema: {
            enum: actionFilters,
            description: "An action, or the part before its dot for all of its actions."
          }
        })
      ),
      "action must be an action such as api_key.created, or the part before its dot"
    )
  ),
  actor: anyText("actor", "The id of the actor."),
  resource: anyText("resource", "The id of the resource."),
  from: optional(isoDate("from", "Only events at or after this time.")),
  to: optional(isoDate("to", "Only events before this time."))
}).pipe(
  Schema.filter(({ from, to }) => from === undefined || to === undefined || from <= to, {
    message: () => "from must not be after to",
    ...withCode("period-reversed")
  })
)

/** Only owners may read the trail: it shows the address that each member acts from. */
export class AuditEventsApi extends routeGroup(
  "audit-events",
  {
    title: "Audit trail",
    description:
      "Who did what, when, from where and to which resource. Each event is recorded in the same transaction as the change, and never changed or removed.",
    access: user("administer"),
    examples
  },
  route("list", "GET /api/audit-events", {
    summary: "List the company's audit events, newest first",
    fromStandby: true,
    description:
      'The hash of each event covers the hash of the previous one, and anyone can recompute it: `hash` is the SHA-256 of the JSON array `["doorlock audit 1", <company\'s id>, position, id, at, actor.kind, actor.id, actor.name, address, user_agent, action, resource.kind, resource.id, resource.name, <details as JSON text>, previous_hash]` with `", "` between its elements. If you keep the position and hash of an event elsewhere, you can later prove that no event before it was changed or removed.',
    query: ListEvents,
    success: Schema.Struct({ events: Schema.Array(AuditEvent), next_cursor: NextCursor }),
    unexpected: "Failed to list audit events",
    compressed: true
  })
) {}
