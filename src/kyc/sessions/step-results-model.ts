/** What the answer to a step amounts to: what the page would have asked for, and whether it would have gone on. */
import { isJsonObject, type JsonObject } from "../../shared/json.ts"
import { norm, personFields } from "../dedup/identity-model.ts"
import { alpha2 } from "../instances/country-model.ts"
import { holds, yearsSince } from "../instances/rules-model.ts"
import { type Field, isKnown, type KnownStep, type Step, type Workflow } from "../instances/workflow-model.ts"
import { agreedIn } from "./consents-model.ts"

/** Why the page would not have gone on (contract.md#failed-rules). A workflow's rules have codes of their own. */
type Code =
  | "AGE_TOO_HIGH"
  | "AGE_TOO_LOW"
  | "ANSWER_INVALID"
  | "COUNTRY_NOT_ALLOWED"
  | "DOCUMENT_EXPIRED"
  | "DOCUMENT_NOT_ALLOWED"

type Compared = "always" | "document" | "person"

/** Stored without being sealed, so it has no answer in it. What is empty is left out. */
interface StepResult {
  /** Whether all is there that the step needs, if the files are the session's. */
  readonly done: boolean
  readonly codes?: ReadonlyArray<Code>
  /** The ids of the files that the answer names. */
  readonly files?: ReadonlyArray<string>
  /** By which strategy of the config the page compares the answer with other sessions; `always`: by any. */
  readonly compared?: Compared
  /** The places of the workflow's rules whose condition the answer meets. */
  readonly holds?: ReadonlyArray<number>
}

/** By the ids of steps; null for what is no answer. */
export type StepResults = Readonly<Record<string, StepResult | null>>

type Of<Type extends KnownStep["type"]> = Extract<KnownStep, { readonly type: Type }>
interface Judgement {
  readonly done: boolean
  readonly codes?: ReadonlyArray<Code>
  readonly files?: ReadonlyArray<string>
  readonly compared?: Compared | undefined
}

const hour = 3_600_000

/** A day begins 14 hours before it does in UTC, somewhere, and ends 12 hours after: who is old enough where they are is old enough. */
const latest = (now: Date) => new Date(now.getTime() + 14 * hour)
const earliest = (now: Date) => new Date(now.getTime() - 12 * hour)

const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

const textIn = (answer: JsonObject, key: string): string => {
  const value = answer[key]
  return typeof value === "string" ? value.trim() : ""
}

/** The page sends no text with spaces around it. */
const trimmed = (answer: JsonObject): JsonObject =>
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
      return invalidIf(!field.options.some((option) => option.value === value))
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

const judgeForm = ({ fields }: Of<"form">, answer: JsonObject, now: Date): Judgement => {
  const given = (fields ?? []).map((field) => ({ field, value: textIn(answer, field.id) }))
  return {
    done: given.every(({ field, value }) => field.required !== true || value !== ""),
    codes: given.flatMap(({ field, value }) => [
      ...invalidIf(isOdd(answer[field.id])),
      ...(value === "" ? [] : fieldCodes(field, value, now))
    ]),
    compared: personFields.every((field) => textIn(answer, field) !== "") ? "person" : undefined
  }
}

/** Without items, the page has one of its own, which is required. */
const judgeConsent = (step: Of<"consent">, answer: JsonObject): Judgement => {
  const agreed = agreedIn({ steps: [step] }, answer.items)
  const asked = step.items == null || step.items.length === 0 ? [{ id: "terms", required: true }] : step.items
  return { done: asked.every(({ id, required }) => required !== true || agreed.has(id)) }
}

/** More than any step asks for. */
const mostFiles = 50

const filesIn = (answer: JsonObject): ReadonlyArray<JsonObject & { readonly id: string }> =>
  (Array.isArray(answer.files) ? answer.files : [])
    .slice(0, mostFiles)
    .filter((file): file is JsonObject & { readonly id: string } =>
      isJsonObject(file) ? typeof file.id === "string" && file.id !== "" : false
    )

const judgeFiles = (answer: JsonObject, most = mostFiles): Judgement => {
  const files = filesIn(answer).map(({ id }) => id.toLowerCase())
  return { done: files.length > 0, codes: invalidIf(files.length > most), files }
}

