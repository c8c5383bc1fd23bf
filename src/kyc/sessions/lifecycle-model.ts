import { Schema } from "effect"
import { CreatedSession, Session } from "./model.ts"

/** A session without anything that its end user entered or its partner attached, for callers who may not read that. */
export const SessionOverview = Schema.Struct({
  ...CreatedSession.fields,
  ...Session.pick("started_at", "updated_at", "completed_at").fields
}).annotations({ identifier: "KycSessionOverview" })
export type SessionOverview = typeof SessionOverview.Type
