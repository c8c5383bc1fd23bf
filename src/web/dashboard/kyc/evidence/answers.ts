/** The end user's answers in words, with labels from the workflow of the session. */
import { meaningOf } from "../../../../kyc/checks/field-meanings-model.ts"
import { type Json, objects, text } from "../../../json.ts"
import { readConfig } from "../../../kyc/instances/config.ts"
import type { Field, Step, StepOf } from "../../../kyc/instances/workflow.ts"
import { countryName } from "../../../kyc/steps/countries.ts"
import { readerLocales } from "../../common/surroundings.ts"
import { labelOf } from "../../common/words.ts"
import {
  answerTo,
  documentNames,
  inWords,
  isAnswered,
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

const fieldRow = (field: Field, given: unknown, at: Date): ReadonlyArray<Row> => {
  const value = plain(given)
  if (value === undefined) return []
  const label = inWords(field.label) ?? labelOf(field.id)
  switch (field.type) {
    case "date": {
      const date = dateOf(value)
      const age =
        date !== undefined && meaningOf(field) === "birth_date" ? `, aged ${yearsBetween(date, at)}` : ""
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
      : [{ label: `${labelOf(key)} (not asked for)`, entered: value }]
  })
  return [...known, ...others]
}

/** What the browser says that it read from the document is not shown: the checks say what doorlock read. */
const documentRows = (answer: Json, at: Date): ReadonlyArray<Row> => {
  const type = text(answer.type)
  const country = text(answer.country)
  const number = text(answer.number)
  const last3 = text(answer.last3)
  const expiry = text(answer.expiry)
  const rows: Array<Row> = []
  if (type !== undefined) rows.push({ label: "Type", entered: documentNames.get(type) ?? labelOf(type) })
  if (country !== undefined) rows.push({ label: "Issued by", entered: countryName(country, "en") })
  const shown = number ?? (last3 === undefined ? undefined : `Ends in ${last3}`)
  if (shown !== undefined) rows.push({ label: "Number", entered: shown })
  if (expiry !== undefined) {
    const ends = dateOf(expiry)
    // A document is valid until the end of the day.
    const isExpired = ends !== undefined && ends.getTime() + 86_400_000 <= at.getTime()
    const row = { label: "Valid until", entered: dayInWords(expiry) }
    rows.push(isExpired ? { ...row, concern: "The document had expired" } : row)
  }
  return rows
}

/** By their names, because their words may be long. That they were shown is known only of those that the server compared; of all others the browser may say anything. */
const consentRows = (session: SessionRead, step: StepOf<"consent">, answer: Json): ReadonlyArray<Row> => {
  if (Object.keys(answer).length === 0) return []
  const { consentVersion } = readConfig(session.instance_config).legal
  const isKnown = isAnswered(session, step)
  const given = Map.groupBy(objects(answer.items), ({ id }) => id)
  return step.items.map(({ id, required }) => {
    const said = given.get(id) ?? []
    const saysYes = said.length > 0 && said.every(({ accepted = true }) => accepted === true)
    const claimed = saysYes ? "Agreed, as the browser says" : "Not agreed"
    return {
      label: labelOf(id),
      entered: required && isKnown ? `Agreed to version ${consentVersion}` : claimed
    }
  })
}

const rowsOf = (session: SessionRead, step: Step): ReadonlyArray<Row> => {
  const answer = answerTo(session, step)
  const at = givenAt(session)
  if (answer.skipped === true) return [{ label: "Skipped", entered: "By the end user" }]
  switch (step.type) {
    case "form":
      return formRows(step, answer, at)
    case "document":
      return documentRows(answer, at)
    case "consent":
      return consentRows(session, step, answer)
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
      const rows = rowsOf(session, step)
      return rows.length === 0
        ? []
        : [{ id: step.id, origin: originOf(session, step), title: titleOf(step), rows }]
    })
}
