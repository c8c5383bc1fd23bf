/** Compares what a document says with what was typed, in words. */
import { norm } from "../dedup/identity-model.ts"
import { alpha2 } from "../instances/country-model.ts"
import type { ZoneSeen } from "./look-model.ts"
import type { Finding, Outcome } from "./model.ts"
import { mixesScripts, nameAgrees, plainName } from "./names-model.ts"
import { listed } from "./photo-findings-model.ts"
import { earlierBirth, leastSureChecked } from "./zone-model.ts"

/** Fields that a document and the answers of a session can both have. Dates are `YYYY-MM-DD`. */
export const comparedFields = [
  "document_type",
  "document_number",
  "surname",
  "given_names",
  "birth_date",
  "expiry_date",
  "nationality",
  "issuer"
] as const
export type TypedField = (typeof comparedFields)[number]

/** By field, the different values that the answers give. Several contradict each other. */
export type Typed = Readonly<Partial<Record<TypedField, ReadonlyArray<string>>>> & {
  /** The stored end of a document number that is not stored. */
  readonly number_end?: string | undefined
}

type Values = Readonly<Partial<Record<TypedField, string | undefined>>>

export const fieldNames: Readonly<Record<TypedField, string>> = {
  document_type: "type of document",
  document_number: "document number",
  surname: "surname",
  given_names: "given names",
  birth_date: "date of birth",
  expiry_date: "date of expiry",
  nationality: "nationality",
  issuer: "issuing country"
}

/** Fields with a check digit of their own. */
export const protectedFields = ["document_number", "birth_date", "expiry_date"] as const
type ProtectedField = (typeof protectedFields)[number]
const isProtected = (field: TypedField): field is ProtectedField =>
  protectedFields.some((one) => one === field)

/** How sure the reader has to be of each character of a field to say that it differs. */
const surenessOf = (field: TypedField): number => (isProtected(field) ? leastSureChecked : 0.9)

/** Whether a field counts as read: its check digit is right, and not by chance. */
export const isReliable = ({ check_digits, confidence }: ZoneSeen, field: ProtectedField): boolean =>
  !check_digits.wrong.includes(field) && (confidence[field] ?? 0) >= leastSureChecked

export type Comparison = Exclude<Outcome, "not_checked">

/** Documents print numbers in groups. */
const plainNumber = (text: string): string =>
  text
    .normalize("NFKC")
    .toUpperCase()
    .replaceAll(/[\s./-]/g, "")

const plainText = (text: string): string => text.normalize("NFKC").trim().toUpperCase()

/** Whether two typed values are the same. */
export const isSame = (field: TypedField, one: string, other: string): boolean => {
  const plain =
    field === "document_number"
      ? plainNumber
      : field === "surname" || field === "given_names"
        ? plainName
        : plainText
  return plain(one) === plain(other)
}

/** Undefined: nobody can tell. */
const agrees = (field: TypedField, typed: string, read: string, cut: boolean): boolean | undefined => {
  if (field === "document_type") return (typed === passport) === (read === passport)
  if (field === "surname" || field === "given_names") return nameAgrees(typed, read, cut)
  // A zone writes fillers between the groups of a number.
  if (field === "document_number") return isSame(field, typed, read.replaceAll("<", ""))
  return isSame(field, typed, field === "nationality" || field === "issuer" ? countryOf(read) : read)
}

/** As in workflows. */
const passport = "passport"

/** Germany writes D. */
const countryOf = (read: string): string => (read === "D" ? "DEU" : read)

/** A zone or a barcode. */
export interface Source {
  readonly values: Values
  /** A second value that may be meant. */
  readonly others: Values
  readonly cut: boolean
  readonly isCertain: (field: TypedField) => boolean
  /** False: a check digit shows that the field was misread, or printed so, or the reader is unsure of it. */
  readonly isRight: (field: TypedField) => boolean
}

type Comparisons = Readonly<Partial<Record<TypedField, Comparison>>>

