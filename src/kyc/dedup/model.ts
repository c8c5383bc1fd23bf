import { Schema } from "effect"
import { Timestamp } from "../../shared/schemas.ts"

/** The maximum number of hashes that one session may check. Each response reveals whether a document is known. */
export const maxHashesPerSession = 20

/** What is known of a key hash within a company and mode (contract.md#dedup). */
export const Sighting = Schema.Struct({
  matchFound: Schema.Boolean.annotations({ description: "Whether another session has the same key hash." }),
  firstSessionId: Schema.String.annotations({
    description: "The session that checked this key hash first, which may be this one."
  }),
  lastSessionId: Schema.String.annotations({
    description: "The session that checked this key hash last, which may be this one."
  }),
  seenCount: Schema.Number.annotations({
    description: "The number of sessions with this key hash, including this one."
  }),
  firstSeenAt: Schema.propertySignature(Timestamp).annotations({
    description: "When `firstSessionId` checked it."
  }),
  lastSeenAt: Schema.propertySignature(Timestamp).annotations({
    description: "When `lastSessionId` checked it."
  })
}).annotations({ identifier: "DedupSighting" })
