/** What the server reads in a photo for a browser that cannot (docs/contract.md#readings). */
import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Readings } from "../../../src/kyc/checks/readings-service.ts"
import { productionTimes } from "../../../src/shared/times.ts"
import { WorkSignal } from "../../../src/work/signal-service.ts"
import { field, type TestSession, text } from "../../support/client.ts"
import { freshDatabase } from "../../support/database.ts"
import { eventually } from "../../support/eventually.ts"
import { samples, upload } from "../../support/kyc/files.ts"
import { looker, waiting } from "../../support/kyc/looker.ts"
import {
  type Company,
  companyOf,
  companyOn,
  refusal,
  statusAndBody,
  unknownId
} from "../../support/kyc/partner.ts"
import { fieldsRead, getReading, startReading } from "../../support/kyc/readings.ts"
import { barcodePhoto, eriksson, levels, licenceText, seeded, specimen } from "../../support/kyc/specimens.ts"
import { everyRow, execute } from "../../support/postgres.ts"
import { type RunningServer, startServer, startServerOn } from "../../support/server.ts"
import { suite } from "../../support/suite.ts"

/** Photos are read, on a machine that may be busy. */
const patience = 300_000

const uploaded = (company: Company, session: TestSession, photo: Uint8Array = samples.jpeg) =>
  Effect.map(upload(company.server, session, photo), ({ body }) => text(body, "file", "id"))

const rowsOf = ({ databaseUrl }: RunningServer, { id }: TestSession) =>
  execute(databaseUrl, "select content, read_at from kyc_readings where session_id = $1", [id])

const start = Effect.flatMap(startServer(), (server) =>
  Effect.map(companyOn(server), (company) => ({ ...company, services: server.services }))
)

class Given extends Context.Tag("Given")<Given, Effect.Effect.Success<typeof start>>() {
  static readonly layer = Layer.scoped(Given, Effect.orDie(start))
}

