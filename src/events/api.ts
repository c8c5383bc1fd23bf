import { Schema } from "effect"
import { fails } from "../http/contract/error-responses.ts"
import { anyText, optional, pageLimit, parsedText, refusing } from "../http/contract/fields.ts"
import { route, routeGroup } from "../http/contract/routes.ts"
import { keyOrUser } from "../keys/guards.ts"
import { readFeedCursor, writeFeedCursor } from "./cursor-model.ts"
import { CursorTooOld, EventNotFound } from "./errors.ts"
import { examples } from "./examples.ts"
import { Event, FeedOrder, typeFilters } from "./model.ts"

const Cursor = refusing(
  parsedText(
    Schema.Union(Schema.Literal("now"), Schema.Struct({ position: Schema.Number, at: Schema.Number })),
    (text) => (text === "now" ? text : readFeedCursor(text)),
    (cursor) => (cursor === "now" ? cursor : writeFeedCursor(cursor)),
    {
      description:
        "`next_cursor` of the previous page. `now` skips all events so far, and returns the cursor of what follows."
    }
  ),
  "after must be the next_cursor of another page"
)

const ReadFeed = Schema.Struct({
  type: optional(
    refusing(
      Schema.String.pipe(
        Schema.filter((text) => typeFilters.includes(text), {
          jsonSchema: { enum: typeFilters, description: "A type, or the first part of several types." }
        })
      ),
      "type must be an event type such as kyc.session.completed, or a prefix such as kyc.*"
    )
  ),
  resource: anyText("resource", "The `id` in the events' data, such as that of a KYC session."),
  order: Schema.optionalWith(
    refusing(
      FeedOrder.annotations({
        jsonSchema: {
          type: "string",
          enum: FeedOrder.literals,
          description: "By default `oldest` first. With `newest`, a page continues with older events."
        }
      }),
      "order must be oldest or newest"
    ),
    { default: () => "oldest" }
  ),
  after: optional(Cursor),
  limit: pageLimit
})

/** The events of the caller's company. */
export class EventsApi extends routeGroup(
  "events",
  {
    title: "Events",
    description:
      "What happened to the company's sessions, keys, subscriptions and APIs. An event is committed together with the change, or not at all. Its data has ids and a status, but no personal data.",
    access: keyOrUser("events:read", "read"),
    examples
  },
  route("list", "GET /api/events", {
    summary: "Read the event feed",
    description:
      "A client that reads to the end and later continues with `next_cursor` misses no event. Events are stored for 30 days; an older cursor gets 410.",
    query: ReadFeed,
    success: Schema.Struct({
      events: Schema.Array(Event),
      next_cursor: Schema.String.annotations({
        description: "Continues after this page. Store it, and use it again after the last event."
      }),
      has_more: Schema.Boolean.annotations({ description: "Whether more events can be read now." })
    }),
    errors: [fails(CursorTooOld, 410, "Cursor is too old")],
    unexpected: "Failed to list events",
    compressed: true
  }),
  route("get", "GET /api/events/:id", {
    summary: "Read one event",
    ids: { id: "the event" },
    success: Schema.Struct({ event: Event }),
    errors: [fails(EventNotFound, 404, "Event not found")],
    unexpected: "Failed to get event",
    compressed: true
  })
) {}
