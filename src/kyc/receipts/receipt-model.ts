/** What a receipt says. The page that shows receipts has the types of this file. */
import { Data, Option, Schema } from "effect"
import type { Origins } from "../sessions/answers-model.ts"
import { Consent, consentsOf } from "../sessions/consents-model.ts"
import { type Session, Status } from "../sessions/model.ts"

const Iso = Schema.String

/** The kinds of data that were handed over in one step. */
const HandedOver = Schema.Struct({
  kind: Schema.Literal("form", "document", "selfie", "upload", "other"),
  /** The names of what was filled in, by the workflow's ids. Never a value. */
  fields: Schema.Array(Schema.String)
})

export const Receipt = Schema.Struct({
  v: Schema.Literal(1),
  /** The origin of the service that signed it. */
  issuer: Schema.String,
  session: Schema.Struct({
    id: Schema.String,
    mode: Schema.Literal("prod", "dev"),
    status: Status,
    created_at: Iso,
    completed_at: Schema.NullOr(Iso)
  }),
  asked_by: Schema.Struct({
    company: Schema.String,
    privacy_notice: Schema.NullOr(Schema.String)
  }),
  consents: Schema.Array(Consent),
  handed_over: Schema.Array(HandedOver),
  /** How many files were uploaded. */
  files: Schema.Number,
  /**
   * At the latest: a company may redact earlier, and files that were carried over end with the session that they were uploaded to. Null: the
   * company has set no end in advance.
   */
  kept_until: Schema.Struct({ data: Schema.NullOr(Iso), files: Schema.NullOr(Iso) })
}).annotations({ identifier: "KycReceipt" })
export type Receipt = typeof Receipt.Type

export const encodeReceipt = Schema.encodeSync(Schema.parseJson(Receipt))
export const decodeReceipt = Schema.decodeUnknownEither(Schema.parseJson(Receipt))

/** Steps and fields of the page's own flow, which a workflow without steps uses, and of every document. */
const ownSteps: Readonly<Record<string, string>> = {
  consent: "consent",
  person: "form",
  document: "document",
  selfie: "selfie"
}
const ownFields = [
  "givenName",
  "familyName",
  "dateOfBirth",
  "nationality",
  "type",
  "country",
  "number",
  "expiry",
  "files"
]

const kinds = ["form", "document", "selfie", "upload"] as const

const WorkflowIds = Schema.Struct({
  steps: Schema.optionalWith(
    Schema.Array(
      Schema.Struct({
        id: Schema.String,
        type: Schema.String,
        fields: Schema.optionalWith(Schema.Array(Schema.Struct({ id: Schema.String })), { default: () => [] })
      })
    ),
    { default: () => [] }
  )
})
const readIds = Schema.decodeUnknownOption(WorkflowIds)

const isGiven = (value: unknown): boolean => value !== null && value !== undefined && value !== ""

/**
 * A browser may store answers under any name, and a name could be data. So only the workflow's and the page's own names are
 * listed; everything else is `other`.
 */
const handedOver = (progress: Session["progress"], workflow: Origins["workflow"]): Receipt["handed_over"] => {
  const { steps } = Option.getOrElse(readIds(workflow), () => ({ steps: [] }))
  const types = new Map([...Object.entries(ownSteps), ...steps.map(({ id, type }) => [id, type] as const)])
  const names = new Set([...ownFields, ...steps.flatMap(({ fields }) => fields.map(({ id }) => id))])
  const given = Object.entries(progress ?? {}).flatMap(([key, answer]): Receipt["handed_over"] => {
    if (!key.startsWith("s_") || typeof answer !== "object" || answer === null) return []
    const values = Object.entries(answer).filter(([, value]) => isGiven(value))
    if (values.length === 0 || "skipped" in answer) return []
    const type = types.get(key.slice(2))
    const fields = values.map(([name]) => name).filter((name) => names.has(name))
    const kind = kinds.find((one) => one === type)
    if (kind === undefined) return type === undefined ? [{ kind: "other", fields: [] }] : []
    return [{ kind, fields: kind === "form" || kind === "document" ? fields : [] }]
  })
  return [...new Map(given.map((one) => [JSON.stringify(one), one])).values()]
}

/** In a config, null means the same as leaving it out. */
const given = <A>(schema: Schema.Schema<A>) => Schema.optional(Schema.NullOr(schema))

const Legal = Schema.Struct({ company: given(Schema.String), privacyUrl: given(Schema.String) })
const Retention = Schema.Struct({ finishedDays: given(Schema.Number), filesDays: given(Schema.Number) })

/** Each by itself: an earlier version may have stored anything in the other. */
const readLegal = Schema.decodeUnknownOption(Schema.Struct({ legal: Legal }))
const readRetention = Schema.decodeUnknownOption(Schema.Struct({ retention: Retention }))

const dayMillis = 86_400_000

/** How long personal data is kept; undefined: no end is set. */
interface Kept {
  /** Days after the end of a session. */
  readonly finishedDays: number | undefined
  readonly filesDays: number | undefined
  /** When the session's month is dropped, whatever its instance sets. */
  readonly monthEnds: Date | undefined
  /** Whether a resubmission has some of the answers, too, and ends at another time. */
  readonly isCarriedOn: boolean
}

/**
 * @param company the name of the company that the session belongs to, if the instance does not name one
 * @param kept what holds where the instance sets nothing
 * @param origins where the answers come from: some may have been carried over from earlier sessions
 */
export const receiptOf = (
  session: Session,
  {
    company,
    files,
    issuer,
    kept,
    origins
  }: {
    readonly company: string
    readonly files: number
    readonly issuer: string
    readonly kept: Kept
    readonly origins: Origins
  }
): Receipt => {
  const { completed_at, created_at, id, instance_config, mode, progress, status } = session
  const legal = Option.getOrUndefined(readLegal(instance_config))?.legal
  const retention = Option.getOrUndefined(readRetention(instance_config))?.retention
  const after = (days: number | undefined) =>
    days === undefined || completed_at === null ? [] : [completed_at.getTime() + days * dayMillis]
  const ofMonth = kept.monthEnds === undefined ? [] : [kept.monthEnds.getTime()]
  const first = (ends: ReadonlyArray<number>) =>
    ends.length === 0 || kept.isCarriedOn ? null : new Date(Math.min(...ends)).toISOString()
  const finishedDays = retention?.finishedDays ?? kept.finishedDays
  const filesDays = retention?.filesDays ?? kept.filesDays
  const dataEnds = [...after(finishedDays), ...ofMonth]
  return {
    v: 1,
    issuer,
    session: {
      id,
      mode,
      status,
      created_at: created_at.toISOString(),
      completed_at: completed_at?.toISOString() ?? null
    },
    asked_by: { company: legal?.company ?? company, privacy_notice: legal?.privacyUrl ?? null },
    consents: consentsOf(session, origins),
    handed_over: handedOver(progress, origins.workflow),
    files,
    // Files go with the rest of the data, if not before.
    kept_until: { data: first(dataEnds), files: first([...after(filesDays), ...dataEnds]) }
  }
}

/** The end user has not come to the end, so there is nothing to confirm yet. */
export class SessionNotFinished extends Data.TaggedError("SessionNotFinished") {}

/** The receipt was altered, or none of the keys signed it. `message` is a sentence. */
export class ReceiptInvalid extends Data.TaggedError("ReceiptInvalid")<{ readonly message: string }> {}
