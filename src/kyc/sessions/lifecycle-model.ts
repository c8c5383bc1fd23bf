import { Schema } from "effect"
import { Timestamp } from "../../shared/schemas.ts"
import { CreatedSession } from "./model.ts"

/** A session without anything that its end user entered or its partner attached, for callers who may not read that. */
export const SessionOverview = Schema.Struct({
  ...CreatedSession.fields,
  started_at: Schema.NullOr(Timestamp),
  updated_at: Timestamp,
  completed_at: Schema.NullOr(Timestamp)
}).annotations({ identifier: "KycSessionOverview" })
export type SessionOverview = typeof SessionOverview.Type
