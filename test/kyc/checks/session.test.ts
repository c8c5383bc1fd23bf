/** What a partner reads of the photos of a session, and what is stored of it. */
import { expect } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { todayIn } from "../../../src/kyc/checks/today-model.ts"
import { createInstance, field, send, text } from "../../support/client.ts"
import { looked } from "../../support/kyc/checks.ts"
import { samples, upload } from "../../support/kyc/files.ts"
import { companyOf, companyOn } from "../../support/kyc/partner.ts"
import { eriksson, levels, seeded, specimen } from "../../support/kyc/specimens.ts"
import { execute } from "../../support/postgres.ts"
import { startServer } from "../../support/server.ts"
import { stoppedClock } from "../../support/stopped-clock.ts"
import { suite } from "../../support/suite.ts"

const start = Effect.gen(function* () {
  const server = yield* startServer()
  return { ...(yield* companyOn(server, { config: { v: 1, checks: { photos: true } } })), server }
})
type Checking = Effect.Effect.Success<typeof start>

class Given extends Context.Tag("Given")<Given, Checking>() {
  static readonly layer = Layer.scoped(Given, Effect.orDie(start))
}

const person = {
  givenName: "Anna Maria",
  familyName: "Eriksson",
  dateOfBirth: "1974-08-12",
  nationality: "UTO"
}

interface Seen {
  readonly id: string
  readonly kind: string
  readonly outcome: string
  readonly reason: string
  readonly detail: Readonly<Record<string, unknown>>
  readonly file_ids: ReadonlyArray<string>
}

/** A completed session with a photo of a specimen, and its checks once they are there. */
const checked = (given: Checking, typed: object, photo: Uint8Array) =>
  Effect.gen(function* () {
    const session = yield* given.newSession()
    const file = text((yield* upload(given.server, session, photo)).body, "file", "id")
    const document = { type: "passport", country: "UTO", ...typed, files: [{ id: file, side: "front" }] }
    yield* given.progress(session, {
      progress: { s_person: person, s_document: document },
      status: "running"
    })
    // As if a person had typed.
    yield* execute(given.server.databaseUrl, "update kyc_sessions set step_seconds = $2 where id = $1", [
      session.id,
      JSON.stringify({ person: 40, document: 60 })
    ])
    yield* given.complete(session, { result: { document, client: { tz: "Asia/Tokyo" } } })
    const path = `/api/kyc/sessions/${session.id}`
    yield* looked(given.server, session)
    const { body } = yield* given.asPartner(path)
    return { session, file, checks: field(body, "session", "checks") as ReadonlyArray<Seen>, path }
  })

const outcomes = (checks: ReadonlyArray<Seen>) =>
  Object.fromEntries(checks.map(({ kind, outcome }) => [kind, outcome]))

const reasonOf = (checks: ReadonlyArray<Seen>, kind: string) =>
  checks.find((check) => check.kind === kind)?.reason

/** Photos are looked at, on a machine that may be busy. */
const patience = 300_000

