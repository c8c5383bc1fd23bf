/** What an end user agreed to, in the words that were shown. */
import { Option, Schema } from "effect"
import { sha256 } from "../../secrets/digest.ts"
import { ownConsent } from "../instances/own-consent-model.ts"
import type { Session } from "./model.ts"

/** As the hosted page stores it: with a hash of the words, which are in the session's workflow. */
const StoredConsent = Schema.Struct({
  id: Schema.String,
  version: Schema.optional(Schema.String),
  textSha256: Schema.String,
  locale: Schema.optional(Schema.String),
  acceptedAt: Schema.optional(Schema.String)
})

const StoredConsents = Schema.Array(Schema.Unknown)

export const Consent = Schema.Struct({
  id: Schema.String,
  /** Null if the words that were shown are not known. */
  text: Schema.NullOr(Schema.String),
  text_sha256: Schema.String,
  language: Schema.NullOr(Schema.String),
  /** The company's version of its consents. */
  version: Schema.NullOr(Schema.String),
  accepted_at: Schema.NullOr(Schema.String)
}).annotations({ identifier: "KycConsent" })
export type Consent = typeof Consent.Type

const toStored = Schema.decodeUnknownOption(StoredConsent)
const toArray = Schema.decodeUnknownOption(StoredConsents)

const array = (value: unknown) => Option.getOrElse(toArray(value), () => [])
const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined

const hashOf = (text: string) => Buffer.from(sha256(text)).toString("hex")

/** The texts of the consents that the page can have shown, by their hashes. */
const textsOf = (workflow: unknown): ReadonlyMap<string, string> => {
  const items = array(property(workflow, "steps")).flatMap((step) => array(property(step, "items")))
  const own = items.flatMap((item) => Object.values(Object(property(item, "text"))))
  const texts = [...own, ...Object.values(ownConsent)].filter((text) => typeof text === "string")
  return new Map(texts.map((text) => [hashOf(text), text]))
}

/** The consents in a session's progress and result, each once, in the order in which they were given. */
export const consentsOf = ({
  instance_workflow,
  progress,
  result
}: Pick<Session, "instance_workflow" | "progress" | "result">): ReadonlyArray<Consent> => {
  const texts = textsOf(instance_workflow)
  const given = [
    ...Object.values(progress ?? {}).flatMap((answer) => array(property(answer, "items"))),
    ...array(property(result, "consents"))
  ]
  const consents = given.flatMap((one) =>
    Option.match(toStored(one), {
      onNone: () => [],
      onSome: ({ acceptedAt, id, locale, textSha256, version }): ReadonlyArray<Consent> => [
        {
          id,
          text: texts.get(textSha256) ?? null,
          text_sha256: textSha256,
          language: locale ?? null,
          version: version ?? null,
          accepted_at: acceptedAt ?? null
        }
      ]
    })
  )
  return [...new Map(consents.map((consent) => [JSON.stringify(consent), consent])).values()].sort(
    (one, other) => (one.accepted_at ?? "").localeCompare(other.accepted_at ?? "")
  )
}
