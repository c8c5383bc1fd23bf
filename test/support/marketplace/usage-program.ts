/**
 * A program that counts calls with every key of its database, each once a second, for tests with many processes. Each output line
 * says how many calls it has made, and how many of them it knows to be counted.
 */

import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Redacted, Schema } from "effect"
import * as Database from "../../../src/db/database.ts"
import { rows } from "../../../src/db/sql.ts"
import { dayOf } from "../../../src/marketplace/usage/calendar-model.ts"
import { accountIdOf, Outcome } from "../../../src/marketplace/usage/model.ts"
import { UsageRecordingRepo } from "../../../src/marketplace/usage/recording-repo.ts"
import { UsageRecorder } from "../../../src/marketplace/usage/recording-service.ts"
import { patient } from "../run/timeouts.ts"
import { meteringConfig } from "./metering.ts"

/** An output line. */
export interface Progress {
  readonly made: number
  readonly counted: number
  /** Milliseconds since the first of the calls that are known to be counted since the line before; null if none are. */
  readonly lag: number | null
}

const ticksPerSecond = 20

const outcome = Schema.decodeUnknownSync(Outcome)(process.env.OUTCOME)

const program = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const recorder = yield* UsageRecorder
  const keys = yield* rows(
    Schema.Struct({
      id: Schema.String,
      subscription: Schema.String,
      company: Schema.String,
      api: Schema.String
    })
  )(sql`
    select k.id, s.id as subscription, s.company_id as company, s.api_id as api
    from marketplace_keys k join subscriptions s on s.id = k.subscription_id order by k.id`)
  const sources = keys.map(({ api, company, id, subscription }) => ({
    keyId: id,
    mode: "live" as const,
    subscriptionId: subscription,
    account: accountIdOf(company, api, "live")
  }))
  let made = 0
  let counted = 0
  let toldCounted = 0
  /** The calls made before each of these times, oldest first; from the first that are not known to be counted. */
  let times: ReadonlyArray<{ readonly made: number; readonly at: number }> = []
  yield* recorder.onWritten(({ own }) => {
    counted += own
  })
  const say = Effect.sync(() => {
    const [oldest] = times
    const lag = counted === toldCounted || oldest === undefined ? null : performance.now() - oldest.at
    process.stdout.write(`${JSON.stringify({ made, counted, lag } satisfies Progress)}\n`)
    toldCounted = counted
    times = times.filter((time) => time.made > counted)
  })
  const tick = Effect.sync(() => {
    const day = dayOf(Date.now())
    for (let n = 0; n < sources.length / ticksPerSecond; n++) {
      const source = sources[made % sources.length]
      if (source !== undefined) recorder.record(source, day, outcome)
      made++
    }
    times = [...times, { made, at: performance.now() }]
  })
  yield* say
  yield* Effect.zipRight(tick, say).pipe(
    Effect.delay(1000 / ticksPerSecond),
    Effect.forever,
    // Nothing is counted after this line.
    Effect.onExit(() => say)
  )
})

BunRuntime.runMain(
  Effect.scoped(program).pipe(
    Effect.provide(
      Layer.suspend(() => {
        const url = Redacted.make(process.env.DATABASE_URL ?? "")
        return UsageRecorder.Default.pipe(
          Layer.provide(UsageRecordingRepo.Default),
          Layer.provideMerge(Database.layer({ url, maxConnections: 1 })),
          Layer.provide(meteringConfig(url)),
          Layer.provide(patient)
        )
      })
    )
  )
)
