import type { JsonObject } from "../../shared/json.ts"
import { norm, personFields } from "../dedup/identity-model.ts"
import { alpha2 } from "../instances/country-model.ts"
import { yearsSince } from "../instances/rules-model.ts"
import { documentTypes, type Field, isKnown, type KnownStep, type Step } from "../instances/workflow-model.ts"
import type { DedupRules } from "./compared-model.ts"
import { agreedIn } from "./consents-model.ts"
import { filesNamed } from "./files-named-model.ts"

/** Why the page would not have gone on (contract.md#failed-rules). A workflow's rules have codes of their own. */
type Code =
  | "AGE_TOO_HIGH"
  | "AGE_TOO_LOW"
  | "ANSWER_INVALID"
  | "COUNTRY_NOT_ALLOWED"
  | "DOCUMENT_EXPIRED"
  | "DOCUMENT_NOT_ALLOWED"

type Of<Type extends KnownStep["type"]> = Extract<KnownStep, { readonly type: Type }>

export interface Judgement {
  /** Whether all is there that the step needs, if the files are the session's. */
  readonly done: boolean
  readonly codes?: ReadonlyArray<Code>
  /** The ids of the files that the answer names. */
  readonly files?: ReadonlyArray<string>
  /** The files have to be pictures. */
  readonly pictures?: boolean
  /** Of the document's number, only the end is stored. */
  readonly numberEnd?: boolean
  /** The page looks for this document or person in earlier sessions. */
  readonly isLookedFor?: boolean
  /** The fields that the result repeats. */
  readonly repeated?: ReadonlyArray<string>
}

export interface Circumstances {
  readonly now: Date
  readonly dedup: DedupRules
  /** Of a text, by a key of the session. */
  readonly hash: (text: string) => string
}

const hour = 3_600_000

/** A day begins 14 hours before it does in UTC, somewhere, and ends 12 hours after: who is old enough where they are is old enough. */
const latest = (now: Date) => new Date(now.getTime() + 14 * hour)
const earliest = (now: Date) => new Date(now.getTime() - 12 * hour)

const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

/** An answer may have any names, and lack those that every object inherits. */
const valueIn = (answer: JsonObject, key: string): unknown =>
  Object.hasOwn(answer, key) ? answer[key] : undefined

export const textIn = (answer: JsonObject, key: string): string => {
  const value = valueIn(answer, key)
  return typeof value === "string" ? value.trim() : ""
}

/** The page sends no text with spaces around it. */
export const trimmed = (answer: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, typeof value === "string" ? value.trim() : value])
  )

const countryCodes = (code: string, among: ReadonlyArray<string> | null | undefined): ReadonlyArray<Code> => {
  if (!alpha2.has(code)) return ["ANSWER_INVALID"]
  const isOneOf = among == null || among.length === 0 || among.includes("*") || among.includes(code)
  return isOneOf ? [] : ["COUNTRY_NOT_ALLOWED"]
}

const invalidIf = (isInvalid: boolean): ReadonlyArray<Code> => (isInvalid ? ["ANSWER_INVALID"] : [])

const fieldCodes = (field: Field, value: string, now: Date): ReadonlyArray<Code> => {
  switch (field.type) {
    case "text":
      return invalidIf(value.length < (field.min ?? 0) || value.length > Math.max(1, field.max ?? 200))
    case "country":
      return countryCodes(value, field.countries)
    case "select":
      return invalidIf(!field.options.some((option) => option.value.trim() === value))
    case "date": {
      const most = yearsSince(value, latest(now))
      if (most === undefined) return ["ANSWER_INVALID"]
      const asksForAge = typeof field.minAge === "number" || field.autocomplete === "bday"
      if (asksForAge && value > dayOf(latest(now))) return ["ANSWER_INVALID"]
      if (typeof field.minAge === "number" && most < field.minAge) return ["AGE_TOO_LOW"]
      const least = yearsSince(value, earliest(now)) ?? 0
      return typeof field.maxAge === "number" && least > field.maxAge ? ["AGE_TOO_HIGH"] : []
    }
  }
}

const isOdd = (value: unknown): boolean =>
  value !== undefined && value !== null && (typeof value !== "string" || value !== value.trim())

const judgeForm = ({ fields }: Of<"form">, answer: JsonObject, { dedup, now }: Circumstances): Judgement => {
  const given = (fields ?? []).map((field) => ({ field, value: textIn(answer, field.id) }))
  return {
    done: given.every(({ field, value }) => field.required !== true || value !== ""),
    codes: given.flatMap(({ field, value }) => [
      ...invalidIf(isOdd(valueIn(answer, field.id))),
      ...(value === "" ? [] : fieldCodes(field, value, now))
    ]),
    isLookedFor: dedup.strategy === "person" && personFields.every((field) => textIn(answer, field) !== ""),
    repeated: given.map(({ field }) => field.id)
  }
}

