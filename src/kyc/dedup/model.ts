import { Data, Schema } from "effect"
import { Timestamp } from "../../shared/schemas.ts"
import { Review } from "../reviews/model.ts"
import { Session } from "../sessions/model.ts"

/** The maximum number of hashes that one session may check. Each response reveals whether a document is known. */
export const maxHashesPerSession = 20

/** What is known of a key hash within a company and mode (contract.md#dedup). */
export const Sighting = Schema.Struct({
  matchFound: Schema.Boolean.annotations({
    description:
      "Whether another session has the same key hash. The sessions that this one resubmits, or that resubmit it, do not count."
  }),
  firstSessionId: Schema.String.annotations({
    description: "The session that checked this key hash first, which may be this one."
  }),
  lastSessionId: Schema.String.annotations({
    description: "The session that checked this key hash last, which may be this one."
  }),
  seenCount: Schema.Number.annotations({
    description: "The number of sessions that checked this key hash, including this one."
  }),
  firstSeenAt: Schema.propertySignature(Timestamp).annotations({
    description: "When `firstSessionId` checked it."
  }),
  lastSeenAt: Schema.propertySignature(Timestamp).annotations({
    description: "When `lastSessionId` checked it."
  })
}).annotations({ identifier: "DedupSighting" })

/** The session has reached its limit of different hashes. */
export class TooManyDedupChecks extends Data.TaggedError("TooManyDedupChecks") {}

/** The maximum number of matches in a response. */
export const maxMatches = 20

/** Another session that was seen under a key hash of this one. */
export const Match = Schema.Struct({
  ...Session.pick("id", "instance_id", "mode", "status", "external_reference", "created_at", "completed_at")
    .fields,
  review: Schema.NullOr(Review.pick("status", "decision")).annotations({
    description: "What the company has decided; null if the session is not reviewed."
  })
}).annotations({ identifier: "DedupMatch" })
