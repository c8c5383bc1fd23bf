/** More processes than the database has connections for, behind a pooler: requests wait for their turn, and none fails. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { onboard } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { secret } from "../support/kyc/captcha.ts"
import { pgBouncer, withoutPgBouncer } from "../support/machine/pgbouncer.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { runUntilReady } from "../support/program.ts"
import { sized } from "../support/run/fault-size.ts"
import { allWriters } from "../support/writers/all.ts"
import { ledger } from "../support/writers/ledger.ts"

const size = { processes: sized(2, 40), connections: sized(3, 50), acts: sized(40, 200) }

describe.skipIf(withoutPgBouncer)(
  `${size.processes} processes on ${size.connections} connections of PgBouncer (needs pgbouncer)`,
  () => {
    it.scopedLive(
      "every kind of write at each of them: no 500, and everything that was answered is there",
      () =>
        Effect.gen(function* () {
          const databaseUrl = yield* freshDatabase
          const pooler = yield* pgBouncer(databaseUrl, {
            pool_mode: "transaction",
            default_pool_size: size.connections,
            max_client_conn: 1_000
          })
          const environment = {
            DATABASE_URL: Redacted.value(pooler.url),
            DATABASE_LISTEN_URL: Redacted.value(databaseUrl),
            DATABASE_POOL: "10",
            SECRET_KEY: "a secret key for tests, 32 bytes at least",
            SEED_DEMO: "false",
            SIGNUP: "open",
            KYC_DEV_MODE: "allow",
            GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true",
            LOG_LEVEL: "warning",
            CAPTCHA_JWT_SECRET: secret,
            // Uploads go to it from one process and are read from another.
            DATA_DIR: yield* temporaryFolder
          }
          const programs = yield* Effect.replicateEffect(runUntilReady(environment), size.processes, {
            concurrency: 4
          })
          const works = yield* Effect.forEach(programs, (program) =>
            Effect.gen(function* () {
              const server = { ...program, databaseUrl }
              const book = ledger()
              const company = yield* onboard(server)
              return { book, server, writers: yield* allWriters(server, company) }
            })
          )
          const working = yield* Effect.forEach(works, ({ book, server, writers }) =>
            book.work(server, writers)
          )
          yield* eventually(`each process has answered ${size.acts} writes`, () =>
            works.every(({ book }) => book.answered() >= size.acts)
          )
          yield* Fiber.interruptAll(working.flat())
          const failures = works.map(({ book }) => book.failures())
          const answered = works.reduce((sum, { book }) => sum + book.answered(), 0)
          process.stdout.write(`${size.processes} processes have answered ${answered} writes.\n`)
          expect(failures, "writes that were answered 500").toEqual(works.map(() => 0))
          for (const { book, server } of works) yield* book.settle(server, databaseUrl)
        })
    )
  }
)
