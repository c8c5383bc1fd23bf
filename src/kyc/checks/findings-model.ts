/** What the photos of a session show, compared with what was typed, in words. */
import type { BarcodeSeen, Look, Quality, ZoneSeen } from "./look-model.ts"
import type { Finding, Outcome } from "./model.ts"
import { nameAgrees } from "./names-model.ts"

/** Fields that a document and the answers of a session can both have. Dates are `YYYY-MM-DD`. */
export interface Typed {
  readonly document_number?: string | undefined
  readonly surname?: string | undefined
  readonly given_names?: string | undefined
  readonly birth_date?: string | undefined
  readonly expiry_date?: string | undefined
  readonly nationality?: string | undefined
}

/** Why a photo was not looked at: its type is not decoded, its content is not there, or looking at it failed three times. */
type NotLooked = "failed" | "gone" | "type"

export interface Photo {
  readonly id: string
  /** Whether it may show a document: a selfie does not. */
  readonly isDocument: boolean
  readonly look: Look | NotLooked
}

interface Given {
  readonly photos: ReadonlyArray<Photo>
  /** By the id of each photo that could be compared with others: the other sessions with a photo that looks the same. */
  readonly seenIn: ReadonlyMap<string, ReadonlySet<string>>
  readonly typed: Typed
  /** `YYYY-MM-DD`. */
  readonly today: string
  /** In years; undefined if the workflow has no such limit. */
  readonly minimumAge: number | undefined
}

const engines = {
  zone: "doorlock-zone-reader 1",
  barcode: "zxing-wasm 3.1.4, aamva-parser 1.7.0",
  photo: "sharp 0.35.5",
  duplicate: "doorlock-picture-hash 1, sharp 0.35.5",
  rules: "doorlock 1"
} as const

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
const isProtected = (field: Field): boolean =>
  field === "document_number" || field === "birth_date" || field === "expiry_date"

/** How sure the reader has to be of each character of a field to say that it differs. */
const surenessOf = (field: Field): number => (isProtected(field) ? 0.5 : 0.9)

type Comparison = Exclude<Outcome, "not_checked">

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
  /** False: a check digit shows that the field was misread, or printed so. */
  readonly isRight: (field: Field) => boolean
}

const compared = (typed: Typed, { cut, isCertain, isRight, values }: Source) =>
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

const sourceOfZone = (zone: ZoneSeen): Source => ({
  values: zone.fields,
  cut: zone.names_full,
  isCertain: (field) => (zone.confidence[field] ?? 0) >= surenessOf(field),
  isRight: (field) => !zone.check_digits.wrong.includes(field)
})

const sourceOfBarcode = (read: Typed): Source => ({
  values: read,
  cut: false,
  isCertain: () => true,
  isRight: () => true
})

