import { Schema } from "effect"
import { Review } from "../reviews/model.ts"
import { Session } from "../sessions/model.ts"

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
