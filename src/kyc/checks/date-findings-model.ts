/** What is said of the dates of a document, in words. */
import { isReliable, type Typed } from "./comparison-model.ts"
import type { Read } from "./document-findings-model.ts"
import type { Finding } from "./model.ts"

const engine = "doorlock 1"

interface DatedSource {
  readonly date: string
  readonly source: "barcode" | "typed" | "zone"
}

const sourceWords = {
  barcode: "the barcode",
  typed: "the date that was typed",
  zone: "the machine-readable zone"
} as const

/** Whole years from one day to another. */
const yearsBetween = (from: string, to: string): number =>
  Number(to.slice(0, 4)) - Number(from.slice(0, 4)) - (to.slice(5) < from.slice(5) ? 1 : 0)

const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text)

const dated = (
  field: "birth_date" | "expiry_date",
  { barcode, zone }: Read,
  typed: Typed
): DatedSource | undefined => {
  const read = zone?.zone
  const inZone = read !== undefined && isReliable(read, field) ? read.fields[field] : undefined
  if (isDay(inZone)) return { date: inZone, source: "zone" }
  const inBarcode = barcode?.barcode.fields?.[field]
  if (isDay(inBarcode)) return { date: inBarcode, source: "barcode" }
  const entered = typed[field]
  return isDay(entered) ? { date: entered, source: "typed" } : undefined
}

const filesOf = ({ source }: DatedSource, read: Read): ReadonlyArray<string> =>
  source === "typed" ? [] : [read[source]?.id ?? ""]

/** @param today `YYYY-MM-DD` */
export const expiryFinding = (read: Read, typed: Typed, today: string): Finding => {
  const common = { kind: "document.expiry", engine } as const
  const date = dated("expiry_date", read, typed)
  if (date === undefined) {
    const reason = "No date of expiry was read or typed."
    return { ...common, outcome: "not_checked", reason, detail: {}, file_ids: [] }
  }
  const isOver = date.date < today
  return {
    ...common,
    outcome: isOver ? "differs" : "agrees",
    reason: `According to ${sourceWords[date.source]}, the document ${isOver ? "has expired" : "has not expired"}.`,
    detail: { ...date },
    file_ids: filesOf(date, read)
  }
}

/**
 * @param today `YYYY-MM-DD`
 * @param minimumAge in years; undefined if the workflow has no such limit
 */
export const ageFinding = (
  read: Read,
  typed: Typed,
  today: string,
  minimumAge: number | undefined
): Finding => {
  const common = { kind: "person.age", engine } as const
  const date = dated("birth_date", read, typed)
  if (date === undefined) {
    const reason = "No date of birth was read or typed."
    return { ...common, outcome: "not_checked", reason, detail: {}, file_ids: [] }
  }
  const years = yearsBetween(date.date, today)
  const by = `According to ${sourceWords[date.source]}, the person is ${years} years old`
  return {
    ...common,
    ...(minimumAge === undefined
      ? ({ outcome: "not_checked", reason: `${by}. The workflow sets no minimum age.` } as const)
      : ({
          outcome: years < minimumAge ? "differs" : "agrees",
          reason: `${by}; the minimum age is ${minimumAge}.`
        } as const)),
    detail: { ...date, years },
    file_ids: filesOf(date, read)
  }
}
