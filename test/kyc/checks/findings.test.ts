/** What is said of photos, in words: of zones, barcodes and dates, and of photos that cannot be looked at. */
import { DateTime } from "effect"
import { expect, it } from "vitest"
import type { TypedField } from "../../../src/kyc/checks/comparison-model.ts"
import type { ClaimedDocument } from "../../../src/kyc/checks/document-findings-model.ts"
import { findingsOf } from "../../../src/kyc/checks/findings-model.ts"
import type { BarcodeSeen, ZoneSeen } from "../../../src/kyc/checks/look-model.ts"
import { nameAgrees } from "../../../src/kyc/checks/names-model.ts"
import type { Photo } from "../../../src/kyc/checks/photo-findings-model.ts"
import { todayIn } from "../../../src/kyc/checks/today-model.ts"

const quality = { width: 1600, height: 1200, sharpness: 500, brightness: 150, glare: 0 }
const nothing = { found: "nothing" } as const

const zone: ZoneSeen = {
  found: "zone",
  format: "TD3",
  lines: [],
  fields: {
    document_number: "L898902C3",
    surname: "MUELLER",
    given_names: "ANNA",
    birth_date: "1974-08-12",
    expiry_date: "2031-04-15",
    nationality: "D"
  },
  confidence: {
    document_number: 1,
    surname: 0.99,
    given_names: 0.99,
    birth_date: 1,
    expiry_date: 1,
    nationality: 1
  },
  check_digits: { right: 5, of: 5, wrong: [] },
  names_full: false
}

const photoOf = (
  seen: ZoneSeen | typeof nothing,
  id = "a",
  barcode: BarcodeSeen | typeof nothing = nothing
): Photo => ({
  id,
  shows: "document",
  step: "document",
  look: { found: "picture", quality, zone: seen, barcode, faces: nothing, vector: nothing }
})

type Entered = Readonly<Partial<Record<TypedField, string | ReadonlyArray<string>>>>

const findings = (
  photos: ReadonlyArray<Photo>,
  entered: Entered = {},
  today = "2026-11-23",
  minimumAge?: number,
  seenIn: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
  claimed: ClaimedDocument = {}
) =>
  Object.fromEntries(
    findingsOf({
      ...{ photos, seenIn, today, minimumAge, documents: [{ ...claimed, step: "document", typed: {} }] },
      typed: Object.fromEntries(Object.entries(entered).map(([field, values]) => [field, [values].flat()])),
      ...{ asksForSelfie: false, comparison: undefined }
    }).map((finding) => [finding.kind, finding] as const)
  )

it("compares names as a zone writes them", () => {
  for (const [typed, read] of [
    ["Müller", "MUELLER"],
    ["Müller", "MULLER"],
    ["O'Brien", "OBRIEN"],
    ["Smith-Jones", "SMITH JONES"],
    ["Łukasz Żółć", "LUKASZ ZOLC"],
    ["Strauß", "STRAUSS"],
    ["Åse Bjørk", "AASE BJOERK"]
  ] as const) {
    expect(nameAgrees(typed, read, false)).toBe(true)
  }
  expect(nameAgrees("Müller", "MILLER", false)).toBe(false)
  expect(nameAgrees("Иванова", "IVANOVA", false)).toBeUndefined()
  expect(nameAgrees("Chayapa Dejthamrong", "CHAYAPA DEJTH", true)).toBe(true)
  expect(nameAgrees("Chayapa Dejthamrong", "CHAYAPA DEJTH", false)).toBe(false)
})

it("never says that a field agrees whose check digit is wrong, and differs only where the reader is sure", () => {
  const typed = { document_number: "L898902C3", surname: "Müller", given_names: "Anne" }
  const misread: ZoneSeen = {
    ...zone,
    confidence: { ...zone.confidence, given_names: 0.6 },
    check_digits: { right: 3, of: 5, wrong: ["document_number", "composite"] }
  }
  const { "document.mrz": read, "document.mrz_matches": matches } = findings([photoOf(misread)], typed)
  expect(read).toMatchObject({
    outcome: "differs",
    reason:
      "The machine-readable zone was read; 3 of 5 check digits are right; wrong: that of the document number and the whole zone."
  })
  expect(matches?.detail).toEqual({
    document_number: "unreadable",
    surname: "agrees",
    given_names: "unreadable"
  })
  expect(findings([photoOf(zone)], typed)["document.mrz_matches"]).toMatchObject({
    outcome: "differs",
    reason: "What was typed differs from the machine-readable zone: given names.",
    detail: { document_number: "agrees", surname: "agrees", given_names: "differs" }
  })
})

