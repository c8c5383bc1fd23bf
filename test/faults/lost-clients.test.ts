/** Clients that disconnect during a request: the work is completed or not done at all, and leaves nothing behind. */
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { onboard, send } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { metricsOf } from "../support/http/metrics.ts"
import { open } from "../support/http/raw.ts"
import { secret } from "../support/kyc/captcha.ts"
import { filesBelow } from "../support/kyc/files.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { sized } from "../support/run/fault-size.ts"
import { startServerOn } from "../support/server.ts"
import { allWriters } from "../support/writers/all.ts"
import { ledger } from "../support/writers/ledger.ts"

it.scopedLive(
  "during every kind of write: done at most once, whole or not at all, and no database connection leaks",
  () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const dataDir = yield* temporaryFolder
      const server = yield* startServerOn(databaseUrl, {
        CAPTCHA_JWT_SECRET: secret,
        GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true",
        DATA_DIR: dataDir
      })
      const book = ledger()
      // Again and again with another company: one has no more than a hundred APIs, say.
      for (let companies = 0; companies < sized(1, 15); companies++) {
        const company = yield* onboard(server)
        const writers = yield* allWriters(server, company)
        for (let round = 0; round < 20; round++) {
          const working = yield* book.work(server, [...writers, ...writers])
          // Bodies that never end.
          yield* Effect.scoped(
            Effect.gen(function* () {
              const connection = yield* open(server)
              connection.write(
                `POST ${company.session.path}/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${company.session.token}\r\nContent-Length: 100000\r\n\r\n%PDF-1.7\n`
              )
              const other = yield* open(server)
              other.write(
                `POST /api/api-keys HTTP/1.1\r\nHost: localhost\r\nCookie: ${company.member.cookie}\r\nContent-Length: 100\r\n\r\n{"name":`
              )
              yield* Effect.sleep(`${20 + Math.random() * 150} millis`)
            })
          )
          yield* Fiber.interruptAll(working)
        }
      }
      yield* eventually(
        // Passwords of disconnected clients are still checked to the end.
        "all that was begun has ended",
        Effect.gen(function* () {
          const [row] = yield* execute(databaseUrl, "select count(*)::int as begun from kyc_file_uploads")
          const metrics = yield* metricsOf(server)
          return row?.begun === 0 && metrics.value("doorlock_database_connections", { state: "in_use" }) === 0
        })
      )
      const { unanswered } = yield* book.settle(server, databaseUrl)
      expect(unanswered, "requests whose client had left").toBeGreaterThan(0)
      const [kept] = yield* execute(databaseUrl, "select count(*)::int as files from kyc_files")
      // Each with its copy.
      expect(filesBelow(dataDir), "files on disk, of those that the database has").toHaveLength(
        2 * Number(kept?.files)
      )
      expect((yield* send(server, "GET", "/readyz")).status).toBe(200)
    })
)
