/** What is said of the zone and the barcode of a document, in words. */
import {
  compared,
  comparisonOf,
  isReliable,
  protectedFields,
  sourceOfBarcode,
  sourceOfZone,
  type Typed
} from "./comparison-model.ts"
import { licencesWithBarcodes } from "./licences-model.ts"
import type { BarcodeSeen, ZoneSeen } from "./look-model.ts"
import type { Finding } from "./model.ts"
import { listed, type Photo, withoutPicture } from "./photo-findings-model.ts"
import { leastSureChecked } from "./zone-model.ts"

const engines = {
  zone: "doorlock-zone-reader 1",
  barcode: "zxing-wasm 3.1.4, aamva-parser 1.7.0",
  rules: "doorlock 1"
} as const

/** The best of what several photos show; undefined if none shows any. */
const zoneIn = (photos: ReadonlyArray<Photo>) =>
  photos
    .flatMap(({ id, look }) =>
      typeof look !== "string" && look.found === "picture" && look.zone.found === "zone"
        ? [{ id, zone: look.zone }]
        : []
    )
    .toSorted((one, other) => one.zone.check_digits.wrong.length - other.zone.check_digits.wrong.length)[0]

const barcodeIn = (
  photos: ReadonlyArray<Photo>
): { readonly id: string; readonly barcode: BarcodeSeen } | undefined =>
  photos
    .flatMap(({ id, look }) =>
      typeof look !== "string" && look.found === "picture" && look.barcode.found === "barcode"
        ? [{ id, barcode: look.barcode }]
        : []
    )
    .toSorted(
      (one, other) => Number(other.barcode.fields !== undefined) - Number(one.barcode.fields !== undefined)
    )[0]

/** Why no photo of the document could be looked at for this part; undefined if at least one was. */
const notChecked = (photos: ReadonlyArray<Photo>, part: "barcode" | "zone"): string | undefined => {
  const [first] = photos
  if (first === undefined) return "There is no photo of a document."
  const reasons = photos.map(
    ({ look }) =>
      withoutPicture(look) ??
      (typeof look !== "string" && look.found === "picture" && look[part].found === "no library"
        ? `The package that reads ${part === "zone" ? "machine-readable zones" : "barcodes"} is not installed.`
        : undefined)
  )
  return reasons.every((reason) => reason !== undefined) ? reasons[0] : undefined
}

const digitNames: Readonly<Record<string, string>> = {
  birth_date: "the date of birth",
  composite: "the whole zone",
  document_number: "the document number",
  expiry_date: "the date of expiry",
  personal_number: "the personal number"
}

const zoneFinding = (zone: ZoneSeen): Omit<Finding, "file_ids"> => {
  const { check_digits, confidence, fields, format } = zone
  const { of, right, wrong } = check_digits
  const read = `The machine-readable zone was read; ${right} of ${of} check digits are right`
  const isSure = Object.values(confidence).every((sure) => sure >= leastSureChecked)
  const unsure = protectedFields.filter((field) => !wrong.includes(field) && !isReliable(zone, field))
  return {
    kind: "document.mrz",
    engine: engines.zone,
    detail: { format, fields, check_digits, confidence },
    ...(wrong.length === 0
      ? unsure.length === 0
        ? { outcome: "agrees", reason: `${read}. This says nothing about forgery.` }
        : {
            outcome: "unreadable",
            reason: `${read}, but not every character is certain of ${listed(unsure.map((name) => digitNames[name] ?? name))}.`
          }
      : {
          // Where the reader is unsure, it rather misread the zone.
          outcome: isSure ? "differs" : "unreadable",
          reason: `${read}; wrong: that of ${listed(wrong.map((name) => digitNames[name] ?? name))}.`
        })
  }
}

/** What the end user said of the document. */
export interface ClaimedDocument {
  /** As in workflows. */
  readonly type?: string | undefined
  /** ISO 3166-1 alpha-3. */
  readonly country?: string | undefined
}

/** What the photos of the document show, with the photo that shows it. */
export const readIn = (documents: ReadonlyArray<Photo>) => ({
  zone: zoneIn(documents),
  barcode: barcodeIn(documents)
})

export type Read = ReturnType<typeof readIn>

/** Which of the two the document is expected to have: by its type, or if that is not known, by what was found. */
const expected = ({ country, type }: ClaimedDocument, { barcode, zone }: Read) => {
  if (type === undefined) {
    return { zone: barcode?.barcode.fields === undefined, barcode: zone === undefined }
  }
  const isLicence = type === "driving_licence"
  return {
    zone: !isLicence,
    barcode: isLicence && (country === undefined || licencesWithBarcodes.includes(country))
  }
}

/** What is said if nothing was found. A document that needs no zone or no barcode gives no cause for concern. */
const absent = (
  documents: ReadonlyArray<Photo>,
  part: "barcode" | "zone",
  isExpected: boolean
): Pick<Finding, "outcome" | "reason"> => {
  const why = notChecked(documents, part)
  if (why !== undefined) return { outcome: "not_checked", reason: why }
  const none = `No ${part === "zone" ? "machine-readable zone" : "barcode"} was found in the photos`
  return isExpected
    ? { outcome: "unreadable", reason: `${none}.` }
    : { outcome: "not_checked", reason: `${none}; documents of this type need none.` }
}

const zoneFindings = (
  documents: ReadonlyArray<Photo>,
  zone: Read["zone"],
  typed: Typed,
  isExpected: boolean
): ReadonlyArray<Finding> => {
  const matches = { kind: "document.mrz_matches", engine: engines.rules } as const
  if (zone === undefined) {
    const none = {
      ...absent(documents, "zone", isExpected),
      detail: {},
      file_ids: documents.map(({ id }) => id)
    }
    return [
      { kind: "document.mrz", ...none, engine: engines.zone },
      { ...matches, ...none }
    ]
  }
  const results = compared(typed, sourceOfZone(zone.zone))
  const file_ids = [zone.id]
  return [
    { ...zoneFinding(zone.zone), file_ids },
    { ...matches, ...comparisonOf(results, "the machine-readable zone"), detail: results, file_ids }
  ]
}

const barcodeFinding = (
  documents: ReadonlyArray<Photo>,
  barcode: Read["barcode"],
  typed: Typed,
  isExpected: boolean
): Finding => {
  const common = { kind: "document.barcode", engine: engines.barcode } as const
  if (barcode === undefined) {
    return {
      ...common,
      ...absent(documents, "barcode", isExpected),
      detail: {},
      file_ids: documents.map(({ id }) => id)
    }
  }
  const { fields, format } = barcode.barcode
  const file_ids = [barcode.id]
  if (fields === undefined) {
    const outcome = isExpected ? "unreadable" : "not_checked"
    const reason = "A barcode was found, but not that of a driving licence."
    return { ...common, outcome, reason, detail: { format }, file_ids }
  }
  const matches = compared(typed, sourceOfBarcode(fields))
  return {
    ...common,
    ...comparisonOf(matches, "the barcode"),
    detail: { format, fields, matches },
    file_ids
  }
}

/** What is said of the zone, of what was typed beside it, and of the barcode. */
export const documentFindings = (
  documents: ReadonlyArray<Photo>,
  read: Read,
  typed: Typed,
  claimed: ClaimedDocument
): ReadonlyArray<Finding> => {
  const expects = expected(claimed, read)
  return [
    ...zoneFindings(documents, read.zone, typed, expects.zone),
    barcodeFinding(documents, read.barcode, typed, expects.barcode)
  ]
}
