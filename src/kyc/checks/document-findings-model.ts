/** What is said of the zone and the barcode of a document, in words. */

import { licencesWithBarcodes } from "../instances/country-model.ts"
import {
  compared,
  comparedFields,
  comparisonOf,
  differing,
  isReliable,
  namesOf,
  protectedFields,
  type Source,
  sourceOfBarcode,
  sourceOfZone,
  type Typed,
  worstOf
} from "./comparison-model.ts"
import type { BarcodeSeen, ZoneSeen } from "./look-model.ts"
import type { Finding } from "./model.ts"
import { listed, type Photo, withoutPicture } from "./photo-findings-model.ts"
import { leastSureChecked } from "./zone-model.ts"

const engines = {
  zone: "doorlock-zone-reader 1",
  barcode: "zxing-wasm 3.1.4, aamva-parser 1.7.0",
  rules: "doorlock 1"
} as const

/** Each with the photo that shows it; the one with the fewest wrong check digits first. */
const zonesIn = (photos: ReadonlyArray<Photo>) =>
  photos
    .flatMap(({ id, look }) =>
      typeof look !== "string" && look.found === "picture" && look.zone.found === "zone"
        ? [{ id, zone: look.zone }]
        : []
    )
    .toSorted((one, other) => one.zone.check_digits.wrong.length - other.zone.check_digits.wrong.length)

/** Each with the photo that shows it; those of driving licences first. */
const barcodesIn = (
  photos: ReadonlyArray<Photo>
): ReadonlyArray<{ readonly id: string; readonly barcode: BarcodeSeen }> =>
  photos
    .flatMap(({ id, look }) =>
      typeof look !== "string" && look.found === "picture" && look.barcode.found === "barcode"
        ? [{ id, barcode: look.barcode }]
        : []
    )
    .toSorted(
      (one, other) => Number(other.barcode.fields !== undefined) - Number(one.barcode.fields !== undefined)
    )

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

/** What the photos of a document show. */
export const readIn = (documents: ReadonlyArray<Photo>) => ({
  zones: zonesIn(documents),
  barcodes: barcodesIn(documents)
})

export type Read = ReturnType<typeof readIn>

/** Which of the two the document is expected to have: by its type, or if that is not known, by what was found. */
const expected = ({ country, type }: ClaimedDocument, { barcodes, zones }: Read) => {
  if (type === undefined) {
    return { zone: barcodes[0]?.barcode.fields === undefined, barcode: zones.length === 0 }
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

/** What is said if the photos of one document show several, which differ; undefined otherwise. */
const contradiction = (
  sources: ReadonlyArray<Source>,
  what: string
): Pick<Finding, "outcome" | "reason"> | undefined => {
  const found = new Set(
    sources.flatMap((one, index) => sources.slice(index + 1).flatMap((other) => differing(one, other)))
  )
  const fields = comparedFields.filter((field) => found.has(field))
  return fields.length === 0
    ? undefined
    : { outcome: "differs", reason: `The photos show ${what} that differ: ${namesOf(fields)}.` }
}

interface Document {
  readonly photos: ReadonlyArray<Photo>
  readonly read: Read
  readonly typed: Typed
  readonly claimed: ClaimedDocument
}

const zoneFindings = (
  { photos, read: { zones }, typed }: Document,
  isExpected: boolean,
  thisYear: number
): ReadonlyArray<Finding> => {
  const matches = { kind: "document.mrz_matches", engine: engines.rules } as const
  const [best] = zones
  if (best === undefined) {
    const none = {
      ...absent(photos, "zone", isExpected),
      detail: {},
      file_ids: photos.map(({ id }) => id)
    }
    return [
      { kind: "document.mrz", ...none, engine: engines.zone },
      { ...matches, ...none }
    ]
  }
  const sources = zones.map(({ zone }) => sourceOfZone(zone, thisYear))
  const contradicted = contradiction(sources, "machine-readable zones")
  const results = worstOf(sources.map((source) => compared(typed, source)))
  const file_ids = zones.map(({ id }) => id)
  return [
    { ...zoneFinding(best.zone), ...contradicted, file_ids },
    {
      ...matches,
      ...(contradicted ?? comparisonOf(typed, results, "the machine-readable zone")),
      detail: results,
      file_ids
    }
  ]
}

const barcodeFinding = ({ photos, read: { barcodes }, typed }: Document, isExpected: boolean): Finding => {
  const common = { kind: "document.barcode", engine: engines.barcode } as const
  const [first] = barcodes
  if (first === undefined) {
    return {
      ...common,
      ...absent(photos, "barcode", isExpected),
      detail: {},
      file_ids: photos.map(({ id }) => id)
    }
  }
  const { fields, format } = first.barcode
  if (fields === undefined) {
    const outcome = isExpected ? "unreadable" : "not_checked"
    const reason = "A barcode was found, but not that of a driving licence."
    return { ...common, outcome, reason, detail: { format }, file_ids: [first.id] }
  }
  const licences = barcodes.flatMap(({ barcode, id }) =>
    barcode.fields === undefined ? [] : [{ id, source: sourceOfBarcode(barcode.fields) }]
  )
  const sources = licences.map(({ source }) => source)
  const matches = worstOf(sources.map((source) => compared(typed, source)))
  return {
    ...common,
    ...(contradiction(sources, "barcodes") ?? comparisonOf(typed, matches, "the barcode")),
    detail: { format, fields, matches },
    file_ids: licences.map(({ id }) => id)
  }
}

/**
 * What is said of the zones of one document, of what was typed beside them, and of its barcodes.
 *
 * @param thisYear to tell the century of a birth
 */
export const documentFindings = (document: Document, thisYear: number): ReadonlyArray<Finding> => {
  const expects = expected(document.claimed, document.read)
  return [...zoneFindings(document, expects.zone, thisYear), barcodeFinding(document, expects.barcode)]
}
