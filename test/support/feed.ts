/** Reads the feed of a company as a client does that must not miss an event. */
import { Effect } from "effect"
import { field, send, text } from "./client.ts"
import type { RunningServer } from "./server.ts"

export interface FedEvent {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly data: { readonly id: string }
}

/** A reader with a cursor of its own. */
export const feedReader = (
  token: string,
  query: Readonly<Record<string, string>> = {}
): {
  /** Reads to the end, and returns what is new since the last call. */
  readonly read: (server: Pick<RunningServer, "url">) => Effect.Effect<ReadonlyArray<FedEvent>>
  /** Everything read so far, in order. */
  readonly seen: () => ReadonlyArray<FedEvent>
} => {
  const seen: Array<FedEvent> = []
  let cursor: string | undefined
  return {
    read: Effect.fnUntraced(function* (server) {
      const before = seen.length
      for (let more = true; more; ) {
        const page = yield* send(
          server,
          "GET",
          `/api/events?${new URLSearchParams({ ...query, ...(cursor === undefined ? {} : { after: cursor }) })}`,
          { headers: { "x-api-key": token } }
        )
        // The cast: the tests of the contract check what an event is.
        seen.push(...(field(page.body, "events") as ReadonlyArray<FedEvent>))
        cursor = text(page.body, "next_cursor")
        more = field(page.body, "has_more") === true
      }
      return seen.slice(before)
    }),
    seen: () => seen
  }
}
