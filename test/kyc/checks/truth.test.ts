/** No check says that something agrees which differs: whatever a browser sends as answers, as files and as result. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { answersIn } from "../../../src/kyc/checks/answers-model.ts"
import { findingsOf } from "../../../src/kyc/checks/findings-model.ts"
import type { ZoneSeen } from "../../../src/kyc/checks/look-model.ts"
import type { Finding } from "../../../src/kyc/checks/model.ts"
import type { Photo } from "../../../src/kyc/checks/photo-findings-model.ts"
import { zoneOf } from "../../../src/kyc/checks/zone-model.ts"
import type { JsonObject } from "../../../src/shared/json.ts"

const quality = { width: 1600, height: 1200, sharpness: 500, brightness: 150, glare: 0 }
const nothing = { found: "nothing" } as const
const today = "2026-11-30"

interface Person {
  readonly document_number: string
  readonly surname: string
  readonly given_names: string
  readonly birth_date: string
  readonly expiry_date: string
  readonly nationality: string
  readonly issuer?: string
}

const anna: Person = {
  ...{ document_number: "L898902C3", surname: "ERIKSSON", given_names: "ANNA MARIA", nationality: "UTO" },
  ...{ birth_date: "1974-08-12", expiry_date: "2031-04-15" }
}
const child: Person = {
  ...{ document_number: "X1234567Z", surname: "BERG", given_names: "NOA", nationality: "UTO" },
  ...{ birth_date: "2014-01-31", expiry_date: "2029-01-01" }
}

const zoneWith = (fields: Partial<Person>, sure = 1): ZoneSeen => ({
  ...{ found: "zone", format: "TD3", lines: [], names_full: false, fields },
  confidence: Object.fromEntries(Object.keys(anna).map((field) => [field, sure])),
  check_digits: { right: 5, of: 5, wrong: [] }
})

/** What is seen in each file, by its id: a zone, or nothing. */
type Seen = Readonly<Record<string, ZoneSeen | typeof nothing>>

interface Session {
  readonly first_workflow?: JsonObject
  readonly workflow?: JsonObject
  readonly progress?: JsonObject
  readonly result?: JsonObject
  readonly seen?: Seen
}

const whole = {
  steps: [
    { id: "document", type: "document" },
    {
      id: "person",
      type: "form",
      fields: [
        { id: "givenName", type: "text" },
        { id: "familyName", type: "text" },
        { id: "dateOfBirth", type: "date", minAge: 18 },
        { id: "nationality", type: "country" }
      ]
    },
    { id: "selfie", type: "selfie" }
  ]
}

const findings = ({ first_workflow, progress = {}, result = {}, seen = {}, workflow = whole }: Session) => {
  const {
    claimed: _,
    files,
    ...answers
  } = answersIn({
    ...{ first_workflow: first_workflow ?? null, instance_workflow: workflow, progress, result }
  })
  const photos = Object.entries(seen).map(
    ([id, zone]): Photo => ({
      ...(files.get(id) ?? { shows: "other" }),
      ...{ id, look: { found: "picture", quality, zone, barcode: nothing, faces: nothing, vector: nothing } }
    })
  )
  return findingsOf({ ...answers, photos, seenIn: new Map(), today, comparison: undefined })
}

const said = (session: Session, kind: Finding["kind"] = "document.mrz_matches"): string => {
  const found = findings(session).find((finding) => finding.kind === kind)
  return `${found?.outcome}: ${found?.reason}`
}

const personOf = ({ birth_date, given_names, nationality, surname }: Person) => ({
  ...{ givenName: given_names, familyName: surname, dateOfBirth: birth_date, nationality }
})
const documentOf = (
  { document_number: number, expiry_date: expiry }: Person,
  ...files: ReadonlyArray<string>
) => ({
  ...{ type: "passport", country: "UTO", number, expiry, files: files.map((id) => ({ id, side: "front" })) }
})

