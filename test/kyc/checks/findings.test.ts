/** What is said of photos, in words: of zones, barcodes and dates, and of photos that cannot be looked at. */
import { DateTime } from "effect"
import { expect, it } from "vitest"
import { findingsOf, type Photo, type Typed } from "../../../src/kyc/checks/findings-model.ts"
import type { ZoneSeen } from "../../../src/kyc/checks/look-model.ts"
import { nameAgrees } from "../../../src/kyc/checks/names-model.ts"
import { todayIn } from "../../../src/kyc/checks/today-model.ts"

const quality = { width: 1600, height: 1200, sharpness: 500, brightness: 150, glare: 0 }
const nothing = { found: "nothing" } as const

const zone: ZoneSeen = {
  found: "zone",
  format: "TD3",
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

const photoOf = (seen: ZoneSeen | typeof nothing, id = "a"): Photo => ({
  id,
  isDocument: true,
  look: { found: "picture", quality, zone: seen, barcode: nothing }
})

const findings = (
  photos: ReadonlyArray<Photo>,
  typed: Typed = {},
  today = "2026-11-23",
  minimumAge?: number,
  seenIn: ReadonlyMap<string, ReadonlySet<string>> = new Map()
) =>
  Object.fromEntries(
    findingsOf({ photos, seenIn, typed, today, minimumAge }).map(
      (finding) => [finding.kind, finding] as const
    )
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
    reason: "Typed differently than the machine-readable zone says: given names.",
    detail: { document_number: "agrees", surname: "agrees", given_names: "differs" }
  })
})

it("takes dates from the zone, else from what was typed", () => {
  const expiryOn = (today: string) => findings([photoOf(zone)], {}, today)["document.expiry"]
  expect(expiryOn("2031-04-15")).toMatchObject({ outcome: "agrees", detail: { source: "zone" } })
  expect(expiryOn("2031-04-16")).toMatchObject({
    outcome: "differs",
    reason: "By the date that the machine-readable zone says, the document has expired."
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
    reason: "By the date that was typed, the person is 17 years old, under the minimum age of 18."
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
    ["Pacific/Kiritimati", "2031-04-15T09:59:59.999Z", "2031-04-15T10:00:00Z"],
    ["Asia/Kathmandu", "2031-04-15T18:14:59.999Z", "2031-04-15T18:15:00Z"],
    ["UTC", "2031-04-15T23:59:59.999Z", "2031-04-16T00:00:00Z"],
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
    const found = findings([{ id: "a", isDocument: true, look }])
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
    outcomes({ found: "picture", quality: { ...quality, sharpness: 2 }, zone: missing, barcode: missing })
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
