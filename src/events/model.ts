import { Schema } from "effect"
import { Timestamp } from "../shared/schemas.ts"
import { allEventTypes, eventTypes, type EventType as Type } from "./types-model.ts"

const whatHappened = "What happened. New types may be added."

export type EventType = Type
export const EventType = Schema.Literal(...allEventTypes).annotations({ description: whatHappened })

/** A type as it is shown. Any text: during an upgrade, a newer process may have recorded a type that this one does not know. */
export const ShownEventType = Schema.String.annotations({
  jsonSchema: { type: "string", enum: allEventTypes, description: whatHappened }
})

/** The id of an event as companies see it; in the database it is a UUID. */
export const eventIdOf = (uuid: string): string => `evt_${uuid.replaceAll("-", "")}`

export const EventId = Schema.String.pipe(Schema.pattern(/^evt_[0-9a-f]{32}$/)).annotations({
  description: "The id of the event. It is the same in the feed and in each delivery."
})

const Happened = Schema.propertySignature(Timestamp).annotations({ description: "When it happened." })

/** An event as companies read it. */
export const Event = Schema.Struct({
  id: EventId,
  type: ShownEventType,
  timestamp: Happened,
  data: Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
    description: "Ids and status of what changed. Its fields depend on the type."
  })
}).annotations({ identifier: "Event" })
export type Event = typeof Event.Type

/** `kyc.session.created` as `KycSessionCreated`. */
const typeName = (type: string): string =>
  type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** An event of one type, with the schema of its data. */
export const eventSchema = (type: Type) =>
  Schema.Struct({
    id: EventId,
    type: Schema.Literal(type).annotations({ description: eventTypes[type].when }),
    timestamp: Happened,
    data: eventTypes[type].data as Schema.Schema.AnyNoContext
  }).annotations({ identifier: `${typeName(type)}Event` })

/** `oldest` or `newest` first. */
export const FeedOrder = Schema.Literal("oldest", "newest")
export type FeedOrder = typeof FeedOrder.Type

/** The values of a filter by type: every type, and every first part of types followed by `.*`. */
export const typeFilters: ReadonlyArray<string> = [
  ...allEventTypes,
  ...new Set(
    allEventTypes.flatMap((type) => {
      const parts = type.split(".").slice(0, -1)
      return parts.map((_, index) => `${parts.slice(0, index + 1).join(".")}.*`)
    })
  )
]
