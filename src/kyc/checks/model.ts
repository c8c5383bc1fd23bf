/** Checks: what doorlock itself saw in what a person handed in (contract.md#checks). */
import { Schema } from "effect"
import { Timestamp } from "../../shared/schemas.ts"

const checkKinds = [
  "document.mrz",
  "document.mrz_matches",
  "document.barcode",
  "document.expiry",
  "person.age",
  "selfie.faces",
  "selfie.similarity",
  "photo.quality",
  "photo.duplicate",
  "session.signals"
] as const
const CheckKind = Schema.Literal(...checkKinds).annotations({
  description: "What was checked. New kinds may be added."
})

export const Outcome = Schema.Literal("agrees", "differs", "unreadable", "not_checked").annotations({
  description:
    "`agrees` with what was typed, or with the rule; `differs`; `unreadable`: nothing certain can be said; `not_checked`: the check did not run."
})
export type Outcome = typeof Outcome.Type

/** Which way a face looks, as seen by the person whose face it is. */
export const poses = ["straight", "left", "right"] as const
export type Pose = (typeof poses)[number]

/** What was seen, which is personal data. */
export const CheckContent = Schema.Struct({
  reason: Schema.String.annotations({ description: "One sentence that explains the outcome." }),
  detail: Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
    description: "What was read. Its fields depend on the kind."
  })
})
export type CheckContent = typeof CheckContent.Type

export const Check = Schema.Struct({
  id: Schema.String,
  kind: CheckKind,
  outcome: Outcome,
  ...CheckContent.fields,
  file_ids: Schema.Array(Schema.String).annotations({
    description: "The ids of the photos that were checked."
  }),
  at: Timestamp,
  engine: Schema.String.annotations({ description: "What checked it, with its version." })
}).annotations({
  identifier: "KycCheck",
  description:
    "What doorlock itself saw in the photos that the person sent. It is information for a decision, not a decision."
})
export type Check = typeof Check.Type

/** A check as it is stored and read from JSON: its reason and detail are sealed. */
export const StoredCheck = Schema.Struct({ ...Check.omit("detail", "reason").fields, content: Schema.String })
export type StoredCheck = typeof StoredCheck.Type

/** A check before it is stored. */
export type Finding = Omit<Check, "at" | "id">

/** The kind of work that looks at the photos of a session. */
export const checkWork = "kyc.session.checks"

/** What a sealed check is: it does not open as something else. */
export const checkPlace = (id: string): string => `check ${id}`
