/** The end user's answers in words, with labels from the workflow of the session. */
import { isObject, type Json, object, objects, text } from "../../../json.ts"
import type { Field, Step, StepOf } from "../../../kyc/instances/workflow.ts"
import { countryName } from "../../../kyc/steps/countries.ts"
import { readerLocales } from "../../common/surroundings.ts"
import { labelOf } from "../../common/words.ts"
import {
  answerTo,
  documentNames,
  inWords,
  type Origin,
  originOf,
  type SessionRead,
  stepsOf,
  titleOf
} from "./session-steps.ts"

/** One answer. */
interface Row {
  readonly label: string
  /** What the end user entered. */
  readonly entered: string
  /** What the machine-readable lines of the document say. */
  readonly read?: string | undefined
  /** Why a reviewer should look twice. */
  readonly concern?: string | undefined
}

/** The answers to one step. */
export interface AnsweredStep {
  readonly id: string
  readonly origin: Origin
  readonly title: string
  readonly rows: ReadonlyArray<Row>
}

const day = new Intl.DateTimeFormat(readerLocales(), { dateStyle: "long", timeZone: "UTC" })

/** A day as `YYYY-MM-DD`; undefined if it is none. */
const dateOf = (value: string): Date | undefined => {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(value) ? new Date(`${value}T00:00:00Z`) : undefined
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date
}

const dayInWords = (value: string): string => {
  const date = dateOf(value)
  return date === undefined ? value : day.format(date)
}

const yearsBetween = (from: Date, to: Date): number => {
  const years = to.getUTCFullYear() - from.getUTCFullYear()
  const hadBirthday =
    to.getUTCMonth() > from.getUTCMonth() ||
    (to.getUTCMonth() === from.getUTCMonth() && to.getUTCDate() >= from.getUTCDate())
  return hadBirthday ? years : years - 1
}

const plain = (value: unknown): string | undefined => {
  if (typeof value === "boolean") return value ? "Yes" : "No"
  return typeof value === "number" ? String(value) : text(value)
}

/** When the answers were given. */
const givenAt = ({ completed_at, updated_at }: SessionRead): Date => new Date(completed_at ?? updated_at)

const isBirthday = ({ autocomplete, id }: Field) => autocomplete === "bday" || /birth/i.test(id)

const fieldRow = (field: Field, given: unknown, at: Date): ReadonlyArray<Row> => {
  const value = plain(given)
  if (value === undefined) return []
  const label = inWords(field.label) ?? labelOf(field.id)
  switch (field.type) {
    case "date": {
      const date = dateOf(value)
      const age = date !== undefined && isBirthday(field) ? `, aged ${yearsBetween(date, at)}` : ""
      return [{ label, entered: `${dayInWords(value)}${age}` }]
    }
    case "country":
      return [{ label, entered: countryName(value, "en") }]
    case "select": {
      const option = field.options.find((candidate) => candidate.value === value)
      return [{ label, entered: inWords(option?.label) ?? value }]
    }
    case "text":
      return [{ label, entered: value }]
  }
}

const formRows = ({ fields }: StepOf<"form">, answer: Json, at: Date): ReadonlyArray<Row> => {
  const known = fields.flatMap((field) => fieldRow(field, answer[field.id], at))
  const others = Object.entries(answer).flatMap(([key, given]): ReadonlyArray<Row> => {
    const value = plain(given)
    return value === undefined || fields.some(({ id }) => id === key)
      ? []
      : [{ label: labelOf(key), entered: value }]
  })
  return [...known, ...others]
}

/** The last characters of a document's number, as the page compares them. */
const endOf = (number: string): string =>
  number
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, "")
    .slice(-3)

interface Compared {
  readonly label: string
  /** What the end user entered, in words. */
  readonly entered: string
  /** What the machine-readable lines say, in words; undefined if they were not read. */
  readonly read: string | undefined
  readonly agree: boolean
}

/** Shows what was read only where it differs. */
const compared = ({ agree, entered, label, read }: Compared): Row =>
  read === undefined || agree
    ? { label, entered }
    : { label, entered, read, concern: `${label}: differs from what was read from the document` }

const documentRows = (answer: Json, at: Date): ReadonlyArray<Row> => {
  const type = text(answer.type)
  const country = text(answer.country)
  const number = text(answer.number)
  const last3 = text(answer.last3) ?? (number === undefined ? undefined : endOf(number))
  const expiry = text(answer.expiry)
  const given = object(answer.read)
  const read = { country: text(given.country), expiry: text(given.expiry), last3: text(given.last3) }
  const rows: Array<Row> = []
  if (type !== undefined) rows.push({ label: "Type", entered: documentNames[type] ?? labelOf(type) })
  if (country !== undefined) {
    rows.push(
      compared({
        label: "Issued by",
        entered: countryName(country, "en"),
        read: read.country && countryName(read.country, "en"),
        agree: read.country === country
      })
    )
  }
  if (last3 !== undefined) {
    rows.push(
      compared({
        label: "Number",
        entered: number ?? `Ends in ${last3}`,
        read: read.last3 && `Ends in ${read.last3}`,
        agree: read.last3 === last3
      })
    )
  }
  if (expiry !== undefined) {
    const ends = dateOf(expiry)
    // A document is valid until the end of the day.
    const isExpired = ends !== undefined && ends.getTime() + 86_400_000 <= at.getTime()
    const row = compared({
      label: "Valid until",
      entered: dayInWords(expiry),
      read: read.expiry && dayInWords(read.expiry),
      agree: read.expiry === expiry
    })
    rows.push(isExpired ? { ...row, concern: "The document had expired" } : row)
  }
  const label = "Machine-readable lines"
  if (answer.mrzCheckDigits === "bad") {
    rows.push({
      label,
      entered: "Not valid: the check digits are wrong",
      concern: "The document\u2019s machine-readable lines are not valid"
    })
  } else if (answer.mrzCheckDigits === "ok") {
    const agree = isObject(answer.read) && rows.every(({ read }) => read === undefined)
    rows.push({ label, entered: agree ? "Valid, and they match these answers" : "Valid" })
  }
  return rows
}

const consentRows = (answer: Json): ReadonlyArray<Row> =>
  objects(answer.items).map((item) => {
    const version = plain(item.version)
    return {
      label: labelOf(plain(item.id) ?? "Consent"),
      entered: version === undefined ? "Agreed" : `Agreed to version ${version}`
    }
  })

const rowsOf = (step: Step, answer: Json, at: Date): ReadonlyArray<Row> => {
  if (answer.skipped === true) return [{ label: "Skipped", entered: "By the end user" }]
  switch (step.type) {
    case "form":
      return formRows(step, answer, at)
    case "document":
      return documentRows(answer, at)
    case "consent":
      return consentRows(answer)
    default:
      return []
  }
}

/** What was asked for again first, consents last. Steps without an answer in words, such as photos, are left out. */
export const answeredSteps = (session: SessionRead): ReadonlyArray<AnsweredStep> => {
  const place = (step: Step) => (originOf(session, step) === "again" ? 0 : step.type === "consent" ? 2 : 1)
  return stepsOf(session)
    .toSorted((left, right) => place(left) - place(right))
    .flatMap((step) => {
      const rows = rowsOf(step, answerTo(session, step), givenAt(session))
      return rows.length === 0
        ? []
        : [{ id: step.id, origin: originOf(session, step), title: titleOf(step), rows }]
    })
}