/** By field that was typed: what a zone or a barcode says of it. Answers that contradict each other do not agree with anything. */
export const compared = (typed: Typed, { cut, isCertain, isRight, others, values }: Source): Comparisons =>
  Object.fromEntries(
    comparedFields.flatMap((field): ReadonlyArray<readonly [TypedField, Comparison]> => {
      const [entered, another] = typed[field] ?? []
      const read = values[field]
      if (entered === undefined) {
        // That the end is the same shows little.
        const isOther =
          field === "document_number" &&
          typed.number_end !== undefined &&
          read !== undefined &&
          isRight(field) &&
          !norm(read).endsWith(typed.number_end)
        return isOther ? [[field, isCertain(field) ? "differs" : "unreadable"]] : []
      }
      if (another !== undefined) return [[field, "differs"]]
      // Organisations and territories issue documents, too, under codes that no list of countries has.
      if (field === "issuer" && (read === undefined || !alpha2.has(countryOf(read)))) return []
      if (field === "document_type" && read === undefined) return []
      if (read === undefined || !isRight(field)) return [[field, "unreadable"]]
      const same = entered === others[field] || agrees(field, entered, read, cut && field === "given_names")
      if (same === undefined) return [[field, "unreadable"]]
      // Only passports have their format, but cards of several types share the others.
      if (field === "document_type" && same) return []
      return [[field, same ? "agrees" : isCertain(field) ? "differs" : "unreadable"]]
    })
  )

/** The fields that two sources give differently, of which both are certain. */
export const differing = (one: Source, other: Source): ReadonlyArray<TypedField> =>
  comparedFields.filter((field) => {
    const [here, there] = [one, other].map((source) =>
      source.isRight(field) && source.isCertain(field) ? source.values[field] : undefined
    )
    return here !== undefined && there !== undefined && !isSame(field, here, there)
  })

const worst = ["differs", "unreadable", "agrees"] as const

/** The worst of several comparisons, by field. */
export const worstOf = (all: ReadonlyArray<Comparisons>): Comparisons =>
  Object.fromEntries(
    comparedFields.flatMap((field) => {
      const found = worst.find((outcome) => all.some((one) => one[field] === outcome))
      return found === undefined ? [] : [[field, found] as const]
    })
  )

/** Passport cards (IP) are cards that are called passports. */
const typeIn = ({ format, lines }: ZoneSeen): string | undefined => {
  if (format === "TD3") return passport
  return /^(?:P|IP)/.test(lines[0] ?? "") ? undefined : "card"
}

/** @param thisYear to tell the century of a birth */
export const sourceOfZone = (zone: ZoneSeen, thisYear: number): Source => ({
  values: { ...zone.fields, document_type: typeIn(zone) },
  others: {
    birth_date: zone.fields.birth_date && earlierBirth(zone.fields.birth_date, thisYear)
  },
  cut: zone.names_full,
  isCertain: (field) =>
    field === "document_type"
      ? zone.check_digits.wrong.length === 0
      : (zone.confidence[field] ?? 0) >= surenessOf(field),
  isRight: (field) => !isProtected(field) || isReliable(zone, field)
})

/** The issuer of a licence is a state: its country is what others name. */
export const sourceOfBarcode = ({
  country,
  ...read
}: Values & { readonly country?: string | undefined }): Source => ({
  values: { ...read, issuer: country },
  others: {},
  cut: false,
  isCertain: () => true,
  isRight: () => true
})

export const namesOf = (fields: ReadonlyArray<TypedField>): string =>
  listed(fields.map((field) => fieldNames[field]))

/** What is said of a comparison. It agrees only if each field that was typed does. */
export const comparisonOf = (
  typed: Typed,
  results: Comparisons,
  what: string
): Pick<Finding, "outcome" | "reason"> => {
  const those = (outcome: Comparison) => comparedFields.filter((field) => results[field] === outcome)
  const [agree, differ, unsure] = [those("agrees"), those("differs"), those("unreadable")]
  const contradicted = differ.filter((field) => (typed[field] ?? []).length > 1)
  const others = differ.filter((field) => !contradicted.includes(field))
  if (differ.length > 0) {
    return {
      outcome: "differs",
      reason: [
        ...(others.length > 0 ? [`What was typed differs from ${what}: ${namesOf(others)}.`] : []),
        ...(contradicted.length > 0 ? [`The answers contradict each other: ${namesOf(contradicted)}.`] : [])
      ].join(" ")
    }
  }
  if (unsure.length > 0) {
    const mixed = unsure.filter((field) => (typed[field] ?? []).some(mixesScripts))
    return {
      outcome: "unreadable",
      reason: [
        `What was typed cannot be compared with ${what}: ${namesOf(unsure)}.`,
        ...(mixed.length > 0 ? [`Letters of several scripts are mixed in: ${namesOf(mixed)}.`] : []),
        ...(agree.length > 0 ? [`The rest matches: ${namesOf(agree)}.`] : [])
      ].join(" ")
    }
  }
  return agree.length > 0
    ? { outcome: "agrees", reason: `What was typed matches ${what}: ${namesOf(agree)}.` }
    : { outcome: "not_checked", reason: "Nothing was typed that could be compared." }
}