suite(Given.layer)("A reading", (test) => {
  test.effect(
    "has the fields of a zone; they are sealed, exported, and end with the session's data or after an hour",
    () =>
      Effect.gen(function* () {
        const company = yield* Given
        const { server, services } = company
        const { lines, photo } = yield* Effect.promise(() =>
          specimen(seeded(21), "TD3", levels.small, eriksson)
        )
        const session = yield* company.newSession()
        const file = yield* uploaded(company, session, photo)
        expect(statusAndBody(yield* getReading(server, session, file))).toStrictEqual(
          refusal(404, "Reading not found")
        )
        expect(statusAndBody(yield* startReading(server, session, file))).toStrictEqual({
          status: 202,
          body: { reading: { file_id: file, status: "waiting", fields: null } }
        })
        const fields = {
          document_number: "L898902C3",
          country: "UTO",
          expiry_date: "2012-04-15",
          surname: "ERIKSSON",
          given_names: "ANNA MARIA",
          birth_date: "1974-08-12",
          nationality: "UTO",
          zone: lines.join("\n")
        }
        expect(yield* fieldsRead(server, session, file)).toEqual(fields)
        // The same file again, also by an id in capitals, changes nothing.
        for (const id of [file, file.toUpperCase()]) {
          expect(statusAndBody(yield* startReading(server, session, id))).toStrictEqual({
            status: 202,
            body: { reading: { file_id: file, status: "done", fields } }
          })
        }
        expect(yield* rowsOf(server, session)).toEqual([
          { content: expect.stringMatching(/^sealed\.1\./), read_at: expect.any(Date) }
        ])
        const dumped = (yield* everyRow(server.databaseUrl)).join("\n")
        // The search finds what is stored plainly.
        expect(dumped).toContain(file)
        expect(dumped).not.toMatch(/ERIKSSON|L898902C3|1974-08-12|7408122/)
        // The partner has it in the export alone.
        const path = `/api/kyc/sessions/${session.id}`
        expect((yield* company.asPartner(path)).text).not.toContain("ERIKSSON")
        const exported = yield* company.asMember("GET", `${path}/export`)
        expect(exported.text).toContain("readings.json")
        expect(exported.text).toContain('"document_number": "L898902C3"')

        const { wipe } = Context.get(services, Readings)
        yield* wipe
        expect(yield* fieldsRead(server, session, file)).toEqual(fields)
        yield* execute(
          server.databaseUrl,
          "update kyc_readings set read_at = now() - interval '61 minutes' where session_id = $1",
          [session.id]
        )
        // Also before it is wiped.
        expect(yield* fieldsRead(server, session, file)).toBeNull()
        expect((yield* startReading(server, session, file)).body).toMatchObject({
          reading: { status: "done", fields: null }
        })
        yield* wipe
        expect(yield* fieldsRead(server, session, file)).toBeNull()
        expect(yield* rowsOf(server, session)).toMatchObject([{ content: null }])
        expect((yield* company.asMember("POST", `${path}/redact`)).status).toBe(200)
        expect(yield* rowsOf(server, session)).toEqual([])
        expect(statusAndBody(yield* getReading(server, session, file))).toStrictEqual(
          refusal(404, "Reading not found")
        )
      }),
    patience
  )

  test.effect(
    "has the fields of a barcode; and none of a zone with a wrong check digit, of a PDF or of nothing to read",
    () =>
      Effect.gen(function* () {
        const company = yield* Given
        const { server } = company
        const session = yield* company.newSession()
        const { holder, text } = licenceText(seeded(3))
        const licence = yield* Effect.promise(() => barcodePhoto(seeded(4), text, 4, levels.clean))
        const altered = [
          "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
          "L898902C36UTO7408122F1304159ZE184226B<<<<<10"
        ]
        const { photo } = yield* Effect.promise(() =>
          specimen(seeded(2), "TD3", levels.small, eriksson, altered)
        )
        const read = (content: Uint8Array) =>
          Effect.gen(function* () {
            const file = yield* uploaded(company, session, content)
            expect((yield* startReading(server, session, file)).status).toBe(202)
            return yield* fieldsRead(server, session, file)
          })
        expect(yield* read(licence)).toMatchObject({
          document_number: holder.number,
          country: "USA",
          surname: holder.surname,
          nationality: null,
          zone: null
        })
        for (const content of [photo, samples.pdf, samples.png]) expect(yield* read(content)).toBeNull()
      }),
    patience
  )

  test.effect("is refused with each status", () =>
    Effect.gen(function* () {
      const company = yield* Given
      const { server } = company
      const session = yield* company.newSession()
      const file = yield* uploaded(company, session)
      const refused = (answer: ReturnType<typeof startReading>, status: number, error: string) =>
        Effect.map(answer, (given) => expect(statusAndBody(given)).toStrictEqual(refusal(status, error)))
      const other = yield* company.newSession()
      const stranger = { path: session.path, token: other.token }
      for (const ask of [startReading, getReading]) {
        yield* refused(ask(server, stranger, file), 404, "Session not found")
        yield* refused(ask(server, { ...session, token: "nonsense" }, file), 404, "Session not found")
      }
      for (const id of [unknownId, "not-a-uuid", yield* uploaded(company, other)]) {
        yield* refused(startReading(server, session, id), 404, "File not found")
        yield* refused(getReading(server, session, id), 404, "Reading not found")
      }
      const without = yield* companyOn(server, { config: { checks: { photos: false } } })
      const unread = yield* without.newSession()
      const theirs = yield* uploaded(without, unread)
      yield* refused(startReading(server, unread, theirs), 403, "Reading is not enabled")

      expect((yield* startReading(server, session, file)).status).toBe(202)
      yield* company.complete(session)
      yield* refused(startReading(server, session, file), 409, "Session is not updatable")
      // What was asked before can still be got.
      expect((yield* getReading(server, session, file)).status).toBe(200)
      yield* company.expire(session)
      yield* refused(getReading(server, session, file), 410, "Session expired")
      const expired = yield* company.newSession()
      const late = yield* uploaded(company, expired)
      yield* company.expire(expired)
      yield* refused(startReading(server, expired, late), 410, "Session expired")
    })
  )

  test.effect("is made of five photos of a session, of those that are asked for at once, too", () =>
    Effect.gen(function* () {
      const company = yield* Given
      const session = yield* company.newSession()
      const files = yield* Effect.all(Array.from({ length: 8 }, () => uploaded(company, session)))
      const ask = (file: string) => startReading(company.server, session, file)
      const answers = yield* Effect.forEach(files, ask, { concurrency: "unbounded" })
      expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(5).fill(202), 429, 429, 429])
      const [refused] = answers.filter(({ status }) => status === 429)
      expect(refused === undefined ? undefined : statusAndBody(refused)).toStrictEqual(
        refusal(429, "Too many readings")
      )
      expect(yield* rowsOf(company.server, session)).toHaveLength(5)
    })
  )
})