const sidesOf = ({ sides }: Of<"document">, type: string): ReadonlyArray<string> => {
  const asked = sides == null ? undefined : Object.entries(sides).find(([of]) => of === type)?.[1]
  return asked === 1 || (asked !== 2 && type === "passport") ? ["front"] : ["front", "back"]
}

/** Of a number that is compared with other sessions, only the end is stored. */
const hasNumber = (answer: JsonObject): boolean => {
  const end = textIn(answer, "last3")
  return norm(textIn(answer, "number")) !== "" || (end !== "" && end.length <= 3 && norm(end) === end)
}

const documentTypes = ["passport", "id_card", "driving_licence", "residence_permit"]

const judgeDocument = (step: Of<"document">, answer: JsonObject, now: Date): Judgement => {
  const [type, country, expiry] = [
    textIn(answer, "type"),
    textIn(answer, "country"),
    textIn(answer, "expiry")
  ]
  const asked = step.ask ?? ["number", "expiry"]
  const types = step.documents == null || step.documents.length === 0 ? documentTypes : step.documents
  const asksForNumber = step.dedup === true || asked.includes("number")
  const files = filesIn(answer).filter(({ document }) => typeof document !== "string" || document === type)
  const photos = judgeFiles({ files })
  const shown = new Map(files.map(({ id, side }) => [id.toLowerCase(), side]))
  const isWhole =
    type !== "" &&
    country !== "" &&
    (!asksForNumber || hasNumber(answer)) &&
    (!asked.includes("expiry") || expiry !== "") &&
    (step.mrz !== "required" || answer.mrzCheckDigits === "ok") &&
    sidesOf(step, type).every((side) => [...shown.values()].includes(side))
  const expired = (): ReadonlyArray<Code> => {
    if (yearsSince(expiry, now) === undefined) return ["ANSWER_INVALID"]
    return expiry < dayOf(earliest(now)) ? ["DOCUMENT_EXPIRED"] : []
  }
  return {
    ...photos,
    done: isWhole,
    compared:
      !asksForNumber || step.dedup === false ? undefined : step.dedup === true ? "always" : "document",
    codes: [
      ...invalidIf(["type", "country", "number", "last3", "expiry"].some((name) => isOdd(answer[name]))),
      ...(type === "" || types.some((one) => one === type) ? [] : (["DOCUMENT_NOT_ALLOWED"] as const)),
      ...(country === "" ? [] : countryCodes(country, step.countries)),
      ...(!asked.includes("expiry") || expiry === "" ? [] : expired())
    ]
  }
}

const judge = (step: Step, answer: JsonObject, now: Date): Judgement => {
  if (answer.skipped === true) {
    return { done: step.optional === true || ("skipIfNoCamera" in step && step.skipIfNoCamera === true) }
  }
  // What a step of a later version needs is not known.
  if (!isKnown(step)) return { done: true }
  switch (step.type) {
    case "consent":
      return judgeConsent(step, answer)
    case "form":
      return judgeForm(step, answer, now)
    case "document":
      return judgeDocument(step, answer, now)
    case "selfie":
      return judgeFiles(answer)
    case "upload":
      return judgeFiles(answer, step.maxFiles ?? 1)
    case "captcha":
    case "review":
      return { done: true }
  }
}

const resultOf = ({ rules }: Workflow, step: Step, answer: JsonObject, now: Date): StepResult => {
  const { codes = [], compared, done, files = [] } = judge(step, answer, now)
  const clean = trimmed(answer)
  const met = (rules ?? []).flatMap((rule, place) =>
    rule.if.path.startsWith(`${step.id}.`) &&
    holds(rule.if, (id) => (id === step.id ? clean : undefined), now)
      ? [place]
      : []
  )
  return {
    done,
    ...(codes.length > 0 ? { codes: [...new Set(codes)] } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(compared === undefined ? {} : { compared }),
    ...(met.length > 0 ? { holds: met } : {})
  }
}

/**
 * Of the answers in `progress`; nothing of what answers no step of the workflow.
 *
 * @param workflow with all steps
 */
export const stepResults = (workflow: Workflow, progress: JsonObject, now: Date): StepResults => {
  const results: Record<string, StepResult | null> = {}
  for (const step of workflow.steps ?? []) {
    const name = `s_${step.id}`
    if (!Object.hasOwn(progress, name)) continue
    const { [name]: answer } = progress
    results[step.id] = isJsonObject(answer) ? resultOf(workflow, step, answer, now) : null
  }
  return results
}
