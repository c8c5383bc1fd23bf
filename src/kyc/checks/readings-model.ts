/** Readings: what the server reads in the photo of a document for a browser that cannot (contract.md#readings). */
import { Data, Schema } from "effect"
import { isReliable, protectedFields } from "./comparison-model.ts"
import type { Look, ZoneSeen } from "./look-model.ts"
import { leastSure } from "./zone-model.ts"

/** How many photos of one session are read. */
export const maxReadingsPerSession = 5

/** The kind of work that reads a photo while the end user waits. */
export const readingWork = "kyc.session.reading"

const maybe = (description: string) => Schema.NullOr(Schema.String).annotations({ description })

export const ReadFields = Schema.Struct({
  document_number: maybe("The number of the document."),
  country: maybe(
    "The country that issued the document, as machine-readable zones write it, such as EST or D."
  ),
  expiry_date: maybe("The last day on which the document is valid, as `YYYY-MM-DD`."),
  surname: maybe("As the document writes it, in capital letters."),
  given_names: maybe("As the document writes them, in capital letters."),
  birth_date: maybe("As `YYYY-MM-DD`."),
  nationality: maybe("As machine-readable zones write it."),
  zone: maybe("The lines of the machine-readable zone, one below the other; null if a barcode was read.")
}).annotations({
  identifier: "KycReadFields",
  description: "What was read. A field that was not read with certainty is null."
})
export type ReadFields = typeof ReadFields.Type

export const Reading = Schema.Struct({
  file_id: Schema.String.annotations({ description: "The photo." }),
  status: Schema.Literal("waiting", "done").annotations({
    description:
      "`waiting`: the photo is not read yet. `done`: it was read, reading it failed, or a minute has passed."
  }),
  fields: Schema.NullOr(ReadFields).annotations({
    description:
      "Null until the reading is done, if nothing was read with certainty, and again after an hour. The end user has to compare them with the document."
  })
}).annotations({ identifier: "KycReading" })
export type Reading = typeof Reading.Type

/** What a sealed reading is: it does not open as something else. */
export const readingPlace = (fileId: string): string => `reading ${fileId}`

const zoneFields = (zone: ZoneSeen): ReadFields => {
  const { confidence, fields, lines } = zone
  const reliable = (field: (typeof protectedFields)[number]) =>
    isReliable(zone, field) ? (fields[field] ?? null) : null
  const sure = (field: keyof typeof fields) =>
    (confidence[field] ?? 0) >= leastSure ? (fields[field] ?? null) : null
  return {
    document_number: reliable("document_number"),
    country: sure("issuer"),
    expiry_date: reliable("expiry_date"),
    surname: sure("surname"),
    given_names: sure("given_names"),
    birth_date: reliable("birth_date"),
    nationality: sure("nationality"),
    zone: protectedFields.every((field) => isReliable(zone, field)) ? lines.join("\n") : null
  }
}

/** What may be filled in: of a zone with all check digits right, or else of the barcode of a driving licence. */
export const fieldsOf = (look: Look): ReadFields | null => {
  if (look.found !== "picture") return null
  const { barcode, zone } = look
  if (zone.found === "zone" && zone.check_digits.wrong.length === 0) {
    const fields = zoneFields(zone)
    if (Object.values(fields).some((field) => field !== null)) return fields
  }
  if (barcode.found !== "barcode" || barcode.fields === undefined) return null
  const { birth_date, country, document_number, expiry_date, given_names, surname } = barcode.fields
  return {
    document_number: document_number ?? null,
    country: country ?? null,
    expiry_date: expiry_date ?? null,
    surname: surname ?? null,
    given_names: given_names ?? null,
    birth_date: birth_date ?? null,
    nationality: null,
    zone: null
  }
}

/** The instance does not have the photos of its sessions looked at. */
export class ReadingDisabled extends Data.TaggedError("ReadingDisabled") {}

/** Nobody has asked for a reading of this file. */
export class ReadingNotFound extends Data.TaggedError("ReadingNotFound") {}

/** The session has had as many photos read as it may. */
export class TooManyReadings extends Data.TaggedError("TooManyReadings") {}