/** A session that says nothing false. */
const honest = {
  progress: { s_person: personOf(anna), s_document: documentOf(anna, "photo") },
  seen: { photo: zoneWith(anna) }
}

it("agrees with an honest session", () => {
  const all = "document number, surname, given names, date of birth, date of expiry and nationality"
  expect(said(honest)).toBe(`agrees: What was typed matches the machine-readable zone: ${all}.`)
  expect(said({ ...honest, result: { person: personOf(anna), document: documentOf(anna) } })).toMatch(
    /^agrees/
  )
  // Where duplicates are looked for, the progress has only the end of the number.
  const { number: _, ...document } = documentOf(anna, "photo")
  const progress = { ...honest.progress, s_document: { ...document, last3: "2C3" } }
  expect(said({ ...honest, progress, result: { document: { number: "L 898902-C3" } } })).toMatch(/^agrees/)
  expect(said(honest, "person.age")).toMatch(/^agrees: According to the machine-readable zone/)
})

/** An honest session, but for what was typed of the document. */
const typing = (changes: object): Session => ({
  ...honest,
  progress: { ...honest.progress, s_document: { ...documentOf(anna, "photo"), ...changes } }
})
const sending = (result: JsonObject): Session => ({ ...honest, result })

const differing = (fields: string) =>
  `differs: What was typed differs from the machine-readable zone: ${fields}.`
const contradicting = (fields: string) => `differs: The answers contradict each other: ${fields}.`
const allOfAChild = "document number, surname, given names, date of birth and date of expiry"

const asksForSelfie = { first_workflow: whole, workflow: { steps: [{ id: "selfie", type: "selfie" }] } }

/** A child's passport and its number, after a reviewer has asked an adult for the document again. */
const successor: Session = {
  first_workflow: whole,
  workflow: { steps: [{ id: "document", type: "document" }] },
  seen: { photo: zoneWith(child), selfie: nothing },
  progress: {
    s_person: personOf(anna),
    s_document: documentOf(child, "photo"),
    s_selfie: { files: [{ id: "selfie" }] }
  },
  result: { document: documentOf(child) }
}

/** Two photos of the document, the second of a child's. */
const twoZones: Session = {
  progress: { ...honest.progress, s_document: documentOf(anna, "photo", "back") },
  seen: { ...honest.seen, back: zoneWith(child) }
}