/** A new session with an uploaded photo, the reading of which is asked for. */
const begun = (company: Company, photo?: Uint8Array) =>
  Effect.gen(function* () {
    const session = yield* company.newSession()
    const file = yield* uploaded(company, session, photo)
    expect((yield* startReading(company.server, session, file)).status).toBe(202)
    return { ...session, file }
  })

const seeing = waiting.replace(
  "barcode: nothing",
  `barcode: { found: "barcode", format: "PDF417", fields: { document_number: "X123" } }`
)

it.scopedLive(
  "a reading is done after a minute, although its job still runs, and what comes later is not kept",
  () =>
    Effect.gen(function* () {
      const { goOn, isAsked, on } = yield* looker(seeing)
      const server = yield* on(startServer())
      const company = yield* companyOn(server)
      const session = yield* begun(company)
      yield* isAsked
      expect(productionTimes.timeouts["kyc.reading_useful"]).toBe(60_000)
      // The server of a test waits longer, because the machine may be busy.
      yield* execute(server.databaseUrl, "update kyc_readings set asked_at = now() - interval '1 day'")
      const done = { reading: { file_id: session.file, status: "done", fields: null } }
      expect((yield* getReading(server, session, session.file)).body).toEqual(done)
      expect((yield* startReading(server, session, session.file)).body).toEqual(done)
      yield* goOn
      yield* eventually(
        "the job has ended",
        Effect.map(rowsOf(server, session), (rows) => {
          expect(rows).toMatchObject([{ content: null }])
          return rows[0]?.read_at !== null
        })
      )
    })
)

it.scopedLive("a photo that kills the process is read once, and nothing was read", () =>
  Effect.gen(function* () {
    const { asked, on } = yield* looker(`process.kill(process.pid, "SIGKILL")`)
    const server = yield* on(startServer())
    const company = yield* companyOn(server)
    for (const times of ["x", "xx"]) {
      const session = yield* begun(company)
      expect(yield* fieldsRead(server, session, session.file)).toBeNull()
      expect(asked()).toBe(times)
    }
  })
)

it.scopedLive(
  "requests are answered while a photo is read, and a session that is redacted meanwhile keeps nothing",
  () =>
    Effect.gen(function* () {
      const { goOn, isAsked, on } = yield* looker(waiting)
      const server = yield* on(startServer())
      const company = yield* companyOn(server)
      const session = yield* begun(company)
      yield* isAsked
      expect(field((yield* getReading(server, session, session.file)).body, "reading", "status")).toBe(
        "waiting"
      )
      const path = `/api/kyc/sessions/${session.id}`
      expect((yield* company.asMember("POST", `${path}/redact`)).status).toBe(200)
      yield* goOn
      yield* eventually(
        "the job has ended",
        Effect.map(
          execute(server.databaseUrl, "select from work_jobs where kind = 'kyc.session.reading'"),
          ({ length }) => length === 0
        )
      )
      for (const table of ["kyc_readings", "work_poison"])
        expect([table, yield* execute(server.databaseUrl, `select from ${table}`)]).toEqual([table, []])
    })
)

it.scopedLive(
  "a service that stops while a photo is read gives it to the next one, unless nobody waits any more",
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const { asked, goOn, isAsked, on } = yield* looker(waiting)
      const before = yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* on(startServerOn(databaseUrl))
          const company = yield* companyOn(server)
          const first = yield* begun(company)
          yield* isAsked
          return { company, first, second: yield* begun(company) }
        })
      )
      yield* execute(
        databaseUrl,
        "update kyc_readings set asked_at = now() - interval '1 day' where session_id = $1",
        [before.second.id]
      )
      yield* goOn
      const server = yield* on(startServerOn(databaseUrl))
      Context.get(server.services, WorkSignal).wake()
      const { company, first, second } = before
      const again = companyOf(server, company.member, company.key, company.instance)
      for (const session of [first, second])
        expect(yield* fieldsRead(again.server, session, session.file)).toBeNull()
      // Once in each process, and not that for which nobody waits.
      expect(asked()).toBe("xx")
    })
)
