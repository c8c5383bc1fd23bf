/** What a partner reads of the photos of a session, and what is stored of it. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import sharp, { type Sharp } from "sharp"
import { todayIn } from "../../../src/kyc/checks/today-model.ts"
import { createInstance, field, send, text } from "../../support/client.ts"
import { looked } from "../../support/kyc/checks.ts"
import { samples, upload } from "../../support/kyc/files.ts"
import { averagingNetwork } from "../../support/kyc/onnx-network.ts"
import { companyOf, companyOn } from "../../support/kyc/partner.ts"
import { astronaut, photographer } from "../../support/kyc/portraits.ts"
import { eriksson, levels, seeded, specimen } from "../../support/kyc/specimens.ts"
import { execute, temporaryFolder } from "../../support/postgres.ts"
import { startServer } from "../../support/server.ts"
import { stoppedClock } from "../../support/stopped-clock.ts"
import { suite } from "../../support/suite.ts"

const start = Effect.gen(function* () {
  const server = yield* startServer()
  return { ...(yield* companyOn(server)), server }
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
          "document.barcode": "not_checked",
          "document.expiry": "differs",
          "person.age": "not_checked",
          "photo.quality": "agrees",
          "photo.duplicate": "agrees",
          "session.signals": "not_checked"
        })
        expect(checks[0]).toMatchObject({
          file_ids: [file],
          reason:
            "The machine-readable zone was read; 5 of 5 check digits are right. This says nothing about forgery.",
          detail: { format: "TD3", fields: { surname: "ERIKSSON", document_number: "L898902C3" } }
        })
        expect(checks[1]?.detail).toEqual({
          document_number: "agrees",
          surname: "agrees",
          given_names: "agrees",
          birth_date: "agrees",
          expiry_date: "agrees",
          nationality: "agrees"
        })
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

  it.scoped(
    "compares the portrait of a document with the selfie, by the operator's network, if the config asks for it",
    () =>
      Effect.gen(function* () {
        const path = join(yield* temporaryFolder, "averages.onnx")
        const server = yield* startServer({ CHECKS_FACE_MODEL: path, CHECKS_FACE_THRESHOLD: "0.5" })
        const config = { v: 1, checks: { similarity: true } }
        const workflow = {
          v: 1,
          steps: [
            { id: "document", type: "document" },
            { id: "selfie", type: "selfie", prompts: 0 }
          ]
        }
        const given = yield* companyOn(server, { config, workflow })
        /** A card with a portrait in it, as a photo that is turned. */
        const card = Effect.promise(async () => {
          const page = sharp({ create: { width: 1200, height: 800, channels: 3, background: "#dde4e8" } })
          const input = await astronaut().resize(420).jpeg().toBuffer()
          const flat = await page
            .composite([{ input, left: 60, top: 200 }])
            .jpeg()
            .toBuffer()
          return await sharp(flat).rotate(90).jpeg().toBuffer()
        })
        const similarityOf = (photo: Sharp) =>
          Effect.gen(function* () {
            const session = yield* given.newSession()
            const uploaded = (content: Uint8Array) =>
              Effect.map(upload(server, session, content), ({ body }) => text(body, "file", "id"))
            const document = yield* uploaded(yield* card)
            const selfie = yield* uploaded(yield* Effect.promise(() => photo.jpeg().toBuffer()))
            const progress = {
              s_document: { type: "id_card", country: "UTO", files: [{ id: document, side: "front" }] },
              s_selfie: { files: [{ id: selfie, prompt: "straight" }] }
            }
            yield* given.progress(session, { progress, status: "running" })
            yield* given.complete(session, {})
            yield* looked(server, session)
            const { body } = yield* given.asPartner(`/api/kyc/sessions/${session.id}`)
            const found = field(body, "session", "checks") as ReadonlyArray<Seen>
            return { ids: [document, selfie], check: found.find(({ kind }) => kind === "selfie.similarity") }
          })
        // The file is not there yet.
        expect((yield* similarityOf(astronaut())).check).toMatchObject({
          outcome: "not_checked",
          reason: "The network that compares faces cannot be used."
        })
        yield* Effect.promise(() => writeFile(path, averagingNetwork()))
        const { check, ids } = yield* similarityOf(astronaut())
        expect(check).toMatchObject({
          outcome: "agrees",
          file_ids: ids,
          detail: { threshold: 0.5, calibrated: false },
          engine: "the operator's network, onnxruntime-node 1.30.0"
        })
        expect((yield* similarityOf(photographer())).check).toMatchObject({ outcome: "differs" })
        // No vector of a face is stored or logged: of the comparison, only the score is kept, sealed.
        const rows = yield* execute(
          server.databaseUrl,
          "select content from kyc_checks where kind = 'selfie.similarity'",
          []
        )
        expect(rows).toHaveLength(3)
        expect(JSON.stringify(rows)).not.toMatch(/similarity of|calibrated/)
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
          const config = { v: 1, checks: { timeZone } }
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

  it.effect("takes a photo that no step names for no document", () =>
    Effect.gen(function* () {
      const given = yield* Given
      const session = yield* given.newSession()
      const file = text((yield* upload(given.server, session, samples.jpeg)).body, "file", "id")
      yield* given.progress(session, { progress: { s_document: { type: "passport" } } })
      yield* given.complete(session)
      yield* looked(given.server, session)
      const { body } = yield* given.asPartner(`/api/kyc/sessions/${session.id}`)
      const checks = field(body, "session", "checks") as ReadonlyArray<Seen>
      expect(checks.find(({ kind }) => kind === "document.mrz")).toMatchObject({
        reason: "There is no photo of a document."
      })
      expect(checks.find(({ kind }) => kind === "photo.quality")).toMatchObject({ file_ids: [file] })
    })
  )

  it.effect("does not show the end user whether photos are looked at", () =>
    Effect.gen(function* () {
      const given = yield* Given
      for (const [checks, shown] of [
        [{ photos: true, timeZone: "Europe/Berlin" }, {}],
        // The page is told only whether to keep a mark.
        [{ photos: true, sameBrowser: true }, { checks: { sameBrowser: true } }]
      ]) {
        const { id } = yield* createInstance(given.server, given.member, { config: { v: 1, checks } })
        const { body } = yield* given.read(yield* given.newSession({ instanceId: id }))
        expect(field(body, "session", "instance_config")).toEqual({ v: 1, ...shown })
      }
    })
  )
})