suite(Given.layer)("Checks of a session", (it) => {
  it.effect(
    "compares what the photo of a passport says with what was typed",
    () =>
      Effect.gen(function* () {
        const given = yield* Given
        const { photo } = yield* Effect.promise(() => specimen(seeded(11), "TD3", levels.small, eriksson))
        const { checks, file, path, session } = yield* checked(
          given,
          { number: "L898902C3", expiry: "2012-04-15" },
          photo
        )
        expect(outcomes(checks)).toEqual({
          "document.mrz": "agrees",
          "document.mrz_matches": "agrees",
          "document.barcode": "unreadable",
          "document.expiry": "differs",
          "person.age": "not_checked",
          "photo.quality": "agrees",
          "photo.duplicate": "agrees",
          "session.signals": "agrees"
        })
        expect(checks[0]).toMatchObject({
          file_ids: [file],
          reason:
            "The machine-readable zone was read; 5 of 5 check digits are right. This says nothing about forgery.",
          detail: { format: "TD3", fields: { surname: "ERIKSSON", document_number: "L898902C3" } }
        })
        expect(checks.at(-1)).toMatchObject({
          kind: "session.signals",
          reason: "Nothing unusual was noticed in how the session was answered.",
          detail: { pace: "Nothing was saved faster than people type." }
        })
        expect(checks[1]?.detail).toEqual({
          document_number: "agrees",
          surname: "agrees",
          given_names: "agrees",
          birth_date: "agrees",
          expiry_date: "agrees",
          nationality: "agrees"
        })
        for (const { detail, reason } of checks) {
          expect(JSON.stringify([reason, detail])).not.toMatch(/\b(?:verified|genuine|authentic|live)\b/i)
        }

        // At rest, what was seen is sealed; after a redaction, nothing is left.
        const stored = () =>
          execute(given.server.databaseUrl, "select * from kyc_checks where session_id = $1", [session.id])
        const sealed = yield* stored()
        expect(sealed).toHaveLength(8)
        expect(JSON.stringify(sealed)).not.toMatch(/ERIKSSON|L898902C3|2012-04-15|check digits/)
        yield* send(given.server, "POST", `${path}/redact`, { headers: { "x-api-key": given.key.token } })
        expect(yield* stored()).toEqual([])
        expect(field((yield* given.asPartner(path)).body, "session", "checks")).toEqual([])
      }),
    patience
  )

  it.effect(
    "names what was typed differently",
    () =>
      Effect.gen(function* () {
        const given = yield* Given
        const { photo } = yield* Effect.promise(() =>
          specimen(seeded(12), "TD1", levels.small, { ...eriksson, surname: "LINDQVIST", expiry: "310415" })
        )
        const { checks } = yield* checked(given, { number: "L898902C4", expiry: "2031-04-15" }, photo)
        expect(outcomes(checks)).toMatchObject({
          "document.mrz": "agrees",
          "document.mrz_matches": "differs",
          "document.expiry": "agrees"
        })
        expect(reasonOf(checks, "document.mrz_matches")).toBe(
          "Typed differently than the machine-readable zone says: document number and surname."
        )
      }),
    patience
  )

  it.scoped("takes the day from the time zone of the instance", () =>
    Effect.gen(function* () {
      // On a clock that stands still, no midnight passes during the test.
      const { by, clock } = stoppedClock()
      const server = yield* by(startServer())
      const day = (timeZone: string) =>
        todayIn({ checks: { timeZone } }, DateTime.unsafeMake(clock.unsafeCurrentTimeMillis()))
      const company = yield* companyOn(server)
      const expiryOf = (timeZone: string, expiry: string) =>
        Effect.gen(function* () {
          const { key, member } = company
          const config = { v: 1, checks: { photos: true, timeZone } }
          const given = companyOf(server, member, key, yield* createInstance(server, member, { config }))
          const session = yield* given.newSession()
          // A file that is not looked at is enough to compare dates.
          yield* upload(server, session, samples.pdf)
          const document = { type: "passport", country: "UTO", number: "L898902C3", expiry }
          yield* given.progress(session, { progress: { s_document: document }, status: "running" })
          yield* given.complete(session, { result: { document } })
          yield* looked(server, session)
          const { body } = yield* given.asPartner(`/api/kyc/sessions/${session.id}`)
          return (field(body, "session", "checks") as ReadonlyArray<Seen>).find(
            ({ kind }) => kind === "document.expiry"
          )
        })
      // Where it is always at least a day later than in the other.
      const expiry = day("Etc/GMT+12")
      expect(yield* expiryOf("Etc/GMT+12", expiry)).toMatchObject({
        outcome: "agrees",
        detail: { date: expiry, source: "typed" }
      })
      expect(yield* expiryOf("Pacific/Kiritimati", expiry)).toMatchObject({ outcome: "differs" })
    })
  )

  it.effect("does not show the end user whether photos are looked at", () =>
    Effect.gen(function* () {
      const given = yield* Given
      const { body } = yield* given.read(yield* given.newSession())
      expect(field(body, "session", "instance_config")).toEqual({ v: 1 })
    })
  )
})