describe("differs", () => {
  const other = { ...anna, document_number: "P7654321X" }
  const rows: ReadonlyArray<readonly [string, string, Session, Finding["kind"]?]> = [
    [
      "another person's passport after a resubmission",
      differing("surname, given names and date of birth"),
      successor
    ],
    [
      "a child's passport after a resubmission",
      "differs: According to the machine-readable zone, the person is 12 years old; the minimum age is 18.",
      successor,
      "person.age"
    ],
    [
      "another person's passport that is carried over, and that a step names that is asked for again",
      differing("surname, given names and date of birth"),
      {
        ...asksForSelfie,
        seen: { photo: zoneWith(child) },
        progress: {
          s_person: personOf(anna),
          s_document: documentOf(child, "photo"),
          s_selfie: { skipped: true, files: [{ id: "photo" }] }
        }
      }
    ],
    [
      "a result with another number",
      contradicting("document number"),
      sending({ document: documentOf(other) })
    ],
    [
      "a result that says more of a carried document than was typed then",
      contradicting("document number"),
      {
        ...typing({ number: undefined, last3: "2C3" }),
        ...asksForSelfie,
        result: { document: { number: "L898902C3" } }
      }
    ],
    [
      "a number whose end is not the one that was stored",
      contradicting("document number"),
      { ...typing({ number: undefined, last3: "XYZ" }), result: { document: { number: "L898902C3" } } }
    ],
    [
      "a result with another number at the place of other documents",
      contradicting("document number"),
      sending({ documents: { document: documentOf(other) } })
    ],
    [
      "a result with two people in the same form",
      contradicting("surname, given names and date of birth"),
      sending({ person: personOf(anna), forms: { person: personOf(child) } })
    ],
    [
      "a result that has a list in place of an object",
      contradicting("surname, given names and date of birth"),
      sending({ person: [personOf(child)] })
    ],
    [
      "a result that has no text in place of one",
      contradicting("surname"),
      sending({ person: { ...personOf(anna), familyName: ["ERIKSSON"] } })
    ],
    ["the end of another number", differing("document number"), typing({ number: undefined, last3: "ZZZ" })],
    [
      "another country's document",
      differing("issuing country"),
      {
        ...typing({ country: "EST" }),
        seen: {
          photo: {
            ...zoneWith({ ...anna, issuer: "RUS" }),
            confidence: { ...zoneWith(anna).confidence, issuer: 1 }
          }
        }
      }
    ],
    [
      "a passport that was said to be an identity card",
      differing("type of document"),
      typing({ type: "id_card" })
    ],
    [
      "an identity card that was said to be a passport",
      differing("type of document"),
      { ...honest, seen: { photo: { ...zoneWith(anna), format: "TD1" } } }
    ],
    [
      "two types of one document",
      contradicting("type of document"),
      sending({ document: { ...documentOf(anna), type: "id_card" } })
    ],
    [
      "a photo that is named in upper case",
      differing(allOfAChild),
      { ...typing(documentOf(anna, "PHOTO")), seen: { photo: zoneWith(child) } }
    ],
    [
      "a matching zone that no step names",
      differing(allOfAChild),
      { ...honest, seen: { ours: zoneWith(anna), photo: zoneWith(child) } }
    ],
    [
      "two zones of one document",
      `differs: The photos show machine-readable zones that differ: ${allOfAChild}.`,
      twoZones
    ],
    [
      "two zones with different dates of birth",
      "differs: The photos contradict each other: date of birth.",
      twoZones,
      "person.age"
    ],
    ["a filler of the zone after the number", differing("document number"), typing({ number: "L898902C3<" })],
    ["a sign after the number", differing("document number"), typing({ number: "L898902C3€" })],
    ["full-width digits after the number", differing("document number"), typing({ number: "L898902C３９" })],
    [
      "two typed dates of expiry, without a zone",
      contradicting("date of expiry"),
      {
        ...sending({ document: { ...documentOf(anna), expiry: "2039-01-01" } }),
        seen: { photo: nothing }
      },
      "document.expiry"
    ]
  ]
  for (const [what, expected, session, kind] of rows) {
    it(what, () => expect(said(session, kind)).toBe(expected))
  }
})

it("does not tell the types of cards apart", () => {
  const seen = { photo: { ...zoneWith(anna), format: "TD1" as const } }
  for (const type of ["id_card", "residence_permit", "driving_licence"]) {
    expect(said({ ...typing({ type }), seen })).toMatch(/^agrees: [^:]*: document number, surname/)
  }
})

describe("says nothing certain of", () => {
  const rows: ReadonlyArray<readonly [string, string, Session, Finding["kind"]?]> = [
    [
      "a name with one letter of another script",
      "unreadable: What was typed cannot be compared with the machine-readable zone: surname. Letters of several scripts are mixed in: surname. The rest matches: document number, given names, date of birth, date of expiry and nationality.",
      { ...honest, progress: { ...honest.progress, s_person: { ...personOf(anna), familyName: "BЕRG" } } }
    ],
    [
      "one field of which the reader is unsure",
      "unreadable: What was typed cannot be compared with the machine-readable zone: date of birth. The rest matches: document number, surname, given names, date of expiry and nationality.",
      {
        ...honest,
        seen: { photo: { ...zoneWith(anna), confidence: { ...zoneWith(anna).confidence, birth_date: 0.4 } } }
      }
    ],
    [
      "a file that is named as a document and as a selfie",
      "not_checked: There is no photo of a document.",
      { ...honest, progress: { ...honest.progress, s_selfie: { files: [{ id: "photo" }] } } }
    ],
    [
      "an age of 12 or 112",
      "unreadable: The machine-readable zone gives two digits of the year of birth, which may be 1914 or 2014.",
      {
        progress: {
          s_person: { ...personOf(child), dateOfBirth: "1914-01-31" },
          s_document: documentOf(child, "photo")
        },
        seen: { photo: zoneWith(child) }
      },
      "person.age"
    ]
  ]
  for (const [what, expected, session, kind] of rows) {
    it(what, () => expect(said(session, kind)).toBe(expected))
  }
})

