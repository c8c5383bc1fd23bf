import { Schema } from "effect"

/** How often one of a session's key hashes was seen. The hash itself is stored only keyed, and says nothing. */
export const Sighting = Schema.Struct({
  seen_at: Schema.DateFromSelf,
  /** In how many sessions. */
  seen_count: Schema.Number,
  first_seen_at: Schema.DateFromSelf
})
export type Sighting = typeof Sighting.Type
