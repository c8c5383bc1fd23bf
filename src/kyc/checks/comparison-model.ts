/** Compares what a document says with what was typed, in words. */
import type { ZoneSeen } from "./look-model.ts"
import type { Finding, Outcome } from "./model.ts"
import { nameAgrees } from "./names-model.ts"
import { listed } from "./photo-findings-model.ts"
import { leastSureChecked } from "./zone-model.ts"

/** Fields that a document and the answers of a session can both have. Dates are `YYYY-MM-DD`. */
export interface Typed {
  readonly document_number?: string | undefined
  readonly surname?: string | undefined
  readonly given_names?: string | undefined
  readonly birth_date?: string | undefined
  readonly expiry_date?: string | undefined
  readonly nationality?: string | undefined
}

type Field = keyof Typed

const labels: Readonly<Record<Field, string>> = {
  document_number: "document number",
  surname: "surname",
  given_names: "given names",
  birth_date: "date of birth",
  expiry_date: "date of expiry",
  nationality: "nationality"
}
// The cast: `Object.keys` returns the names as strings.
const fields = Object.keys(labels) as ReadonlyArray<Field>

/** Fields with a check digit of their own. */
export const protectedFields = ["document_number", "birth_date", "expiry_date"] as const
type ProtectedField = (typeof protectedFields)[number]
const isProtected = (field: Field): field is ProtectedField => protectedFields.some((one) => one === field)

/** How sure the reader has to be of each character of a field to say that it differs. */
const surenessOf = (field: Field): number => (isProtected(field) ? leastSureChecked : 0.9)

/** Whether a field counts as read: its check digit is right, and not by chance. */
export const isReliable = ({ check_digits, confidence }: ZoneSeen, field: ProtectedField): boolean =>
  !check_digits.wrong.includes(field) && (confidence[field] ?? 0) >= leastSureChecked

export type Comparison = Exclude<Outcome, "not_checked">

const plainNumber = (text: string): string => text.toUpperCase().replaceAll(/[^A-Z0-9]/g, "")

const same = (field: Field, typed: string, read: string, cut: boolean): boolean | undefined => {
  if (field === "surname" || field === "given_names") return nameAgrees(typed, read, cut)
  if (field === "document_number") return plainNumber(typed) === plainNumber(read)
  // Germany writes D.
  if (field === "nationality") return typed.toUpperCase() === (read === "D" ? "DEU" : read)
  return typed === read
}

interface Source {
  readonly values: Typed
  readonly cut: boolean
  readonly isCertain: (field: Field) => boolean
  /** False: a check digit shows that the field was misread, or printed so, or the reader is unsure of it. */
  readonly isRight: (field: Field) => boolean
}

/** By field that was typed: what a zone or a barcode says of it. */
export const compared = (typed: Typed, { cut, isCertain, isRight, values }: Source) =>
  Object.fromEntries(
    fields.flatMap((field): ReadonlyArray<readonly [Field, Comparison]> => {
      const [entered, read] = [typed[field], values[field]]
      if (entered === undefined || entered === "") return []
      if (read === undefined || !isRight(field)) return [[field, "unreadable"]]
      const agrees = same(field, entered, read, cut && field === "given_names")
      if (agrees === undefined) return [[field, "unreadable"]]
      return [[field, agrees ? "agrees" : isCertain(field) ? "differs" : "unreadable"]]
    })
  )

export const sourceOfZone = (zone: ZoneSeen): Source => ({
  values: zone.fields,
  cut: zone.names_full,
  isCertain: (field) => (zone.confidence[field] ?? 0) >= surenessOf(field),
  isRight: (field) => !isProtected(field) || isReliable(zone, field)
})

export const sourceOfBarcode = (read: Typed): Source => ({
  values: read,
  cut: false,
  isCertain: () => true,
  isRight: () => true
})

const those = (results: Readonly<Record<string, Comparison>>, outcome: Comparison): ReadonlyArray<string> =>
  fields.filter((field) => results[field] === outcome).map((field) => labels[field])

export const comparisonOf = (
  results: Readonly<Record<string, Comparison>>,
  what: string
): Pick<Finding, "outcome" | "reason"> => {
  const [agree, differ] = [those(results, "agrees"), those(results, "differs")]
  if (differ.length > 0) {
    return { outcome: "differs", reason: `What was typed differs from ${what}: ${listed(differ)}.` }
  }
  if (agree.length > 0)
    return { outcome: "agrees", reason: `What was typed matches ${what}: ${listed(agree)}.` }
  if (Object.keys(results).length === 0)
    return { outcome: "not_checked", reason: "Nothing was typed that could be compared." }
  return { outcome: "unreadable", reason: `What was typed cannot be compared with ${what}.` }
}
