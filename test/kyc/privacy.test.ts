/** A dump of the database and a copy of DATA_DIR, searched for what a whole walk has stated (docs/privacy.md). */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { field, send, text } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { check, newKeyHash } from "../support/kyc/dedup.ts"
import { filesBelow, samples, upload } from "../support/kyc/files.ts"
import { jpegWith } from "../support/kyc/images.ts"
import { type Company, startCompany } from "../support/kyc/partner.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"

/** Forty values, each of which occurs once in what is sent. */
const marks = Array.from({ length: 40 }, (_, i) => `Marked${i}x${(i * 7919).toString(36)}ü`)
const mark = (place: number): string => marks[place] ?? ""
const from = (first: number, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`field${i}`, mark(first + i)]))

/** Every row of every table, with bytes in hex and, so that nothing hides in them, as text. */
const dump = ({ server }: Company) =>
  Effect.gen(function* () {
    const tables = yield* execute(
      server.databaseUrl,
      "select format('%I', tablename) as name from pg_tables where schemaname = 'public' order by 1"
    )
    const rows = yield* Effect.all(
      tables.map(({ name }) => execute(server.databaseUrl, `select t::text as line from ${name} t`))
    )
    return rows.flat().map(({ line }) => Buffer.from(String(line)))
  })

const forms = (value: string): ReadonlyArray<Buffer> => {
  const bytes = Buffer.from(value)
  return [
    bytes,
    Buffer.from(value, "utf16le"),
    Buffer.from(bytes.toString("hex")),
    Buffer.from(bytes.toString("base64").slice(0, -4)),
    Buffer.from(JSON.stringify(value).slice(1, -1))
  ]
}

const found = (all: ReadonlyArray<Buffer>, values: ReadonlyArray<string>) =>
  values.filter((value) => forms(value).some((form) => all.some((content) => content.includes(form))))

/** Sessions of the company's instance wait for a decision from now on. */
const reviewed = ({ asMember, instance }: Company) =>
  Effect.map(
    asMember("PATCH", `/api/kyc/instances/${instance.id}`, { config: { review: { mode: "manual" } } }),
    ({ status }) => expect(status).toBe(200)
  )

it.scopedLive(
  "holds none of 40 marked values; and after a redaction nothing that SECRET_KEY could open",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const company = yield* startCompany({ DATA_DIR: dataDir })
      yield* reviewed(company)
      const session = yield* company.newSession({
        externalReference: "reference-of-the-partner",
        metadata: from(0, 8)
      })
      yield* company.progress(session, { progress: { s_person: from(8, 8) }, status: "running" })
      yield* company.progress(session, { progress: { s_address: { lines: Object.values(from(16, 6)) } } })
      // With the marks where a camera writes the place, and in the text of a document.
      const withMarks = (bytes: Buffer, first: number) =>
        Buffer.concat([
          bytes,
          ...Array.from({ length: 4 }, (_, i) => Buffer.from(`\n% ${mark(first + i)}\n`))
        ])
      const files = [
        withMarks(jpegWith(samples.jpeg), 22),
        withMarks(samples.pdf, 26),
        withMarks(samples.jpeg, 30)
      ]
      for (const file of files) expect((yield* upload(company.server, session, file)).status).toBe(201)
      expect((yield* check(company, session, newKeyHash())).status).toBe(200)
      yield* send(company.server, "POST", `${session.path}/handoffs`, { json: { token: session.token } })
      expect((yield* company.complete(session, { result: { person: from(34, 2) } })).status).toBe(200)
      const path = `/api/kyc/sessions/${session.id}`
      for (const noted of marks.slice(36, 38)) {
        expect((yield* company.asMember("POST", `${path}/notes`, { text: noted })).status).toBe(201)
      }
      const decision = { decision: "approved", note: `${mark(38)} ${mark(39)}` }
      expect((yield* company.asMember("POST", `${path}/review`, decision)).status).toBe(200)

      // The partner reads them all.
      const { body } = yield* company.asPartner(path)
      const notes = yield* company.asMember("GET", `${path}/notes`)
      const shown = [Buffer.from(JSON.stringify([body, notes.body]))]
      expect(found(shown, marks)).toHaveLength(8 + 8 + 6 + 2 + 4)

      const everything = Effect.map(dump(company), (rows) => [
        ...rows,
        ...filesBelow(dataDir).map((path) => readFileSync(path))
      ])
      const stored = yield* everything
      // The search does find what is stored plainly, and there is something to find.
      expect(found(stored, ["reference-of-the-partner", "s_person"])).toHaveLength(2)
      expect(filesBelow(join(dataDir, "files")).length).toBe(3 + 2)
      expect(found(stored, marks)).toEqual([])

      const redacted = yield* company.asMember("POST", `${path}/redact`)
      expect(redacted.status).toBe(200)
      yield* eventually(
        "the contents of the files are deleted",
        30_000,
        Effect.sync(() => filesBelow(join(dataDir, "files")).length === 0)
      )
      const left = yield* everything
      expect(found(left, [...marks, "sealed.1.", "s_person", "doorlock sealed1"])).toEqual([])
      expect(
        yield* execute(company.server.databaseUrl, "select from kyc_session_keys where session_id = $1", [
          session.id
        ])
      ).toEqual([])
      expect(
        text(
          field(yield* Effect.map(company.asPartner(path), ({ body }) => body), "session"),
          "external_reference"
        )
      ).toBe("reference-of-the-partner")
    })
)
