/** How long a write waits while a month of sessions is dropped. `SESSIONS` (1,000,000) sets how many sessions there are. */
import { Effect, Fiber, Layer } from "effect"
import * as Database from "../../../src/db/database.ts"
import { migrate } from "../../../src/db/migrations.ts"
import { SessionMonthRepo } from "../../../src/kyc/redaction/months-repo.ts"
import { partitionsOfBefore } from "../../support/kyc/session-ids.ts"
import { companyWithInstance, pastSessions, writingUntil } from "../../support/kyc/session-writer.ts"
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

/** A month of so many sessions that are redacted, half a year ago. Each has a key hash, and some a review. */
const redactedMonth = (url: Parameters<typeof writingUntil>[0]) =>
  Effect.gen(function* () {
    yield* partitionsOfBefore(url, 12)
    yield* companyWithInstance(url)
    yield* pastSessions(url, sessions, "date_trunc('month', now()) - interval '5 months' - interval '1 day'")
    // As retention does, and without a vacuum afterwards.
    yield* execute(url, "update kyc_sessions set redacted_at = now(), progress = '{}'")
    yield* execute(
      url,
      `insert into kyc_dedup_records (key_hmac, company_id, mode, first_session_id, last_session_id, seen_count)
       select sha256(id::text::bytea), company_id, mode, id, id, 1 from kyc_sessions`
    )
    yield* execute(
      url,
      "insert into kyc_dedup_sightings (session_id, key_hmac) select first_session_id, key_hmac from kyc_dedup_records"
    )
    yield* execute(
      url,
      `insert into kyc_reviews (session_id, company_id, instance_id, session_created_at, status, decision, decided_by, decided_at)
       select id, company_id, instance_id, created_at, 'decided', 'approved', 'api', now() from kyc_sessions where id::text like '%0'`
    )
    yield* execute(url, "vacuum analyze kyc_dedup_sightings, kyc_dedup_records, kyc_reviews")
  })

/** What retention does with a month. */
const dropped = Effect.gen(function* () {
  const repo = yield* SessionMonthRepo
  // Held for an hour at first: the index of sessions that are not redacted is slow until it was read once.
  while ((yield* repo.due(3)).length > 0) yield* repo.dropOne(3)
  for (const month of yield* repo.uncleared) {
    for (const some of repo.deletions)
      for (let id: string | undefined = month.low; id !== undefined; id = yield* some(month, id));
    yield* repo.markCleared(month)
  }
})

export const partitions = Effect.gen(function* () {
  const url = yield* postgres
  yield* migrate({ url })
  yield* redactedMonth(url)
  const usual = yield* during(url, Effect.sleep("10 seconds"))
  yield* figure(`longest wait of a write, ${writers} clients`, `${usual.longest.toFixed(0)} ms`, "-", true)
  const services = SessionMonthRepo.Default.pipe(Layer.provide(Database.layer({ url, maxConnections: 2 })))
  const { longest, took } = yield* during(url, Effect.provide(dropped, services))
  yield* figure(
    `longest wait of a write while a month is dropped, with ${sessions.toLocaleString("en")} sessions`,
    `${longest.toFixed(0)} ms`,
    "1000 ms",
    longest <= 1000
  )
  yield* figure("how long that takes, with what hangs on them", `${(took / 1000).toFixed(1)} s`, "-", true)
})
