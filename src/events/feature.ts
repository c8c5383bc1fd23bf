import { Effect, Layer, Record } from "effect"
import { EventsApi } from "./api.ts"
import * as collecting from "./collecting.ts"
import { exampleEvent } from "./examples.ts"
import * as http from "./http.ts"
import { eventSchema } from "./model.ts"
import { EventRepo } from "./repo.ts"
import { Events } from "./service.ts"
import { allEventTypes, eventTypes } from "./types-model.ts"

/** Events: what happened to what a company owns. */
export const events = {
  contract: [EventsApi],
  webhooks: Record.fromIterableWith(allEventTypes, (type) => [
    type,
    { description: eventTypes[type].when, schema: eventSchema(type), example: exampleEvent(type) }
  ]),
  services: Layer.provide(Events.Default, EventRepo.Default),
  routes: http.layer,
  background: collecting.layer,
  housekeeping: { events: Effect.flatMap(Events, ({ rollPartitions }) => rollPartitions) }
} as const
