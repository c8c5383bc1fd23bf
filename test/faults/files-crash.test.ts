/** Uploads to a program that is killed: the effects from outside, its logs, and its memory. */
import { readFileSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, type Redacted } from "effect"
import { Config } from "../../src/config.ts"
import * as database from "../../src/db/database.ts"
import * as configuredStore from "../../src/kyc/files/configured-store.ts"
import { Examination } from "../../src/kyc/files/examination.ts"
import { Intake } from "../../src/kyc/files/intake.ts"
import { FileRepo } from "../../src/kyc/files/repo.ts"
import { Files } from "../../src/kyc/files/service.ts"
import { SessionKeyRepo } from "../../src/kyc/sessions/keys-repo.ts"
import { SessionKeys } from "../../src/kyc/sessions/keys-service.ts"
import { PartnerSessions } from "../../src/kyc/sessions/partner-service.ts"
import { audited } from "../support/audit/audited.ts"
import { createSession, text } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { open } from "../support/http/raw.ts"
import { download, filesBelow, jpegOf, sha256, upload } from "../support/kyc/files.ts"
import { companyOn, statusAndBody } from "../support/kyc/partner.ts"
import { watchedGrowth } from "../support/machine/growth.ts"
import { s3Secret, startS3 } from "../support/machine/s3.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { isAlive, processesBelow, runOn } from "../support/program.ts"

/** The sweep, as another process runs it a day later. */
const sweep = (url: Redacted.Redacted<string>, dataDir: string) =>
  Effect.flatMap(Files, (files) => files.sweep).pipe(
    Effect.provide(
      Files.Default.pipe(
        Layer.provide(
          Layer.mergeAll(
            FileRepo.Default,
            Intake.Default,
            Examination.Default,
            configuredStore.layer,
            PartnerSessions.Default.pipe(
              Layer.provideMerge(Layer.provide(SessionKeys.Default, SessionKeyRepo.Default))
            )
          )
        ),
        Layer.provide(audited()),
        Layer.provideMerge(database.layer({ url, maxConnections: 2 })),
        Layer.provide(Config.layer({ DATA_DIR: dataDir }))
      )
    )
  )

/** Makes all uploads' process dead for a while, and all files two hours old. */
const age = (url: Redacted.Redacted<string>, files: ReadonlyArray<string>) =>
  Effect.map(execute(url, "update kyc_file_uploads set alive_until = now() - interval '1 second'"), () => {
    const before = Date.now() / 1000 - 7200
    for (const file of files) utimesSync(file, before, before)
  })

it.scopedLive(
  "killed during uploads: no row without content, and after the sweep no content without a row",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const url = yield* freshDatabase
      const settings = { DATA_DIR: dataDir, SEED_DEMO: "false", SIGNUP: "open", LOG_LEVEL: "error" }
      const program = yield* runOn(url, settings)
      const company = yield* companyOn(program)
      const sessions = yield* Effect.replicateEffect(company.newSession(), 20)

      // Some uploads never end. The kill also hits a stream of others at any step.
      for (const { path, token } of sessions.slice(0, 5)) {
        const connection = yield* open(program)
        connection.write(
          `POST ${path}/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Length: 100000\r\n\r\n`
        )
        connection.write(jpegOf(60_000))
      }
      const uploading = sessions.slice(5).map(async ({ path, token }) => {
        for (let i = 0; i < 40; i++) {
          const taken = await fetch(`${program.url}${path}/files`, {
            method: "POST",
            headers: { authorization: `Bearer ${token}` },
            body: new Uint8Array(jpegOf(200_000))
          }).catch(() => undefined)
          if (taken === undefined) return
        }
      })
      yield* eventually(
        "many uploads are accepted",
        Effect.map(execute(url, "select id from kyc_files"), (found) => found.length > 50)
      )
      // It starts no other process while they are listed.
      program.signal("SIGSTOP")
      yield* eventually("the program stands still", () =>
        / T /.test(readFileSync(`/proc/${program.pid}/stat`, "utf8"))
      )
      const others = processesBelow(program.pid)
      program.signal("SIGKILL")
      yield* program.exited
      yield* Effect.promise(() => Promise.all(uploading))
      // Those that re-encode images end after their parent, and may have written another file.
      for (const pid of others)
        yield* eventually(
          "the processes that it started have ended",
          Effect.map(isAlive(pid), (alive) => !alive)
        )

      const rows = yield* execute(
        url,
        "select id, session_id, encode(sha256, 'hex') as sha256 from kyc_files order by id"
      )
      expect(
        (yield* execute(url, "select id from kyc_file_uploads")).length,
        "uploads that were cut off"
      ).toBeGreaterThanOrEqual(5)

      // New files may belong to a live process, and so may uploads with a fresh heartbeat.
      yield* execute(url, "update kyc_file_uploads set alive_until = now() + interval '1 hour'")
      const left = filesBelow(join(dataDir, "files"))
      yield* sweep(url, dataDir)
      expect(filesBelow(join(dataDir, "files"))).toEqual(left)

      yield* age(url, left)
      yield* sweep(url, dataDir)
      expect(
        filesBelow(join(dataDir, "files"))
          .map((path) => path.split("/").at(-1))
          .sort()
      ).toEqual(rows.flatMap((row) => [text(row, "id"), `${text(row, "id")}-copy`]))
      expect(yield* execute(url, "select id from kyc_file_uploads")).toEqual([])
      const miscounted = `
        select id from kyc_sessions s
        where files_begun <> (select count(*) from kyc_files f where f.session_id = s.id)`
      expect(yield* execute(url, miscounted)).toEqual([])

      const again = yield* runOn(url, settings)
      for (const row of rows) {
        const path = `/api/kyc/sessions/${text(row, "session_id")}/files/${text(row, "id")}?original=true`
        const { bytes } = yield* download(again, path, { "x-api-key": company.key.token })
        expect(sha256(bytes)).toBe(text(row, "sha256"))
      }
    })
)