it("does not believe a check digit that is right by chance, after a character was corrected by it", () => {
  // As it was read once: VT7643101 in print, at `hard`.
  const unsure: ZoneSeen = {
    ...zone,
    fields: { ...zone.fields, document_number: "V11643101" },
    confidence: { ...zone.confidence, document_number: 0.22 }
  }
  for (const number of ["V11643101", "VT7643101"]) {
    const found = findings([photoOf(unsure)], { document_number: number, surname: "Müller" })
    expect(found["document.mrz"]).toMatchObject({
      outcome: "unreadable",
      reason:
        "The machine-readable zone was read; 5 of 5 check digits are right, but not every character is certain of the document number."
    })
    expect(found["document.mrz_matches"]?.detail).toEqual({
      document_number: "unreadable",
      surname: "agrees"
    })
  }
  const dates: ZoneSeen = {
    ...zone,
    confidence: { ...zone.confidence, expiry_date: 0.4, birth_date: 0.4 }
  }
  const typed = { expiry_date: "2027-01-01", birth_date: "2000-01-01" }
  const found = findings([photoOf(dates)], typed, undefined, 18)
  for (const kind of ["document.expiry", "person.age"])
    expect(found[kind]).toMatchObject({ detail: { source: "typed" } })
})

it("gives no cause for concern where a document that needs no zone or no barcode has none", () => {
  const said = (claimed: ClaimedDocument, photo = photoOf(nothing)) => {
    const found = findings([photo], {}, undefined, undefined, undefined, claimed)
    return (["document.mrz", "document.mrz_matches", "document.barcode"] as const).map(
      (kind) => `${found[kind]?.outcome}: ${found[kind]?.reason}`
    )
  }
  const noZone = "No machine-readable zone was found in the photos"
  const noBarcode = "No barcode was found in the photos"
  const needless = "; documents of this type need none."
  const withoutBarcode = [
    `unreadable: ${noZone}.`,
    `unreadable: ${noZone}.`,
    `not_checked: ${noBarcode}${needless}`
  ]
  const withoutZone = [`not_checked: ${noZone}${needless}`, `not_checked: ${noZone}${needless}`]
  for (const type of ["passport", "id_card", "residence_permit"]) {
    expect([type, ...said({ type, country: "USA" })]).toEqual([type, ...withoutBarcode])
  }
  for (const country of ["USA", "CAN", undefined]) {
    expect(said({ type: "driving_licence", country })).toEqual([...withoutZone, `unreadable: ${noBarcode}.`])
  }
  expect(said({ type: "driving_licence", country: "DEU" })).toEqual([
    ...withoutZone,
    `not_checked: ${noBarcode}${needless}`
  ])
  // A workflow of one's own may not say the type: what was found does.
  expect(said({})).toEqual([...withoutBarcode.slice(0, 2), `unreadable: ${noBarcode}.`])
  expect(said({}, photoOf(zone))[2]).toBe(`not_checked: ${noBarcode}${needless}`)
  const licence = { found: "barcode", format: "PDF417", fields: { document_number: "T1" } } as const
  expect(said({}, photoOf(nothing, "a", licence)).slice(0, 2)).toEqual(withoutZone)
  // Codes of other kinds are on many documents.
  const code = { found: "barcode", format: "QRCode" } as const
  const another = "A barcode was found, but not that of a driving licence."
  expect(said({ type: "passport" }, photoOf(zone, "a", code))[2]).toBe(`not_checked: ${another}`)
  expect(said({ type: "driving_licence" }, photoOf(nothing, "a", code))[2]).toBe(`unreadable: ${another}`)
})

it("takes dates from the zone, else from what was typed", () => {
  const expiryOn = (today: string) => findings([photoOf(zone)], {}, today)["document.expiry"]
  expect(expiryOn("2031-04-15")).toMatchObject({ outcome: "agrees", detail: { source: "zone" } })
  expect(expiryOn("2031-04-16")).toMatchObject({
    outcome: "differs",
    reason: "According to the machine-readable zone, the document has expired."
  })
  const typed = { expiry_date: "2027-01-01", birth_date: "2008-11-24" }
  const byTyped = findings([photoOf(nothing)], typed, "2026-11-23", 18)
  expect(byTyped["document.expiry"]).toMatchObject({
    outcome: "agrees",
    detail: { source: "typed" },
    file_ids: []
  })
  expect(byTyped["person.age"]).toMatchObject({
    outcome: "differs",
    reason: "According to the date that was typed, the person is 17 years old; the minimum age is 18."
  })
  expect(findings([photoOf(nothing)], typed, "2026-11-24", 18)["person.age"]).toMatchObject({
    outcome: "agrees"
  })
})