const listed = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`

const those = (results: Readonly<Record<string, Comparison>>, outcome: Comparison): ReadonlyArray<string> =>
  fields.filter((field) => results[field] === outcome).map((field) => labels[field])

const comparisonOf = (
  results: Readonly<Record<string, Comparison>>,
  what: string
): Pick<Finding, "outcome" | "reason"> => {
  const [agree, differ] = [those(results, "agrees"), those(results, "differs")]
  if (differ.length > 0) {
    return { outcome: "differs", reason: `Typed differently than ${what} says: ${listed(differ)}.` }
  }
  if (agree.length > 0) return { outcome: "agrees", reason: `Typed as ${what} says: ${listed(agree)}.` }
  if (Object.keys(results).length === 0)
    return { outcome: "not_checked", reason: "Nothing was typed that could be compared." }
  return { outcome: "unreadable", reason: `What was typed cannot be compared with what ${what} says.` }
}

const notLooked: Readonly<Record<NotLooked, string>> = {
  failed: "Looking at the photo failed three times.",
  gone: "The photo is not in the store.",
  type: "Files of this type are not looked at."
}

const noDecoder = "The package that decodes photos is not installed."

const withoutPicture = (look: Photo["look"]): string | undefined => {
  if (typeof look === "string") return notLooked[look]
  if (look.found === "no library") return noDecoder
  return look.found === "no picture" ? "The photo cannot be decoded." : undefined
}

/** What makes a photo hard to look at. */
const flaws = ({ brightness, glare, height, sharpness, width }: Quality): ReadonlyArray<string> => [
  ...(Math.min(width, height) < 480 ? ["has few pixels"] : []),
  ...(sharpness < 20 ? ["is blurred"] : []),
  ...(brightness < 40 ? ["is dark"] : []),
  ...(brightness > 235 ? ["is too bright"] : []),
  ...(glare > 0.15 ? ["has reflections"] : [])
]

const qualityOf = ({ id, look }: Photo): Finding => {
  const found = { kind: "photo.quality", file_ids: [id], engine: engines.photo } as const
  const why = withoutPicture(look)
  if (typeof look === "string" || look.found !== "picture")
    return { ...found, outcome: "not_checked", reason: why ?? noDecoder, detail: {} }
  const found_flaws = flaws(look.quality)
  return found_flaws.length === 0
    ? { ...found, outcome: "agrees", reason: "The photo is sharp and evenly lit.", detail: look.quality }
    : { ...found, outcome: "unreadable", reason: `The photo ${listed(found_flaws)}.`, detail: look.quality }
}

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

const zoneFinding = ({ check_digits, confidence, fields, format }: ZoneSeen): Omit<Finding, "file_ids"> => {
  const { of, right, wrong } = check_digits
  const read = `The machine-readable zone was read; ${right} of ${of} check digits are right`
  const isSure = Object.values(confidence).every((sure) => sure >= 0.5)
  return {
    kind: "document.mrz",
    engine: engines.zone,
    detail: { format, fields, check_digits, confidence },
    ...(wrong.length === 0
      ? { outcome: "agrees", reason: `${read}. This says nothing about forgery.` }
      : {
          // Where the reader is unsure, it rather misread the zone.
          outcome: isSure ? "differs" : "unreadable",
          reason: `${read}; wrong: that of ${listed(wrong.map((name) => digitNames[name] ?? name))}.`
        })
  }
}

interface DatedSource {
  readonly date: string
  readonly source: "barcode" | "typed" | "zone"
}

const sourceWords = {
  barcode: "the barcode says",
  typed: "was typed",
  zone: "the machine-readable zone says"
} as const

/** Whole years from one day to another. */
const yearsBetween = (from: string, to: string): number =>
  Number(to.slice(0, 4)) - Number(from.slice(0, 4)) - (to.slice(5) < from.slice(5) ? 1 : 0)

const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text)

/** Whether other sessions have the same pictures: one finding for all photos. */
const duplicateOf = (photos: ReadonlyArray<Photo>, seenIn: Given["seenIn"]): Finding => {
  const common = { kind: "photo.duplicate", engine: engines.duplicate } as const
  const compared = photos.filter(({ id }) => seenIn.has(id))
  if (compared.length === 0) {
    const [first] = photos
    const whole = { ...common, detail: {}, file_ids: photos.map(({ id }) => id) }
    if (first === undefined) return { ...whole, outcome: "not_checked", reason: "There is no photo." }
    const why = photos.map(({ look }) => withoutPicture(look))
    return why.includes(undefined)
      ? { ...whole, outcome: "unreadable", reason: "The photos are too uniform to be compared with others." }
      : { ...whole, outcome: "not_checked", reason: why[0] ?? noDecoder }
  }
  const repeated = compared.filter(({ id }) => (seenIn.get(id)?.size ?? 0) > 0)
  const others = new Set(repeated.flatMap(({ id }) => [...(seenIn.get(id) ?? [])]))
  const detail = { sessions: others.size }
  if (repeated.length > 0) {
    const have = others.size === 1 ? "Another session has" : `${others.size} other sessions have`
    const what = repeated.length === 1 ? "a photo that looks" : "photos that look"
    return {
      ...common,
      outcome: "differs",
      reason: `${have} ${what} the same.`,
      detail,
      file_ids: repeated.map(({ id }) => id)
    }
  }
  const some = compared.length === photos.length ? "" : " as those that could be compared"
  return {
    ...common,
    outcome: "agrees",
    reason: `No other session has a photo that looks the same${some}.`,
    detail,
    file_ids: compared.map(({ id }) => id)
  }
}

/** The findings of a session, in the order in which they are shown. */
export const findingsOf = ({ minimumAge, photos, seenIn, today, typed }: Given): ReadonlyArray<Finding> => {
  const documents = photos.filter(({ isDocument }) => isDocument)
  const ids = documents.map(({ id }) => id)
  const found = { zone: zoneIn(documents), barcode: barcodeIn(documents) }
  const why = { zone: notChecked(documents, "zone"), barcode: notChecked(documents, "barcode") }

  const zone = (): ReadonlyArray<Finding> => {
    if (found.zone !== undefined) {
      const results = compared(typed, sourceOfZone(found.zone.zone))
      const file_ids = [found.zone.id]
      return [
        { ...zoneFinding(found.zone.zone), file_ids },
        {
          kind: "document.mrz_matches",
          ...comparisonOf(results, "the machine-readable zone"),
          detail: results,
          file_ids,
          engine: engines.rules
        }
      ]
    }
    const none =
      why.zone === undefined
        ? ({ outcome: "unreadable", reason: "No machine-readable zone was found in the photos." } as const)
        : ({ outcome: "not_checked", reason: why.zone } as const)
    return [
      { kind: "document.mrz", ...none, detail: {}, file_ids: ids, engine: engines.zone },
      { kind: "document.mrz_matches", ...none, detail: {}, file_ids: ids, engine: engines.rules }
    ]
  }

  const barcode = (): Finding => {
    const common = { kind: "document.barcode", engine: engines.barcode } as const
    if (found.barcode === undefined) {
      return {
        ...common,
        ...(why.barcode === undefined
          ? ({ outcome: "unreadable", reason: "No barcode was found in the photos." } as const)
          : ({ outcome: "not_checked", reason: why.barcode } as const)),
        detail: {},
        file_ids: ids
      }
    }
    const { fields: read, format } = found.barcode.barcode
    const file_ids = [found.barcode.id]
    if (read === undefined) {
      const reason = "A barcode was found, but not that of a driving licence."
      return { ...common, outcome: "unreadable", reason, detail: { format }, file_ids }
    }
    const matches = compared(typed, sourceOfBarcode(read))
    return {
      ...common,
      ...comparisonOf(matches, "the barcode"),
      detail: { format, fields: read, matches },
      file_ids
    }
  }

  const dated = (field: "birth_date" | "expiry_date"): DatedSource | undefined => {
    const read = found.zone?.zone
    const inZone = read?.check_digits.wrong.includes(field) === false ? read.fields[field] : undefined
    if (isDay(inZone)) return { date: inZone, source: "zone" }
    const inBarcode = found.barcode?.barcode.fields?.[field]
    if (isDay(inBarcode)) return { date: inBarcode, source: "barcode" }
    const entered = typed[field]
    return isDay(entered) ? { date: entered, source: "typed" } : undefined
  }

  const filesOf = ({ source }: DatedSource): ReadonlyArray<string> =>
    source === "typed" ? [] : [(source === "zone" ? found.zone?.id : found.barcode?.id) ?? ""]

  const expiry = (): Finding => {
    const common = { kind: "document.expiry", engine: engines.rules } as const
    const date = dated("expiry_date")
    if (date === undefined) {
      const reason = "No date of expiry was read or typed."
      return { ...common, outcome: "not_checked", reason, detail: {}, file_ids: [] }
    }
    const isOver = date.date < today
    return {
      ...common,
      outcome: isOver ? "differs" : "agrees",
      reason: `By the date that ${sourceWords[date.source]}, the document ${isOver ? "has expired" : "has not expired"}.`,
      detail: { ...date },
      file_ids: filesOf(date)
    }
  }

  const age = (): Finding => {
    const common = { kind: "person.age", engine: engines.rules } as const
    const date = dated("birth_date")
    if (date === undefined) {
      const reason = "No date of birth was read or typed."
      return { ...common, outcome: "not_checked", reason, detail: {}, file_ids: [] }
    }
    const years = yearsBetween(date.date, today)
    const by = `By the date that ${sourceWords[date.source]}, the person is ${years} years old`
    return {
      ...common,
      ...(minimumAge === undefined
        ? ({ outcome: "not_checked", reason: `${by}. The workflow sets no minimum age.` } as const)
        : ({
            outcome: years < minimumAge ? "differs" : "agrees",
            reason: `${by}, ${years < minimumAge ? "under" : "at least"} the minimum age of ${minimumAge}.`
          } as const)),
      detail: { ...date, years },
      file_ids: filesOf(date)
    }
  }

  return [...zone(), barcode(), expiry(), age(), ...photos.map(qualityOf), duplicateOf(photos, seenIn)]
}
