/** A dump of the database, and a copy of DATA_DIR and the bucket, searched for what a whole walk has stated (docs/privacy.md). */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { field, send, text } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { check, newKeyHash } from "../support/kyc/dedup.ts"
import { filesBelow, samples, upload } from "../support/kyc/files.ts"
import { jpegWith, secretPlace } from "../support/kyc/images.ts"
import { type Company, startCompany } from "../support/kyc/partner.ts"
import { startS3 } from "../support/machine/s3.ts"
import { everyRow, execute, temporaryFolder } from "../support/postgres.ts"
import type { Environment } from "../support/server.ts"

/** Forty values, each of which occurs once in what is sent. */
const marks = Array.from({ length: 40 }, (_, i) => `Marked${i}x${(i * 7919).toString(36)}ü`)
const mark = (place: number): string => marks[place] ?? ""
const from = (first: number, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`field${i}`, mark(first + i)]))

/** Where the contents of files are stored: how many there are, and all of them with whatever else is there. */
interface Place {
  readonly environment: Environment
  readonly files: () => number
  readonly everything: () => ReadonlyArray<Uint8Array>
}

const read = (folder: string) => filesBelow(folder).map((path) => readFileSync(path))

const disk = Effect.map(
  temporaryFolder,
  (dataDir): Place => ({
    environment: { DATA_DIR: dataDir },
    files: () => filesBelow(join(dataDir, "files")).length,
    everything: () => read(dataDir)
  })
)

const bucket = Effect.map(
  Effect.all([temporaryFolder, startS3]),
  ([dataDir, { environment, objects }]): Place => ({
    environment: { DATA_DIR: dataDir, ...environment },
    files: () => [...objects.keys()].filter((name) => name.startsWith("files/")).length,
    everything: () => [...read(dataDir), ...objects.values()]
  })
)

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

const found = (all: ReadonlyArray<Uint8Array>, values: ReadonlyArray<string>) => {
  const contents = all.map((content) => Buffer.from(content))
  return values.filter((value) =>
    forms(value).some((form) => contents.some((content) => content.includes(form)))
  )
}

/** Sessions of the company's instance wait for a decision from now on. */
const reviewed = ({ asMember, instance }: Company) =>
  Effect.map(
    asMember("PATCH", `/api/kyc/instances/${instance.id}`, { config: { review: { mode: "manual" } } }),
    ({ status }) => expect(status).toBe(200)
  )

for (const [where, place] of [
  ["a dump, and files on disk", disk],
  ["a dump, and files in a bucket", bucket]
] as const) {
  it.scopedLive(
    `${where}: holds none of 40 marked values; and after a redaction nothing that SECRET_KEY could open`,
    () =>
      Effect.gen(function* () {
        const { environment, everything, files: countFiles } = yield* place
        const company = yield* startCompany(environment)
        yield* reviewed(company)
        const session = yield* company.newSession({
          externalReference: "reference-of-the-partner",
          metadata: from(0, 8)
        })
        yield* company.progress(session, { progress: { s_person: from(8, 8) }, status: "running" })
        yield* company.progress(session, { progress: { s_address: { lines: Object.values(from(16, 6)) } } })
        // A photo with the place in its Exif data and marks behind its pixels, and a document with marks in its text.
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

        const all = Effect.map(everyRow(company.server.databaseUrl), (rows) => [
          ...rows.map((row) => Buffer.from(row)),
          ...everything()
        ])
        const stored = yield* all
        // The search does find what is stored plainly, and there is something to find.
        expect(found(stored, ["reference-of-the-partner", "s_person"])).toHaveLength(2)
        expect(countFiles()).toBe(3 + 2)
        expect(found(stored, [...marks, secretPlace])).toEqual([])

        const redacted = yield* company.asMember("POST", `${path}/redact`)
        expect(redacted.status).toBe(200)
        yield* eventually(
          "the contents of the files are deleted",
          Effect.sync(() => countFiles() === 0)
        )
        const left = yield* all
        expect(found(left, [...marks, secretPlace, "sealed.1.", "s_person", "doorlock sealed1"])).toEqual([])
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
}
