import { Schema } from "effect"

/** How often one of a session's key hashes was seen. The hash itself is stored only keyed, and says nothing. */
export const Sighting = Schema.Struct({
  seen_at: Schema.DateFromSelf,
  /** In how many sessions. */
  seen_count: Schema.Number,
  first_seen_at: Schema.DateFromSelf
})
export type Sighting = typeof Sighting.Type

/** What no route shows of a session. */
export const Unshown = Schema.Struct({
  success_redirect_url: Schema.NullOr(Schema.String),
  failure_redirect_url: Schema.NullOr(Schema.String),
  /** How long after the creation each step was first answered, by the step's id. */
  step_seconds: Schema.Record({ key: Schema.String, value: Schema.Number }),
  /** When a hash of the browser's mark was stored; null if there is none. */
  browser_mark_stored_at: Schema.NullOr(Schema.DateFromSelf)
})
