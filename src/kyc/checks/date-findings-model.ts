/** What is said of the dates of documents, in words. */
import { fieldNames, isReliable, type Typed } from "./comparison-model.ts"
import type { Read } from "./document-findings-model.ts"
import type { Finding } from "./model.ts"
import { earlierBirth } from "./zone-model.ts"

const engine = "doorlock 1"

type DateField = "birth_date" | "expiry_date"

interface Dated {
  readonly date: string
  readonly source: "barcode" | "typed" | "zone"
  /** The photos that show it. */
  readonly files: ReadonlyArray<string>
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

const datesIn = (field: DateField, { barcodes, zones }: Read): ReadonlyArray<Dated> => [
  ...zones.flatMap(({ id, zone }) => {
    const date = isReliable(zone, field) ? zone.fields[field] : undefined
    return isDay(date) ? [{ date, source: "zone", files: [id] } as const] : []
  }),
  ...barcodes.flatMap(({ barcode, id }) => {
    const date = barcode.fields?.[field]
    return isDay(date) ? [{ date, source: "barcode", files: [id] } as const] : []
  })
]

/** The date that the photos show, or else the one that was typed; or a finding, if there is none, or if several contradict each other. */
const dateOf = (
  field: DateField,
  reads: ReadonlyArray<Read>,
  typed: Typed
): Dated | Pick<Finding, "file_ids" | "outcome" | "reason"> => {
  const shown = reads.flatMap((read) => datesIn(field, read))
  const [first, ...others] = shown
  if (others.some(({ date }) => date !== first?.date)) {
    return {
      outcome: "differs",
      reason: `The photos contradict each other: ${fieldNames[field]}.`,
      file_ids: shown.flatMap(({ files }) => files)
    }
  }
  if (first !== undefined) return { ...first, files: shown.flatMap(({ files }) => files) }
  const [entered, ...more] = (typed[field] ?? []).filter(isDay)
  if (more.length > 0) {
    return {
      outcome: "differs",
      reason: `The answers contradict each other: ${fieldNames[field]}.`,
      file_ids: []
    }
  }
  return entered === undefined
    ? { outcome: "not_checked", reason: `No ${fieldNames[field]} was read or typed.`, file_ids: [] }
    : { date: entered, source: "typed", files: [] }
}

/** @param today `YYYY-MM-DD` */
export const expiryFinding = (read: Read, typed: Typed, today: string): Finding => {
  const common = { kind: "document.expiry", engine } as const
  const found = dateOf("expiry_date", [read], typed)
  if ("outcome" in found) return { ...common, ...found, detail: {} }
  const { date, files, source } = found
  const isOver = date < today
  return {
    ...common,
    outcome: isOver ? "differs" : "agrees",
    reason: `According to ${sourceWords[source]}, the document ${isOver ? "has expired" : "has not expired"}.`,
    detail: { date, source },
    file_ids: files
  }
}

/**
 * @param reads of all documents
 * @param today `YYYY-MM-DD`
 * @param minimumAge in years; undefined if the workflow has no such limit
 */
export const ageFinding = (
  reads: ReadonlyArray<Read>,
  typed: Typed,
  today: string,
  minimumAge: number | undefined
): Finding => {
  const common = { kind: "person.age", engine } as const
  const found = dateOf("birth_date", reads, typed)
  if ("outcome" in found) return { ...common, ...found, detail: {} }
  const { date, files: file_ids, source } = found
  const earlier = source === "zone" ? earlierBirth(date, Number(today.slice(0, 4))) : undefined
  const entered = typed.birth_date ?? []
  if (earlier !== undefined && (entered.length === 0 || entered.includes(earlier))) {
    const reason = `The machine-readable zone gives two digits of the year of birth, which may be ${earlier.slice(0, 4)} or ${date.slice(0, 4)}.`
    return { ...common, outcome: "unreadable", reason, detail: {}, file_ids }
  }
  const years = yearsBetween(date, today)
  const by = `According to ${sourceWords[source]}, the person is ${years} years old`
  return {
    ...common,
    ...(minimumAge === undefined
      ? ({ outcome: "not_checked", reason: `${by}. The workflow sets no minimum age.` } as const)
      : ({
          outcome: years < minimumAge ? "differs" : "agrees",
          reason: `${by}; the minimum age is ${minimumAge}.`
        } as const)),
    detail: { date, source, years },
    file_ids
  }
}
