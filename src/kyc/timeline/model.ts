import { Schema } from "effect"
import { Timestamp } from "../../shared/schemas.ts"
import { StoredFile } from "../files/model.ts"
import { Device } from "../handoffs/model.ts"
import { Decision } from "../reviews/model.ts"

/** Events of these types, with the fields that they have besides their time. */
const event = <const Types extends ReadonlyArray<string>, Fields extends Schema.Struct.Fields>(
  types: Types,
  fields: Fields
) =>
  Schema.Struct({
    type: Schema.Literal(...types).annotations({ description: "What happened." }),
    at: Timestamp,
    ...fields
  })

export const TimelineEvent = Schema.Union(
  event(
    ["created", "started", "completed", "failed", "cancelled", "expires", "expired", "redacted"],
    {}
  ).annotations({
    description:
      "`started` is the first report of the status running. Only an unfinished session expires. `redacted`: its personal data was destroyed."
  }),
  event(["progress"], {
    steps: Schema.Array(Schema.String).annotations({ description: "The ids of the steps." })
  }).annotations({
    description:
      "The steps that were saved with all that they ask for (their files are not looked at) or skipped, in the order of the workflow. The event's time is the last change of the session, because the time of each step is not stored."
  }),
  event(["captcha_verified"], {
    score: Schema.NullOr(Schema.Number).annotations({
      description: "From 0 (a bot) to 1 (a human); null if it was not stored."
    })
  }),
  event(["dedup_checked"], {
    matchFound: Schema.Boolean.annotations({
      description:
        "Whether another session had the same key hash before. The sessions before a resubmission do not count."
    })
  }),
  event(["file_stored"], {
    file_id: Schema.String,
    ...StoredFile.pick("content_type", "size").fields
  }),
  event(["handoff_created", "handoff_claimed", "handoff_confirmed", "handoff_refused", "handoff_cancelled"], {
    handoff_id: Schema.String,
    device: Schema.NullOr(Device).annotations({
      description: "The kind of device that claimed it, as the device reports it; null until then."
    })
  }).annotations({
    description: "A handoff to another device; `device` is known once the handoff is claimed."
  }),
  event(["review_proposed", "reviewed"], {
    decision: Decision,
    by: Schema.String.annotations({ description: "A user's id, or `api` for a platform key." })
  }).annotations({
    description:
      "A decision on the session. With four eyes, first one person's proposal, the last one if it was replaced, then another person's decision."
  })
).annotations({
  identifier: "KycTimelineEvent",
  description: "What happened to a session, and when. Its other fields depend on `type`."
})
export type TimelineEvent = typeof TimelineEvent.Type
