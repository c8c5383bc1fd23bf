/** The two stores behind the one port, by the same tests; and S3 behind the service. */
import { readdirSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Config } from "../../../src/config.ts"
import * as configuredStore from "../../../src/kyc/files/configured-store.ts"
import { FileStore } from "../../../src/kyc/files/store.ts"
import { newId } from "../../../src/shared/identifier.ts"
import { text } from "../../support/client.ts"
import { jpegOf, samples, sha256, upload } from "../../support/kyc/files.ts"
import { refusal, startCompany, statusAndBody } from "../../support/kyc/partner.ts"
import { startS3 } from "../../support/machine/s3.ts"
import { execute, temporaryFolder } from "../../support/postgres.ts"
import type { Environment } from "../../support/server.ts"

const disk = Effect.map(temporaryFolder, (dataDir): Environment => ({ DATA_DIR: dataDir }))
const s3 = Effect.map(
  Effect.all([disk, startS3]),
  ([local, { environment }]): Environment => ({ ...local, ...environment })
)

const read = (id: string) =>
  Effect.flatMap(FileStore, (store) =>
    Effect.flatMap(store.get(id), (content) => Effect.promise(() => new Response(content).bytes()))
  )

for (const [name, settings] of [
  ["on disk", disk],
  ["in S3", s3]
] as const) {
  const withStore = <A, E>(
    use: (
      put: (id: string, bytes: Uint8Array) => Effect.Effect<void, unknown, FileStore>
    ) => Effect.Effect<A, E, FileStore>
  ) =>
    Effect.gen(function* () {
      const environment = yield* settings
      const local = yield* temporaryFolder
      const put = (id: string, bytes: Uint8Array) =>
        Effect.gen(function* () {
          const path = join(environment.DATA_DIR ?? local, id)
          yield* Effect.promise(() => writeFile(path, bytes))
          yield* (yield* FileStore).put(id, path)
        })
      return yield* Effect.provide(use(put), Layer.provide(configuredStore.layer, Config.layer(environment)))
    })

  describe(`The store ${name}`, () => {
    for (const size of [1, 300_000, 5_242_880, 20_971_520]) {
      it.scopedLive(`returns ${size} bytes unchanged`, () =>
        withStore((put) =>
          Effect.gen(function* () {
            const id = newId()
            const bytes = jpegOf(Math.max(size, 30)).subarray(0, size)
            yield* put(id, bytes)
            expect(sha256(yield* read(id))).toBe(sha256(bytes))
          })
        )
      )
    }

    it.scopedLive("removes, even what does not exist; reading what does not exist fails", () =>
      withStore((put) =>
        Effect.gen(function* () {
          const store = yield* FileStore
          const [id, other] = [newId(), newId()]
          yield* put(id, samples.png)
          yield* put(other, samples.pdf)
          yield* store.remove(id)
          yield* store.remove(id)
          expect((yield* Effect.flip(store.get(id)))._tag).toBe("StoreFailed")
          expect(Buffer.from(yield* read(other))).toEqual(samples.pdf)
        })
      )
    )
  })
}

const started = Effect.gen(function* () {
  const bucket = yield* startS3
  const dataDir = yield* temporaryFolder
  const company = yield* startCompany(
    { ...bucket.environment, DATA_DIR: dataDir },
    { config: { capture: { maxBytes: 20_971_520 } } }
  )
  const rows = (table: string) =>
    Effect.map(execute(company.server.databaseUrl, `select id from ${table}`), (found) => found.length)
  return { bucket, company, rows, incoming: () => readdirSync(join(dataDir, "files", "incoming")) }
})

for (const size of [2_000_000, 12_000_000]) {
  it.scopedLive(`S3 refuses ${size} bytes: 500 Failed to store file, and nothing is recorded or kept`, () =>
    Effect.gen(function* () {
      const { bucket, company, incoming, rows } = yield* started
      const session = yield* company.newSession()
      bucket.fail("PUT")
      const answer = yield* upload(company.server, session, jpegOf(size))
      expect(statusAndBody(answer)).toStrictEqual(refusal(500, "Failed to store file"))
      expect([yield* rows("kyc_files"), yield* rows("kyc_file_uploads")]).toEqual([0, 0])
      expect([bucket.objects.size, bucket.openUploads.size, incoming()]).toEqual([0, 0, []])
      bucket.fail()
      expect((yield* upload(company.server, session, jpegOf(size))).status).toBe(201)
    })
  )
}

it.scopedLive("S3 cannot be read: 500 Failed to get file, before the response begins", () =>
  Effect.gen(function* () {
    const { bucket, company } = yield* started
    const session = yield* company.newSession()
    const { body } = yield* upload(company.server, session, samples.png)
    const id = text(body, "file", "id")
    const path = `/api/kyc/sessions/${session.id}/files/${id}`
    bucket.objects.clear()
    expect(statusAndBody(yield* company.asPartner(path))).toStrictEqual(refusal(500, "Failed to get file"))
    bucket.fail("GET", "HEAD")
    expect(statusAndBody(yield* company.asPartner(path))).toStrictEqual(refusal(500, "Failed to get file"))
    expect((yield* company.asPartner(`/api/kyc/sessions/${session.id}/files`)).status).toBe(200)
  })
)