it("takes an expired document of the last century for expired, and a hundred years for a hundred", () => {
  const lines = (birth: string, expiry: string) => [
    "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
    `L898902C36UTO${birth}0F${expiry}9ZE184226B<<<<<10`
  ]
  const dates = (birth: string, expiry: string) => zoneOf("TD3", lines(birth, expiry), 2026).fields
  expect(dates("740812", "980415").expiry_date).toBe("1998-04-15")
  expect(dates("740812", "460415").expiry_date).toBe("2046-04-15")
  expect(dates("740812", "470415").expiry_date).toBe("1947-04-15")
  const old = { ...anna, birth_date: "1926-05-01" }
  const session = {
    progress: { s_person: personOf(old), s_document: documentOf(old, "photo") },
    seen: { photo: zoneWith({ ...old, birth_date: "2026-05-01" }) }
  }
  expect(said(session)).toMatch(/^agrees/)
})

/** Somebody else in some fields, or the same person. */
const others = fc.record(
  {
    document_number: fc.constantFrom("P7654321X", "L898902C"),
    surname: fc.constantFrom("BERG", "ERIKSSO"),
    given_names: fc.constantFrom("NOA", "ANNA"),
    birth_date: fc.constantFrom("2014-01-31", "1974-08-13"),
    expiry_date: fc.constantFrom("2029-01-01", "1998-04-15"),
    nationality: fc.constantFrom("SWE", "EST")
  },
  { requiredKeys: [] }
)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

it("says agrees of no session in which any value differs, or any is missing that was read", () => {
  fc.assert(
    fc.property(
      others,
      maybe(others),
      fc.array(fc.record({ shows: others, isNamed: fc.boolean() }), { maxLength: 3 }),
      fc.constantFrom("all", "document", "person"),
      (typed, sent, photos, asked) => {
        const entered = { ...anna, ...typed }
        const submitted = sent === undefined ? undefined : { ...anna, ...sent }
        const ids = photos.map((_, index) => `file-${index}`)
        const named = ids.filter((_, index) => photos[index]?.isNamed)
        const session: Session = {
          progress: { s_person: personOf(entered), s_document: documentOf(entered, ...named) },
          result:
            submitted === undefined ? {} : { person: personOf(submitted), document: documentOf(submitted) },
          seen: Object.fromEntries(
            photos.map(({ shows }, index) => [ids[index], zoneWith({ ...anna, ...shows })])
          ),
          ...(asked === "all"
            ? {}
            : { first_workflow: whole, workflow: { steps: whole.steps.filter(({ id }) => id === asked) } })
        }
        const claims = [entered, ...(submitted === undefined ? [] : [submitted])]
        const zones = photos.filter(({ isNamed }) => isNamed).map(({ shows }) => ({ ...anna, ...shows }))
        const isTrue = [...claims, ...zones].every((one) => Bun.deepEquals(one, entered))
        for (const { kind, outcome, reason } of findings(session)) {
          if (kind === "document.mrz_matches") {
            expect([outcome === "agrees", reason]).toEqual([isTrue && zones.length > 0, reason])
          }
          if (kind === "person.age" && outcome === "agrees") {
            expect(
              [...zones, ...(zones.length > 0 ? [] : claims)].map(({ birth_date }) => birth_date < "2008-12")
            ).not.toContain(false)
          }
        }
      }
    ),
    { numRuns: 20_000 }
  )
})
