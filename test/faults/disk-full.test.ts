/** No space left, where the database has its data or where files arrive. */
import { randomBytes } from "node:crypto"
import { chown, mkdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { startEmbeddedPostgres } from "../../src/db/embedded.ts"
import { onboard, send } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { secret } from "../support/kyc/captcha.ts"
import { download, filesBelow, jpegOf, sha256, upload } from "../support/kyc/files.ts"
import { companyOn, refusal, statusAndBody } from "../support/kyc/partner.ts"
import { smallDisk, withoutDisks } from "../support/machine/small-disk.ts"
import { databaseUrl, execute, temporaryFolder } from "../support/postgres.ts"
import { embeddedUrl, runUntilReady } from "../support/program.ts"
import { startServer, startServerOn } from "../support/server.ts"
import { allWriters } from "../support/writers/all.ts"
import { ledger } from "../support/writers/ledger.ts"

describe.skipIf(withoutDisks)("the disk is full (needs root and the right to mount one)", () => {
  it.scopedLive(
    "of the database: reads work, writes are the route's own 500, and recovery once there is space",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* temporaryFolder
        const disk = yield* smallDisk(64)
        const { adminUrl: admin } = yield* startEmbeddedPostgres({ dataDir })
        // Its log stays on the disk that has room, as it does with WAL on a volume of its own.
        const tablespace = join(disk.folder, "tablespace")
        yield* Effect.promise(async () => {
          const { gid, uid } = await stat(join(dataDir, "postgres"))
          await mkdir(tablespace)
          await chown(tablespace, uid, gid)
        })
        yield* execute(admin, `create tablespace small location '${tablespace}'`)
        yield* execute(admin, "create database small tablespace small")
        const url = databaseUrl(admin, "small")
        const server = yield* startServerOn(url, {
          CAPTCHA_JWT_SECRET: secret,
          GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true",
          DATA_DIR: yield* temporaryFolder
        })
        const { instance, key, session, ...company } = yield* onboard(server)
        const create = Effect.map(
          Effect.suspend(() =>
            send(server, "POST", "/api/kyc/public/sessions", {
              headers: { "x-api-key": key.token },
              json: { instanceId: instance.id, metadata: { filling: randomBytes(6_000).toString("base64") } }
            })
          ),
          statusAndBody
        )
        const reads = Effect.map(
          send(server, "GET", `${session.path}?token=${session.token}`),
          ({ status }) => status
        )
        const book = ledger()
        const writers = yield* book.work(
          server,
          yield* allWriters(server, { instance, key, session, ...company })
        )
        yield* eventually("all are at work", () => book.answered() > 200)
        yield* disk.fill
        yield* eventually(
          "there is no page left with room in it",
          Effect.map(Effect.replicateEffect(create, 10), (answers) =>
            answers.every((answer) => Bun.deepEquals(answer, refusal(500, "Failed to create session")))
          )
        )
        for (let i = 0; i < 20; i++) expect(yield* reads).toBe(200)
        expect((yield* send(server, "GET", "/readyz")).status).toBe(200)

        yield* disk.clear
        yield* eventually(
          "writes work again",
          Effect.map(create, ({ status }) => status === 201)
        )
        const before = book.answered()
        yield* eventually("all go on", () => book.answered() > before + 100)
        yield* Fiber.interruptAll(writers)
        yield* book.settle(server, url)
      })
  )

  it.scopedLive("of the files: 500, nothing of the upload is left, and recovery once there is space", () =>
    Effect.gen(function* () {
      const disk = yield* smallDisk(8)
      const server = yield* startServer({ DATA_DIR: disk.folder })
      const company = yield* companyOn(server)
      const session = yield* company.newSession()
      const kept = jpegOf(100_000)
      const first = yield* upload(server, session, kept)
      expect(first.status).toBe(201)
      yield* disk.fill
      for (const size of [10_000, 3_000_000]) {
        expect(statusAndBody(yield* upload(server, session, jpegOf(size)))).toEqual(
          refusal(500, "Failed to store file")
        )
      }
      // The file and its copy.
      expect(filesBelow(join(disk.folder, "files"))).toHaveLength(2)
      expect(
        yield* execute(
          server.databaseUrl,
          "select (select count(*)::int from kyc_files) as files, (select count(*)::int from kyc_file_uploads) as begun"
        )
      ).toEqual([{ files: 1, begun: 0 }])
      // Existing files can be read, and everything else works.
      const [{ id } = { id: "" }] = yield* execute(server.databaseUrl, "select id from kyc_files")
      const read = yield* download(server, `/api/kyc/sessions/${session.id}/files/${id}?original=true`, {
        "x-api-key": company.key.token
      })
      expect([read.status, sha256(read.bytes)]).toEqual([200, sha256(kept)])
      expect((yield* company.progress(session, { progress: { a: 1 } })).status).toBe(200)

      yield* disk.clear
      expect((yield* upload(server, session, jpegOf(3_000_000))).status).toBe(201)
    })
  )

  it.scopedLive(
    "of DATA_DIR, with the embedded database's log: no acknowledged write is lost, and it recovers by itself once there is space",
    () =>
      Effect.gen(function* () {
        const disk = yield* smallDisk(160)
        const program = yield* runUntilReady({
          DATA_DIR: disk.folder,
          SEED_DEMO: "false",
          LOG_LEVEL: "error",
          CAPTCHA_JWT_SECRET: secret
        })
        const server = { ...program, databaseUrl: Redacted.make("") }
        const company = yield* onboard(server)
        const book = ledger()
        const writers = yield* book.work(server, yield* allWriters(server, company))
        yield* eventually("all are at work", () => book.answered() > 200)
        yield* disk.fill
        yield* eventually("what is written fails", () => book.failures() > 100)
        expect((yield* send(server, "GET", "/healthz")).status).toBe(200)
        yield* disk.clear
        const before = book.answered()
        yield* eventually("all go on", () => book.answered() > before + 100)
        yield* Fiber.interruptAll(writers)
        yield* book.settle(server, yield* embeddedUrl(disk.folder))
      })
  )
})
