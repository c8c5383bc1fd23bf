/** The process killed under load: every answer that was given is in the database, and nothing is half-written. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { cliProcess } from "../support/cli.ts"
import { onboard } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { secret } from "../support/kyc/captcha.ts"
import { redis, withoutRedis } from "../support/machine/redis.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { databasePid, embeddedUrl, runUntilReady, workersOf } from "../support/program.ts"
import { sized } from "../support/run/fault-size.ts"
import { allWriters } from "../support/writers/all.ts"
import { ledger } from "../support/writers/ledger.ts"

/** The database is reached over HTTP only. */
const nowhere = Redacted.make("")

const settings = { SEED_DEMO: "false", LOG_LEVEL: "warning", CAPTCHA_JWT_SECRET: secret }

/** What comes to be written: all but what no client does often, such as to sign up or to change a password. */
const everyKind = [
  "PATCH /api/api-marketplace/apis/:apiId",
  "PATCH /api/kyc/instances/:id",
  "PATCH /api/members/:id",
  "POST /api/api-keys",
  "POST /api/api-keys/:id/revoke",
  "POST /api/api-marketplace/apis",
  "POST /api/api-marketplace/apis/:apiId/plans",
  "POST /api/api-marketplace/apis/:apiId/publish",
  "POST /api/api-marketplace/apis/:apiId/subscribe",
  "POST /api/api-marketplace/apis/:apiId/unpublish",
  "POST /api/api-marketplace/apis/:apiId/versions",
  "POST /api/api-marketplace/keys/:id/revoke",
  "POST /api/api-marketplace/keys/:id/rotate",
  "POST /api/api-marketplace/subscriptions/:id/cancel",
  "POST /api/api-marketplace/subscriptions/:id/keys",
  "POST /api/auth/invitation/accept",
  "POST /api/auth/login",
  "POST /api/auth/logout",
  "POST /api/invitations",
  "POST /api/invitations/:id/withdraw",
  "POST /api/kyc/instances",
  "POST /api/kyc/public/sessions",
  "POST /api/kyc/public/sessions/:sessionId/captcha/verify",
  "POST /api/kyc/public/sessions/:sessionId/complete",
  "POST /api/kyc/public/sessions/:sessionId/dedup-check",
  "POST /api/kyc/public/sessions/:sessionId/files",
  "POST /api/kyc/public/sessions/:sessionId/handoffs",
  "POST /api/kyc/public/sessions/:sessionId/handoffs/:handoffId/cancel",
  "POST /api/kyc/public/sessions/:sessionId/progress",
  "POST /api/members/:id/remove"
]

describe("kill -9 under load, of every kind of write", () => {
  const kills = sized(5, 20)

  it.scopedLive(
    "the process, and every other time its database too: every acknowledged write is there, each other one whole or not at all",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* temporaryFolder
        const environment = { ...settings, DATA_DIR: dataDir }
        const book = ledger()
        const missing = new Set(everyKind)
        let program = yield* runUntilReady(environment)
        const server = { ...program, databaseUrl: nowhere }
        const writers = yield* allWriters(server, yield* onboard(server))
        for (let kill = 1; kill <= kills; kill++) {
          const working = yield* book.work(program, writers)
          const enough = 150 + Math.random() * 150
          yield* eventually("many acts are done", () => {
            for (const kind of book.kinds()) missing.delete(kind)
            return book.answered() >= enough && (kill < kills || missing.size === 0)
          })
          if (kill % 2 === 0) process.kill(yield* databasePid(dataDir), "SIGKILL")
          program.signal("SIGKILL")
          expect(yield* program.exited).toBe("SIGKILL")
          yield* Effect.forEach(working, (fiber) => fiber.await)

          program = yield* runUntilReady(environment)
          const { unanswered } = yield* book.settle(program, yield* embeddedUrl(dataDir))
          // Clients were in the middle of something, or there was nothing to lose.
          expect(unanswered, "requests under way when it was killed").toBeGreaterThan(0)
        }
        yield* cliProcess(["audit", "verify"], { env: { DATA_DIR: dataDir } })
      })
  )

  it.scopedLive.skipIf(withoutRedis)(
    "one worker after the other (needs redis-server): all that was answered is there, the rest whole or not at all",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* temporaryFolder
        const program = yield* runUntilReady({
          ...settings,
          DATA_DIR: dataDir,
          WORKERS: "2",
          REDIS_URL: (yield* redis).url
        })
        const server = { ...program, databaseUrl: nowhere }
        const company = yield* onboard(server)
        const writers = yield* allWriters(server, company)
        const book = ledger()
        // Each is started again later than the one before, so that twenty would take ten minutes.
        for (let kill = 0; kill < sized(2, 5); kill++) {
          // Each on its own connection, which the system assigns.
          const working = yield* book.work(program, [...writers, ...writers])
          const before = book.answered()
          yield* eventually("many acts are done", () => book.answered() >= before + 300)
          const [victim = 0] = yield* workersOf(program)
          process.kill(victim, "SIGKILL")
          yield* eventually(
            "another is there in its place",
            Effect.map(workersOf(program), (pids) => pids.length === 2 && !pids.includes(victim))
          )
          yield* Fiber.interruptAll(working)
          const { unanswered } = yield* book.settle(program, yield* embeddedUrl(dataDir))
          expect(unanswered, "requests under way when it was killed").toBeGreaterThan(0)
        }
      })
  )
})
