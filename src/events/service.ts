import { Effect, Option } from "effect"
import { ifWritable } from "../db/sql.ts"
import { parseId } from "../shared/identifier.ts"
import { WorkSignal } from "../work/signal-service.ts"
import { type FeedCursor, writeFeedCursor } from "./cursor-model.ts"
import { CursorTooOld, EventNotFound } from "./errors.ts"
import { type Event, eventIdOf, type FeedOrder } from "./model.ts"
import { EventRepo, type EventRow } from "./repo.ts"

/** For how long events can be read, in milliseconds. */
const lifetime = 30 * 86_400_000

interface FeedQuery {
  /** A type, or the first part of several, such as `kyc.*`. */
  readonly type?: string | undefined
  /** The id in the events' data. */
  readonly resource?: string | undefined
  readonly order: FeedOrder
  readonly after?: FeedCursor | "now" | undefined
  readonly limit: number
}

/** The types that a filter selects: the type itself, or all types that begin with the part before `.*`. */
const selected = (filter: string) =>
  filter.endsWith(".*") ? { begin: filter.slice(0, -1) } : { name: filter }

const shown = ({ created_at, data, id, type }: EventRow): Event => ({
  id: eventIdOf(id),
  type,
  timestamp: created_at,
  data
})

/** The id in the database, or undefined if `text` is no event id. */
const storedId = (text: string): string | undefined =>
  /^evt_([0-9a-f]{32})$/.exec(text)?.[1]?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

/** A company's events (contract.md#company-events). */
export class Events extends Effect.Service<Events>()("Events", {
  effect: Effect.gen(function* () {
    const repo = yield* EventRepo
    const { wake } = yield* WorkSignal

    const waking = (moving: Effect.Effect<number>) =>
      Effect.tap(moving, (moved) => {
        if (moved > 0) wake()
      })

    /** Moves new events to the log, from where they go to webhook endpoints. Returns how many. */
    const collect = waking(repo.collect)

    /** The same. Afterwards, all events that were committed before are in the log, also if many wait and another process moves them. */
    const collectAll = waking(repo.collectAll)

    /**
     * Events after the cursor. `next_cursor` continues there, also after the last event. Fails with `CursorTooOld` if events after the
     * cursor may have been deleted.
     */
    const feed = Effect.fnUntraced(function* (
      companyId: string,
      { after, limit, order, resource, type }: FeedQuery
    ) {
      yield* ifWritable(collect)
      const { now, position } = yield* repo.end
      const end = { position, at: now.getTime() }
      const start =
        order === "oldest" ? { position: 0, at: end.at } : { position: end.position + 1, at: end.at }
      const from = after === "now" ? end : (after ?? start)
      // A restored backup has fewer events than its clients have read. Positions that they know will be those of other events.
      const isOfLostLog = order === "oldest" && from.position > end.position
      if (isOfLostLog || from.at < end.at - lifetime) return yield* new CursorTooOld()
      const found = yield* repo.list({
        companyId,
        type: type === undefined ? undefined : selected(type),
        // An id that is not a UUID is the id of nothing.
        resource: resource === undefined ? undefined : (parseId(resource) ?? ""),
        order,
        after: from.position,
        limit: limit + 1
      })
      const page = found.slice(0, limit)
      const hasMore = found.length > limit
      const last = page.at(-1)
      const reached = last === undefined ? from : { position: last.position, at: last.created_at.getTime() }
      // At the end of the feed, the cursor moves to the end of the log: a company without events for a month keeps a good cursor.
      const next = hasMore
        ? reached
        : order === "newest"
          ? { ...reached, position: Math.min(reached.position, end.position) }
          : { position: Math.max(end.position, reached.position), at: end.at }
      return { events: page.map(shown), next_cursor: writeFeedCursor(next), has_more: hasMore }
    })

    /** Fails with `EventNotFound`, also for an event of another company. */
    const get = Effect.fnUntraced(function* (companyId: string, eventId: string) {
      const id = storedId(eventId)
      if (id === undefined) return yield* new EventNotFound()
      yield* ifWritable(collect)
      const found = yield* repo.find(companyId, id)
      return Option.isNone(found) ? yield* new EventNotFound() : shown(found.value)
    })

    return { feed, get, collect, collectAll, rollPartitions: repo.rollPartitions }
  })
}) {}
