/** No check says that something agrees which differs, of photos of specimens whose holders are known. */
import { expect, layer } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import * as fc from "fast-check"
import { answersIn } from "../../../src/kyc/checks/answers-model.ts"
import { findingsOf } from "../../../src/kyc/checks/findings-model.ts"
import { Looking } from "../../../src/kyc/checks/looking.ts"
import { Timing } from "../../../src/shared/timing.ts"
import { type Holder, levels, seeded, specimen } from "../../support/kyc/specimens.ts"
import { patientTiming } from "../../support/timing.ts"

const rendered = 24
const sessions = 300
const today = "2026-11-30"

const steps = [
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
  }
]

const dayOf = (yymmdd: string, century: number): string =>
  `${century + Number(yymmdd.slice(0, 2))}-${yymmdd.slice(2, 4)}-${yymmdd.slice(4)}`

/** What the holder types, if it is true. */
const typedBy = ({ birth, expiry, given, number, surname }: Holder, format: "TD1" | "TD2" | "TD3") => ({
  person: {
    givenName: given.replaceAll("<", " "),
    familyName: surname,
    // The specimens' holders were born from 1950 to 2005.
    dateOfBirth: dayOf(birth, Number(birth.slice(0, 2)) < 50 ? 2000 : 1900),
    nationality: "UTO"
  },
  document: {
    type: format === "TD3" ? "passport" : "id_card",
    ...{ country: "UTO", number, expiry: dayOf(expiry, 2000) }
  }
})
type Claim = ReturnType<typeof typedBy>

/** Somebody else in one field, hardly to be noticed. */
const altered = ({ document, person }: Claim, field: string): Claim => {
  const next = (text: string) => text.slice(0, -1) + (text.endsWith("1") ? "2" : "1")
  switch (field) {
    case "type": {
      const type = document.type === "passport" ? "residence_permit" : "passport"
      return { person, document: { ...document, type } }
    }
    case "number":
      return { person, document: { ...document, number: next(document.number) } }
    case "expiry":
      return { person, document: { ...document, expiry: next(document.expiry) } }
    case "dateOfBirth":
      return { document, person: { ...person, dateOfBirth: next(person.dateOfBirth) } }
    case "familyName":
      return { document, person: { ...person, familyName: `${person.familyName}A` } }
    case "givenName":
      return { document, person: { ...person, givenName: person.givenName.slice(0, -1) } }
    case "nationality":
      return { document, person: { ...person, nationality: "SWE" } }
    default:
      return { document, person }
  }
}

layer(Layer.provide(Looking.Default, Layer.succeed(Timing, patientTiming)), {
  timeout: Duration.minutes(10)
})((test) => {
  test.effect(
    `${sessions} arbitrary sessions with photos of ${rendered} specimens`,
    () =>
      Effect.gen(function* () {
        const looking = yield* Looking
        const grades = [levels.clean, levels.mild, levels.small, levels.medium, levels.turned, levels.hard]
        const specimens = yield* Effect.forEach(
          Array.from({ length: rendered }, (_, place) => place),
          (place) =>
            Effect.gen(function* () {
              const format = (["TD1", "TD2", "TD3"] as const)[place % 3] ?? "TD3"
              const level = grades[place % grades.length] ?? levels.mild
              const { holder, photo } = yield* Effect.promise(() =>
                specimen(seeded(100 + place), format, level)
              )
              const look = yield* looking.look({
                ...{ content: photo, thisYear: 2026, shows: "document", faceModel: undefined }
              })
              return { claim: typedBy(holder, format), look }
            })
        )
        const fields = [
          "none",
          "type",
          "number",
          "expiry",
          "dateOfBirth",
          "familyName",
          "givenName",
          "nationality"
        ]
        const place = fc.nat({ max: rendered - 1 })
        const others = fc.option(fc.constantFrom(...fields), { nil: undefined, freq: 2 })
        const arbitrary = fc.record({
          holder: place,
          typed: fc.constantFrom("none", "none", ...fields),
          sent: others,
          // Photos of others among those that the answer names, and among those that it does not.
          more: fc.array(fc.record({ of: place, isNamed: fc.boolean() }), { maxLength: 1 }),
          isNamed: fc.boolean(),
          asked: fc.constantFrom("all", "document", "person")
        })
        const outcomes = new Map<string, number>()
        for (const session of fc.sample(arbitrary, { numRuns: sessions, seed: 7 })) {
          const { asked, holder, isNamed, more, sent, typed } = session
          const own = specimens[holder]
          if (own === undefined) throw new Error("There is no such specimen")
          const claim = altered(own.claim, typed)
          const photos = [{ of: holder, isNamed }, ...more]
          const files = photos.flatMap((photo, at) =>
            photo.isNamed ? [{ id: `file-${at}`, side: "front" }] : []
          )
          const {
            claimed: _,
            files: named,
            ...answers
          } = answersIn({
            first_workflow: asked === "all" ? null : { steps },
            instance_workflow: { steps: asked === "all" ? steps : steps.filter(({ id }) => id === asked) },
            progress: { s_person: claim.person, s_document: { ...claim.document, files } },
            result: sent === undefined ? {} : altered(own.claim, sent)
          })
          const found = findingsOf({
            ...answers,
            photos: photos.flatMap(({ of }, at) => {
              const id = `file-${at}`
              const look = specimens[of]?.look
              return look === undefined ? [] : [{ ...(named.get(id) ?? { shows: "other" }), id, look }]
            }),
            ...{ seenIn: new Map(), today, comparison: undefined }
          }).find(({ kind }) => kind === "document.mrz_matches")
          const shown = photos.filter((photo) => photo.isNamed).map(({ of }) => specimens[of]?.claim)
          const said = [claim, ...(sent === undefined ? [] : [altered(own.claim, sent)])]
          const isTrue = shown.length > 0 && [...shown, ...said].every((one) => Bun.deepEquals(one, claim))
          const outcome = found?.outcome ?? "none"
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
          if (outcome === "agrees")
            expect([session, found?.reason, isTrue]).toEqual([session, found?.reason, true])
          if (isTrue) expect([session, found?.reason, outcome]).not.toContain("differs")
        }
        // It says all that it can say, and not only that it does not know.
        expect(outcomes.get("agrees") ?? 0).toBeGreaterThan(10)
        expect(outcomes.get("differs") ?? 0).toBeGreaterThan(50)
      }),
    600_000
  )
})
