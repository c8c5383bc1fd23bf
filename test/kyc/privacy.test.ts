/** A dump of the database, and a copy of DATA_DIR and the bucket, searched for what a whole walk has stated (docs/privacy.md). */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { field, send } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { check, newKeyHash } from "../support/kyc/dedup.ts"
import { filesBelow, samples, upload } from "../support/kyc/files.ts"
import { jpegWith, secretPlace } from "../support/kyc/images.ts"
import { startCompany } from "../support/kyc/partner.ts"
import { startS3 } from "../support/machine/s3.ts"
import { everyRow, execute, temporaryFolder } from "../support/postgres.ts"

/** Forty values, each of which occurs once in what is sent. */
const marks = Array.from({ length: 40 }, (_, i) => `Marked${i}x${(i * 7919).toString(36)}ü`)
const mark = (place: number): string => marks[place] ?? ""
const from = (first: number, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`field${i}`, mark(first + i)]))

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

/** Those of the values that occur in what is stored, in any form. */
const found = (all: ReadonlyArray<Uint8Array | string>, values: ReadonlyArray<string>) => {
  const content = Buffer.concat(all.map((one) => Buffer.from(one)))
  return values.filter((value) => forms(value).some((form) => content.includes(form)))
}

for (const place of ["on disk", "in a bucket"]) {
  it.scopedLive(
    `a dump, and files ${place}: holds none of 40 marked values; and after a redaction nothing that SECRET_KEY could open`,
    () =>
      Effect.gen(function* () {
        const dataDir = yield* temporaryFolder
        const bucket = place === "on disk" ? undefined : yield* startS3
        const company = yield* startCompany(
          { DATA_DIR: dataDir, ...bucket?.environment },
          { config: { review: { mode: "manual" } } }
        )
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
        expect(found([JSON.stringify([body, notes.body])], marks)).toHaveLength(8 + 8 + 6 + 2 + 4)

        const all = Effect.map(everyRow(company.server.databaseUrl), (rows) => [
          ...rows,
          ...filesBelow(dataDir).map((path) => readFileSync(path)),
          ...(bucket?.objects.values() ?? [])
        ])
        const names = () =>
          bucket === undefined ? filesBelow(join(dataDir, "files")) : [...bucket.objects.keys()]
        const countFiles = () => names().filter((name) => /\bfiles\//.test(name)).length
        const stored = yield* all
        // The search does find what is stored plainly, and there is something to find.
        expect(found(stored, ["reference-of-the-partner", "s_person"])).toHaveLength(2)
        expect(countFiles()).toBe(3 + 2)
        expect(found(stored, [...marks, secretPlace])).toEqual([])

        const redacted = yield* company.asMember("POST", `${path}/redact`)
        expect(redacted.status).toBe(200)
        yield* eventually("the contents of the files are deleted", () => countFiles() === 0)
        const left = yield* all
        expect(found(left, [...marks, secretPlace, "sealed.1.", "s_person", "doorlock sealed1"])).toEqual([])
        expect(
          yield* execute(company.server.databaseUrl, "select from kyc_session_keys where session_id = $1", [
            session.id
          ])
        ).toEqual([])
        expect(field((yield* company.asPartner(path)).body, "session", "external_reference")).toBe(
          "reference-of-the-partner"
        )
      })
  )
}
