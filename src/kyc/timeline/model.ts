import { Schema } from "effect"
import { Timestamp } from "../../shared/schemas.ts"
import { FileType } from "../files/model.ts"
import { Device } from "../handoffs/model.ts"

export const TimelineEvent = Schema.Union(
  Schema.Struct({
    type: Schema.Literal("created", "started", "completed", "failed", "cancelled", "expires", "expired"),
    at: Timestamp
  }).annotations({
    description: "`started` is the first report of the status running. Only an unfinished session expires."
  }),
  Schema.Struct({
    type: Schema.Literal("progress"),
    at: Timestamp,
    steps: Schema.Array(Schema.String)
  }).annotations({
    description:
      "The steps whose answers have been saved, in the order of the workflow, at the time when the session last changed: the time of each step is not stored."
  }),
  Schema.Struct({
    type: Schema.Literal("captcha_verified"),
    at: Timestamp,
    score: Schema.NullOr(Schema.Number)
  }),
  Schema.Struct({
    type: Schema.Literal("dedup_checked"),
    at: Timestamp,
    matchFound: Schema.Boolean.annotations({ description: "Whether another session had it before." })
  }),
  Schema.Struct({
    type: Schema.Literal("file_stored"),
    at: Timestamp,
    file_id: Schema.String,
    content_type: FileType,
    size: Schema.Number.annotations({ description: "Bytes." })
  }),
  Schema.Struct({
    type: Schema.Literal(
      "handoff_created",
      "handoff_claimed",
      "handoff_confirmed",
      "handoff_refused",
      "handoff_cancelled"
    ),
    at: Timestamp,
    handoff_id: Schema.String,
    device: Schema.NullOr(Device)
  }).annotations({ description: "Moving to another device; `device` is known once the hand-off is claimed." })
).annotations({ identifier: "KycTimelineEvent" })
export type TimelineEvent = typeof TimelineEvent.Type
