import { Schema } from "effect"
import { Timestamp } from "../../shared/schemas.ts"

/** The maximum number of hashes that one session may check. Each response reveals whether a document is known. */
export const maxHashesPerSession = 20

/** What is known of a key hash within a company and mode (contract.md#dedup). */
export const Sighting = Schema.Struct({
  matchFound: Schema.Boolean.annotations({ description: "Whether another session has the same key hash." }),
  firstSessionId: Schema.String,
  lastSessionId: Schema.String,
  seenCount: Schema.Number.annotations({
    description: "The number of sessions with this key hash, including this one."
  }),
  firstSeenAt: Timestamp,
  lastSeenAt: Timestamp
}).annotations({ identifier: "DedupSighting" })