it.scopedLive("content that was stored but never recorded is swept with its note", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const url = yield* freshDatabase
    const program = yield* runOn(url, { DATA_DIR: dataDir, SEED_DEMO: "false", SIGNUP: "open" })
    const company = yield* companyOn(program)
    const session = yield* company.newSession()
    const { body } = yield* upload(program, session, jpegOf(1_000))
    const id = text(body, "file", "id")
    // As if the process had died between the two steps.
    yield* execute(url, "delete from kyc_files where id = $1", [id])
    yield* execute(
      url,
      "insert into kyc_file_uploads (id, session_id, alive_until) values ($1, $2, now() - interval '1 second')",
      [id, session.id]
    )
    // The file and its copy.
    expect(filesBelow(join(dataDir, "files"))).toHaveLength(2)
    yield* sweep(url, dataDir)
    expect(filesBelow(join(dataDir, "files"))).toEqual([])
    expect(yield* execute(url, "select id from kyc_file_uploads")).toEqual([])
  })
)

for (const store of ["disk", "S3"] as const) {
  it.scopedLive.skipIf(process.platform !== "linux")(
    `50 uploads of 20 MB at once, to ${store}: memory grows by far less than their 1 GB; logs hold no secret (needs Linux)`,
    () =>
      Effect.gen(function* () {
        const dataDir = yield* temporaryFolder
        const bucket = yield* startS3
        const settings = {
          DATA_DIR: dataDir,
          SEED_DEMO: "false",
          SIGNUP: "open",
          LOG_LEVEL: "trace",
          ...(store === "S3" ? bucket.environment : {})
        }
        const program = yield* runOn(yield* freshDatabase, settings)
        const company = yield* companyOn(program, { config: { capture: { maxBytes: 20_000_000 } } })
        const sessions = yield* Effect.replicateEffect(
          createSession(program, company.key.token, company.instance.id),
          10
        )
        const bytes = jpegOf(20_000_000)
        yield* upload(program, yield* company.newSession(), bytes)
        const growth = yield* watchedGrowth(program.pid)
        const answers = yield* Effect.forEach(
          Array.from({ length: 50 }, (_, i) => sessions[i % sessions.length]),
          (session) =>
            session === undefined
              ? Effect.die("no session")
              : // What has waited for its turn for too long is to be sent again.
                Effect.repeat(upload(program, session, bytes), { while: ({ status }) => status === 503 }),
          { concurrency: "unbounded" }
        )
        const failed = answers.filter(({ status }) => status !== 201)
        expect(failed.map(statusAndBody), program.output().slice(-4_000)).toEqual([])
        // Measured: 200 to 290 MB to disk, mostly Bun's buffers per socket; 300 to 400 MB to S3.
        expect(growth() / 1_000_000, "MB by which memory grew").toBeLessThan(700)

        if (store === "S3") {
          bucket.fail("PUT", "DELETE")
          expect((yield* upload(program, yield* company.newSession(), bytes)).status).toBe(500)
        }
        const output = program.output()
        expect(output).toContain("/files")
        for (const secret of [company.key.token, s3Secret, ...sessions.map(({ token }) => token)]) {
          expect(output).not.toContain(secret)
        }
      })
  )
}