it("judges dates by the day in the time zone of the config", () => {
  const expiryAt = (moment: string, checks: unknown) =>
    findings([photoOf(zone)], {}, todayIn({ checks }, DateTime.unsafeMake(moment)))["document.expiry"]
      ?.outcome
  // The last moment of the last day, and the first of the day after it.
  for (const [timeZone, last, after] of [
    ["Europe/Berlin", "2031-04-15T21:59:59.999Z", "2031-04-15T22:00:00Z"],
    ["America/New_York", "2031-04-16T03:59:59.999Z", "2031-04-16T04:00:00Z"],
    [null, "2031-04-15T23:59:59.999Z", "2031-04-16T00:00:00Z"],
    // In configs from before time zones were checked.
    ["Europe/Nowhere", "2031-04-15T23:59:59.999Z", "2031-04-16T00:00:00Z"],
    [7, "2031-04-15T23:59:59.999Z", "2031-04-16T00:00:00Z"]
  ] as const) {
    expect([timeZone, expiryAt(last, { timeZone }), expiryAt(after, { timeZone })]).toEqual([
      timeZone,
      "agrees",
      "differs"
    ])
  }
  expect(expiryAt("2031-04-15T23:59:59.999Z", undefined)).toBe("agrees")
})

it("says in how many other sessions a photo is that looks the same", () => {
  const duplicate = (seen: Readonly<Record<string, ReadonlyArray<string>>>, photos = ["a", "b"]) =>
    findings(
      photos.map((id) => photoOf(nothing, id)),
      {},
      undefined,
      undefined,
      new Map(Object.entries(seen).map(([id, sessions]) => [id, new Set(sessions)]))
    )["photo.duplicate"]
  expect(duplicate({ a: ["s"], b: [] })).toMatchObject({
    outcome: "differs",
    reason: "Another session has a photo that looks the same.",
    detail: { sessions: 1 },
    file_ids: ["a"]
  })
  expect(duplicate({ a: ["s", "t"], b: ["t"] })).toMatchObject({
    outcome: "differs",
    reason: "2 other sessions have photos that look the same.",
    detail: { sessions: 2 },
    file_ids: ["a", "b"]
  })
  expect(duplicate({ a: [], b: [] })).toMatchObject({
    outcome: "agrees",
    reason: "No other session has a photo that looks the same.",
    detail: { sessions: 0 }
  })
  expect(duplicate({ b: [] })).toMatchObject({
    outcome: "agrees",
    reason: "No other session has a photo that looks the same as those that could be compared.",
    file_ids: ["b"]
  })
  expect(duplicate({})).toMatchObject({
    outcome: "unreadable",
    reason: "The photos are too uniform to be compared with others."
  })
  expect(duplicate({}, [])).toMatchObject({ outcome: "not_checked", reason: "There is no photo." })
})

it("says why photos are not looked at", () => {
  const outcomes = (look: Photo["look"]) => {
    const found = findings([{ id: "a", shows: "document", step: "document", look }])
    return (["document.mrz", "document.barcode", "photo.quality", "photo.duplicate"] as const).map(
      (kind) => `${found[kind]?.outcome}: ${found[kind]?.reason}`
    )
  }
  const all = (sentence: string) => Array.from({ length: 4 }, () => `not_checked: ${sentence}`)
  expect(outcomes("failed")).toEqual(all("Looking at the photo failed three times."))
  expect(outcomes("type")).toEqual(all("Files of this type are not looked at."))
  expect(outcomes({ found: "no library" })).toEqual(all("The package that decodes photos is not installed."))
  expect(outcomes({ found: "no picture" })).toEqual(all("The photo cannot be decoded."))
  const missing = { found: "no library" } as const
  expect(
    outcomes({
      found: "picture",
      quality: { ...quality, sharpness: 2 },
      zone: missing,
      barcode: missing,
      faces: nothing,
      vector: nothing
    })
  ).toEqual([
    "not_checked: The package that reads machine-readable zones is not installed.",
    "not_checked: The package that reads barcodes is not installed.",
    "unreadable: The photo is blurred.",
    "unreadable: The photos are too uniform to be compared with others."
  ])
  expect(findings([])["document.mrz"]).toMatchObject({
    outcome: "not_checked",
    reason: "There is no photo of a document."
  })
})
