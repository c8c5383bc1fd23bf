/** The process killed under load: the feed has an event for each change that is in the database, once, and no other. */
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { connect } from "../../src/db/connection.ts"
import { onboard } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { feedReader } from "../support/feed.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { databasePid, embeddedUrl, runUntilReady } from "../support/program.ts"
import { killsOf, timeoutOf } from "../support/run/fault-size.ts"
import { keyWriter } from "../support/writers/accounts.ts"
import { sessionWriter } from "../support/writers/kyc.ts"
import { ledger } from "../support/writers/ledger.ts"

/** Each change of a company's sessions and keys that is in the database, as the type and the id of its event. */
const changes = `
  select 'kyc.session.created' as type, id::text from kyc_sessions where company_id = $1
  union all select 'kyc.session.started', id::text from kyc_sessions where company_id = $1 and started_at is not null
  union all select 'kyc.session.' || status, id::text from kyc_sessions where company_id = $1 and completed_at is not null
  union all select 'api_key.created', id::text from api_keys where company_id = $1
  union all select 'api_key.revoked', id::text from api_keys where company_id = $1 and revoked_at is not null
  order by 2, 1`

const kills = killsOf(5, 100)

/** Kills while one company works: at most a thousand of its keys may be active. */
const perCompany = 100

it.scopedLive(
  "kill -9 at random points, every other time of the database too: no event is lost, none invented",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const environment = { SEED_DEMO: "false", LOG_LEVEL: "warning", DATA_DIR: dataDir, SIGNUP: "open" }
      let program = yield* runUntilReady(environment)

      /** Kills the program while a company works, and compares the company's feed with the database. */
      const killed = Effect.fnUntraced(function* (first: number, last: number) {
        const company = yield* onboard({ ...program, databaseUrl: Redacted.make("") })
        const writers = [
          sessionWriter(company),
          sessionWriter(company),
          sessionWriter(company),
          keyWriter(company)
        ]
        const reader = feedReader(company.key.token, { limit: "100" })
        for (let kill = first; kill <= last; kill++) {
          const book = ledger()
          const working = yield* book.work(program, writers)
          const enough = 1 + Math.random() * 40
          yield* eventually(
            "some acts are done",
            Effect.gen(function* () {
              // Also moves events to the log, at any moment.
              yield* reader.read(program)
              return book.answered() >= enough
            })
          )
          if (kill % 2 === 0) process.kill(yield* databasePid(dataDir), "SIGKILL")
          program.signal("SIGKILL")
          expect(yield* program.exited).toBe("SIGKILL")
          yield* Effect.forEach(working, (fiber) => fiber.await)
          program = yield* runUntilReady(environment)
        }
        yield* reader.read(program)
        const url = yield* embeddedUrl(dataDir)
        const { rows } = yield* Effect.scoped(
          Effect.flatMap(connect(url), (client) =>
            Effect.promise(() => client.query(changes, [company.member.companyId]))
          )
        )
        const inOrder = reader
          .seen()
          .map(({ data, type }) => ({ type, id: data.id }))
          .sort((a, b) => (a.id === b.id ? (a.type < b.type ? -1 : 1) : a.id < b.id ? -1 : 1))
        expect(inOrder).toEqual(rows)
        // A client that begins later reads the same.
        const late = feedReader(company.key.token, { limit: "100" })
        yield* late.read(program)
        expect(late.seen()).toEqual(reader.seen())
      })

      for (let done = 0; done < kills; done += perCompany) {
        yield* killed(done + 1, Math.min(done + perCompany, kills))
      }
    }),
  timeoutOf(kills)
)
