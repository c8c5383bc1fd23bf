/**
 * What an end user agreed to, as far as the server knows it. The browser says which texts it showed, by hashes; the words, their
 * language and version are those of the session's workflow and config, and the times are the server's.
 */
import { Option, Schema } from "effect"
import { sha256 } from "../../secrets/digest.ts"
import { ownConsent } from "../instances/own-consent-model.ts"
import type { Origins } from "./answers-model.ts"
import type { Session } from "./model.ts"

/** As the hosted page stores it. */
const StoredConsent = Schema.Struct({
  id: Schema.String,
  textSha256: Schema.String,
  locale: Schema.optional(Schema.Unknown)
})
type StoredConsent = typeof StoredConsent.Type

export const Consent = Schema.Struct({
  /** Of the workflow. */
  id: Schema.String,
  /** Null, like what follows from it, if the words that were shown are not in the workflow. */
  text: Schema.NullOr(Schema.String),
  text_sha256: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String),
  /** The company's version of its consents. */
  version: Schema.NullOr(Schema.String),
  /** When the server received the answer to its step, or the result; null if it does not know. */
  accepted_at: Schema.NullOr(Schema.String)
}).annotations({ identifier: "KycConsent" })
export type Consent = typeof Consent.Type

const toStored = Schema.decodeUnknownOption(StoredConsent)
const toArray = Schema.decodeUnknownOption(Schema.Array(Schema.Unknown))

const array = (value: unknown) => Option.getOrElse(toArray(value), () => [])
const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined

const hashOf = (text: string) => Buffer.from(sha256(text)).toString("hex")

interface Words {
  readonly text: string
  readonly language: string | null
}

/** A text of a workflow in all its languages. */
const wordsOf = (text: unknown): ReadonlyArray<Words> =>
  typeof text === "string"
    ? [{ text, language: null }]
    : Object.entries(Object(text)).flatMap(([language, one]) =>
        typeof one === "string" ? [{ text: one, language }] : []
      )

/** What the page shows where a consent has no words in any language. */
const ownWords = wordsOf(ownConsent)

/** The page shows words in another language before its own. */
const wordsIn = (item: unknown): ReadonlyArray<Words> => {
  const words = wordsOf(property(item, "text")).filter(({ text }) => text.trim() !== "")
  return words.length === 0 ? ownWords : words
}

/** The texts that the page can have shown, by the ids of the consents: two steps may have one of the same id. Steps without consents have the page's own. */
const knownConsents = (workflow: unknown): ReadonlyMap<string, ReadonlyArray<Words>> => {
  const steps = array(property(workflow, "steps"))
  const asking = steps.filter((step) => property(step, "type") === "consent")
  const items = asking.flatMap((step) => array(property(step, "items")))
  const usesOwn = steps.length === 0 || asking.some((step) => array(property(step, "items")).length === 0)
  const all = [
    ...(usesOwn ? [["terms", ownWords] as const] : []),
    ...items.flatMap((item) => {
      const id = property(item, "id")
      return typeof id === "string" ? [[id, wordsIn(item)] as const] : []
    })
  ]
  return new Map(
    [...Map.groupBy(all, ([id]) => id)].map(([id, those]) => [id, those.flatMap(([, words]) => words)])
  )
}

/** The page leaves out what was not agreed to. */
const saysNo = (item: unknown): boolean => {
  const accepted = property(item, "accepted")
  return accepted !== undefined && accepted !== true
}

/** As in the config; the page's default is 1. */
const versionIn = (config: unknown): string => {
  const version = property(property(config, "legal"), "consentVersion")
  return typeof version === "string" && version !== "" ? version : "1"
}

/** The ids of the consents that these items of an answer give, in words of the workflow. */
export const agreedIn = (workflow: unknown, items: unknown): ReadonlySet<string> => {
  const known = knownConsents(workflow)
  return new Set(
    array(items).flatMap((item) =>
      Option.match(toStored(item), {
        onNone: () => [],
        onSome: ({ id, textSha256 }) =>
          !saysNo(item) && known.get(id)?.some(({ text }) => hashOf(text) === textSha256) === true ? [id] : []
      })
    )
  )
}

interface Given {
  readonly stored: StoredConsent
  readonly at: Date | undefined
}

/** The consents in an answer or a result, which the server received at this time. */
const givenIn = (items: unknown, at: Date | undefined): ReadonlyArray<Given> =>
  array(items).flatMap((item) =>
    Option.match(toStored(item), {
      onNone: () => [],
      onSome: (stored) => (saysNo(item) ? [] : [{ stored, at }])
    })
  )

/** The ids of the steps that ask for consents. */
const askingSteps = (workflow: unknown): ReadonlyArray<unknown> => {
  const steps = array(property(workflow, "steps"))
  return steps.length === 0
    ? ["consent"]
    : steps.filter((step) => property(step, "type") === "consent").map((step) => property(step, "id"))
}

/** The consents in a session's progress and result, each once, in the order in which they were given. */
export const consentsOf = (
  {
    completed_at,
    instance_config,
    progress,
    result
  }: Pick<Session, "completed_at" | "instance_config" | "progress" | "result">,
  { answeredAt, workflow }: Origins
): ReadonlyArray<Consent> => {
  const known = knownConsents(workflow)
  const version = versionIn(instance_config)
  const given = [
    ...askingSteps(workflow).flatMap((id) => {
      const answer = property(progress, `s_${id}`)
      return property(answer, "skipped") === true
        ? []
        : givenIn(property(answer, "items"), answeredAt.get(String(id)))
    }),
    ...givenIn(property(result, "consents"), completed_at ?? undefined)
  ]
  const consents = given.flatMap(({ at, stored: { id, locale, textSha256 } }): ReadonlyArray<Consent> => {
    const texts = known.get(id)
    if (texts === undefined) return []
    const matching = texts.filter(({ text }) => hashOf(text) === textSha256)
    const shown = matching.find(({ language }) => language === locale) ?? matching[0]
    return [
      {
        id,
        text: shown?.text ?? null,
        text_sha256: shown === undefined ? null : textSha256,
        language: shown?.language ?? null,
        version: shown === undefined ? null : version,
        accepted_at: at?.toISOString() ?? null
      }
    ]
  })
  // The result repeats the consents of the progress; the earliest mention counts.
  return [
    ...new Map(consents.toReversed().map((one) => [`${one.id} ${one.text_sha256}`, one])).values()
  ].sort((one, other) => (one.accepted_at ?? "").localeCompare(other.accepted_at ?? ""))
}
