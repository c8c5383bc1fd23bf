import { Schema } from "effect"
import { Timestamp } from "../../shared/schemas.ts"
import { Review } from "../reviews/model.ts"
import { Mode, Status } from "../sessions/model.ts"

/** The maximum number of matches in a response. */
export const maxMatches = 20

/** Another session that was seen under a key hash of this one. */
export const Match = Schema.Struct({
  id: Schema.String,
  instance_id: Schema.String,
  mode: Mode,
  status: Status,
  external_reference: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  completed_at: Schema.NullOr(Timestamp),
  review: Schema.NullOr(Review.pick("status", "decision")).annotations({
    description: "What the company has decided; null if the session is not reviewed."
  })
}).annotations({ identifier: "DedupMatch" })