/** Without items, the page has one of its own, which is required. */
const judgeConsent = (step: Of<"consent">, answer: JsonObject): Judgement => {
  const agreed = agreedIn({ steps: [step] }, answer.items)
  const asked = step.items == null || step.items.length === 0 ? [{ id: "terms", required: true }] : step.items
  return { done: asked.every(({ id, required }) => required !== true || agreed.has(id)) }
}

const judgeFiles = (answer: JsonObject, most?: number): Judgement => {
  const files = filesNamed(answer).map(({ id }) => id)
  return { done: files.length > 0, codes: invalidIf(most !== undefined && files.length > most), files }
}

const sidesOf = ({ sides }: Of<"document">, type: string): ReadonlyArray<string> => {
  const asked = sides == null ? undefined : Object.entries(sides).find(([of]) => of === type)?.[1]
  return asked === 1 || (asked !== 2 && type === "passport") ? ["front"] : ["front", "back"]
}

const hasNumber = (answer: JsonObject): boolean => norm(textIn(answer, "number")) !== ""

/** Of a number that is looked for in other sessions, only the end is stored. */
const hasEnd = (answer: JsonObject): boolean => {
  const end = textIn(answer, "last3")
  return end !== "" && end.length <= 3 && norm(end) === end
}

const documentFields = ["type", "country", "number", "last3", "expiry"]

const asksForNumberOf = ({ ask, dedup }: Of<"document">): boolean =>
  dedup === true || (ask ?? ["number"]).includes("number")

const isDocumentLookedFor = (step: Of<"document">, { strategy }: DedupRules): boolean =>
  asksForNumberOf(step) && (step.dedup ?? strategy === "document")

/** Whether the page looks in other sessions for whom this step is answered with. */
export const isLookedFor = (step: Step, dedup: DedupRules): boolean => {
  if (!isKnown(step)) return false
  if (step.type === "document") return isDocumentLookedFor(step, dedup)
  const fields = step.type === "form" ? (step.fields ?? []).map(({ id }) => id) : []
  return dedup.strategy === "person" && personFields.every((field) => fields.includes(field))
}

const judgeDocument = (
  step: Of<"document">,
  answer: JsonObject,
  { dedup, now }: Circumstances
): Judgement => {
  const [type, country, expiry] = [
    textIn(answer, "type"),
    textIn(answer, "country"),
    textIn(answer, "expiry")
  ]
  const asked = step.ask ?? ["number", "expiry"]
  const types = step.documents == null || step.documents.length === 0 ? documentTypes : step.documents
  const asksForNumber = asksForNumberOf(step)
  const isLookedFor = isDocumentLookedFor(step, dedup)
  const files = filesNamed(answer).filter(({ document }) => typeof document !== "string" || document === type)
  const numberEnd = isLookedFor && !hasNumber(answer) && hasEnd(answer)
  const shown = new Map(files.map(({ id, side }) => [id, side]))
  const isWhole =
    type !== "" &&
    country !== "" &&
    (!asksForNumber || hasNumber(answer) || numberEnd) &&
    (!asked.includes("expiry") || expiry !== "") &&
    (step.mrz !== "required" || valueIn(answer, "mrzCheckDigits") === "ok") &&
    sidesOf(step, type).every((side) => [...shown.values()].includes(side))
  const expired = (): ReadonlyArray<Code> => {
    if (yearsSince(expiry, now) === undefined) return ["ANSWER_INVALID"]
    return expiry < dayOf(earliest(now)) ? ["DOCUMENT_EXPIRED"] : []
  }
  return {
    files: files.map(({ id }) => id),
    pictures: true,
    numberEnd,
    done: isWhole,
    isLookedFor,
    repeated: documentFields,
    codes: [
      ...invalidIf(documentFields.some((name) => isOdd(valueIn(answer, name)))),
      ...(type === "" || types.some((one) => one === type) ? [] : (["DOCUMENT_NOT_ALLOWED"] as const)),
      ...(country === "" ? [] : countryCodes(country, step.countries)),
      ...(!asked.includes("expiry") || expiry === "" ? [] : expired())
    ]
  }
}

export const judge = (step: Step, answer: JsonObject, given: Circumstances): Judgement => {
  if (valueIn(answer, "skipped") === true) {
    const isAllowed = step.optional === true || ("skipIfNoCamera" in step && step.skipIfNoCamera === true)
    const isAlone = Object.keys(answer).length === 1
    // A file that it names counts for no other step either.
    const files = filesNamed(answer).map(({ id }) => id)
    return { done: isAllowed && isAlone, codes: invalidIf(!isAlone), files }
  }
  // What a step of a later version needs is not known.
  if (!isKnown(step)) return { done: true }
  switch (step.type) {
    case "consent":
      return judgeConsent(step, answer)
    case "form":
      return judgeForm(step, answer, given)
    case "document":
      return judgeDocument(step, answer, given)
    case "selfie":
      return { ...judgeFiles(answer), pictures: true }
    case "upload":
      return judgeFiles(answer, step.maxFiles ?? 1)
    case "captcha":
    case "review":
      return { done: true }
  }
}
