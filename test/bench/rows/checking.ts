/** How much longer requests wait while the photos of many sessions are looked at. */
import { Effect } from "effect"
import { createInstance, createSession, onboard, send } from "../../support/client.ts"
import { levels, seeded, specimen } from "../../support/kyc/specimens.ts"
import { execute } from "../../support/postgres.ts"
import { atFixedRate } from "../fixed-rate.ts"
import { median } from "../load.ts"
import { doorlock, postgres } from "../servers.ts"
import { figure, rounds, seconds } from "../table.ts"

/** Sessions that are completed at once, each with a photo of a document. */
const sessions = 200

/** Requests a second: far below the maximum, so that the machine has time for the photos. */
const rate = 200

/** The noise between two measurements, in milliseconds, when the server, the load and the process that looks share two cores. */
const noise = 1.5

export const checking = Effect.gen(function* () {
  const databaseUrl = yield* postgres
  const service = { ...(yield* doorlock(databaseUrl)), databaseUrl }
  const { key, member, session } = yield* onboard(service)
  const instance = yield* createInstance(service, member)
  const { photo } = yield* Effect.promise(() => specimen(seeded(1), "TD3", levels.mild))
  const call = { url: `${service.url}${session.path}?token=${session.token}`, headers: {} }
  const p99 = Effect.map(
    Effect.promise(() => atFixedRate(call, rate, seconds)),
    ({ p99Millis }) => p99Millis
  )
  const left = Effect.map(
    execute(databaseUrl, "select count(*)::int as count from work_jobs where kind = 'kyc.session.checks'"),
    ([row]) => Number(row?.count)
  )
  const waiting = yield* Effect.forEach(
    Array.from({ length: sessions }),
    () =>
      Effect.tap(createSession(service, key.token, instance.id), ({ path, token }) =>
        send(service, "POST", `${path}/files`, {
          headers: { authorization: `Bearer ${token}` },
          body: Buffer.from(photo)
        })
      ),
    { concurrency: 4 }
  )
  // A first run without a measurement: a new process is slow.
  yield* p99
  const without = median(yield* Effect.replicateEffect(p99, rounds))
  yield* Effect.forEach(
    waiting,
    ({ path, token }) => send(service, "POST", `${path}/complete`, { json: { token } }),
    { concurrency: 8, discard: true }
  )
  const begun = yield* left
  const beside = median(yield* Effect.replicateEffect(p99, rounds))
  yield* figure(
    `p99 of reads of a session while ${begun} sessions wait for checks of their photos, ${yield* left} at the end`,
    `${beside.toFixed(1)} ms, without them ${without.toFixed(1)} ms`,
    `20 % more, and ${noise} ms`,
    beside <= without * 1.2 + noise
  )
})
