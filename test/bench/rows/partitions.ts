/** How long a write waits while the table of an installation of before becomes partitioned. `SESSIONS` (1,000,000) sets how many sessions it has. */
import { Effect, Fiber } from "effect"
import { migrate } from "../../../src/db/migrations.ts"
import { migrationsBefore } from "../../support/database/earlier.ts"
import { earlierCompany, earlierSessions, writingUntil } from "../../support/kyc/earlier-writer.ts"
import { execute } from "../../support/postgres.ts"
import { postgres } from "../servers.ts"
import { figure } from "../table.ts"

const sessions = Number(process.env.SESSIONS ?? 1_000_000)

const writers = 8

/** Both the longest wait of a statement, and how long the part took (ms). */
const during = <A, E, R>(url: Parameters<typeof writingUntil>[0], part: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    let isOver = false
    const running = yield* Effect.fork(
      Effect.all(
        Array.from({ length: writers }, () => writingUntil(url, () => isOver)),
        { concurrency: "unbounded" }
      )
    )
    yield* Effect.sleep("1 second")
    const began = performance.now()
    yield* part
    const took = performance.now() - began
    isOver = true
    const waits = yield* Fiber.join(running)
    return { took, longest: Math.max(...waits.map(({ longest }) => longest)) }
  })

export const partitions = Effect.gen(function* () {
  const url = yield* postgres
  yield* migrate({ url, folder: yield* migrationsBefore("0055") })
  yield* earlierCompany(url)
  yield* earlierSessions(url, sessions)
  yield* execute(url, "vacuum analyze")
  const usual = yield* during(url, Effect.sleep("10 seconds"))
  const migrating = yield* during(url, migrate({ url }))
  const of = `with ${sessions.toLocaleString("en")} sessions`
  yield* figure(`longest wait of a write, ${writers} clients`, `${usual.longest.toFixed(0)} ms`, "-", true)
  yield* figure(
    `longest wait of a write while sessions move into partitions, ${of}`,
    `${migrating.longest.toFixed(0)} ms`,
    "1000 ms",
    migrating.longest <= 1000
  )
  yield* figure(`how long that takes, ${of}`, `${(migrating.took / 1000).toFixed(1)} s`, "-", true)
})
