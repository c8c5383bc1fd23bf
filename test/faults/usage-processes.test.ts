/** A process that counts calls and is killed: what of the count outlives it. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { calls, metering } from "../support/marketplace/metering.ts"
import { meteringProcess } from "../support/marketplace/metering-process.ts"
import {
  company,
  publish,
  subscribed,
  subscription,
  written,
  writtenMonth
} from "../support/marketplace/rows.ts"
import { usageProcess } from "../support/marketplace/usage-process.ts"
import { execute } from "../support/postgres.ts"
import { sized } from "../support/run/fault-size.ts"

describe("a process that counts usage", () => {
  it.scopedLive(
    "is killed: every call before its last two batches is counted, and no call that was not made",
    () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const { call, subscriptionId } = yield* subscribed(databaseUrl, { requestsPerMonth: 100_000 })
        const process = yield* meteringProcess(databaseUrl)
        yield* process.order({ call, count: 10_000, paced: 10 })
        const batches = (count: number) =>
          eventually(
            `${count} batches are written`,
            Effect.map(
              execute(databaseUrl, "select batch::int as batch from api_usage_recorders"),
              ([row]) => Number(row?.batch ?? 0) >= count
            )
          )
        yield* batches(1)
        const [row] = yield* execute(databaseUrl, "select batch::int as batch from api_usage_recorders")
        const before = Number(row?.batch)
        const kept = process.answers().length
        // The first of them may have been closed before these calls; the second was not.
        yield* batches(before + 2)
        yield* process.end("SIGKILL")
        const made = process.answers().length
        const { "2xx": found = 0 } = yield* written(databaseUrl, subscriptionId)
        expect(kept, "calls that were made in time").toBeGreaterThan(0)
        expect(
          Number(found),
          "calls written, of those made two batches before the end"
        ).toBeGreaterThanOrEqual(kept)
        // It may have been killed between a call and its telling of it.
        expect(Number(found), "calls written, of those made at all").toBeLessThanOrEqual(made + 1)
        // The next process continues from the stored counts.
        expect(yield* writtenMonth(databaseUrl, subscriptionId)).toBe(found)
        yield* Effect.scoped(Effect.flatMap(metering(databaseUrl), (limits) => calls(limits, call, 10)))
        expect(yield* written(databaseUrl, subscriptionId)).toEqual({ "2xx": Number(found) + 10 })
      })
  )
})

interface Sample {
  readonly at: number
  /** Calls that all processes have made. */
  readonly made: number
  /** Calls that are stored in the counts. */
  readonly stored: number
}

/** For each sample, the milliseconds since no more calls had been made than it found stored: the age of what a reader of usage sees. */
const ages = (samples: ReadonlyArray<Sample>): ReadonlyArray<number> =>
  samples.flatMap(({ at, stored }) => {
    const then = samples.findLast(({ made }) => made <= stored)
    return then === undefined ? [] : [at - then.at]
  })

/** "median 1 ms, 99 in 100 2 ms, slowest 3 ms" */
const spread = (milliseconds: ReadonlyArray<number>) => {
  const sorted = milliseconds.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
  return `median ${at(0.5)} ms, 99 in 100 ${at(0.99)} ms, slowest ${at(1)} ms`
}

/** How many of the first `made` calls, made with all keys in turn, were made with the key at this place. */
const callsAt = (place: number, made: number, keys: number) => Math.floor((made + keys - 1 - place) / keys)

describe("many processes that count calls with the same keys", () => {
  const size = {
    processes: sized(4, Number(process.env.PROCESSES ?? 100)),
    killed: sized(1, 10),
    keys: sized(60, 1_000),
    accounts: sized(6, 100),
    seconds: sized(2, 60)
  }

  it.scopedLive("some are killed, the others stopped: every call of these is counted, and each once", () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const api = yield* publish(databaseUrl, yield* company(databaseUrl))
      for (let n = 0; n < size.accounts; n++)
        yield* subscription(databaseUrl, api, yield* company(databaseUrl))
      yield* execute(
        databaseUrl,
        `insert into marketplace_keys (id, subscription_id, name, mode, token_hash, token_prefix)
         select gen_random_uuid(), s.id, 'key', 'live', sha256((s.id::text || n)::bytea), 'dk_live_x'
         from subscriptions s, generate_series(1, $1::int) n`,
        [size.keys / size.accounts]
      )
      // What the killed ones have made has an outcome of its own.
      const doomed = yield* Effect.replicateEffect(usageProcess(databaseUrl, "3xx"), size.killed)
      const others = yield* Effect.replicateEffect(
        usageProcess(databaseUrl, "2xx"),
        size.processes - size.killed
      )
      const made = (seconds: number) =>
        eventually(`each process has made calls for ${seconds} seconds`, () =>
          [...doomed, ...others].every(({ progress }) => progress().made >= seconds * size.keys)
        )
      yield* made(size.seconds / 2)
      yield* eventually("each process knows of a batch that was counted", () =>
        [...doomed, ...others].every(({ progress }) => progress().counted > 0)
      )
      const before = others.map(({ lags }) => lags().length)
      yield* Effect.forEach(doomed, ({ end }) => end("SIGKILL"), { concurrency: "unbounded" })
      const samples: Array<Sample> = []
      const sampling = yield* Effect.map(
        execute(
          databaseUrl,
          "select coalesce(sum(calls), 0)::int as stored from api_usage where outcome = '2xx'"
        ),
        ([row]) => {
          const made = others.reduce((sum, { progress }) => sum + progress().made, 0)
          samples.push({ at: performance.now(), made, stored: Number(row?.stored) })
        }
      ).pipe(Effect.delay("100 millis"), Effect.forever, Effect.fork)
      yield* eventually(`the others have made calls for ${size.seconds} seconds`, () =>
        others.every(({ progress }) => progress().made >= size.seconds * size.keys)
      )
      yield* Fiber.interrupt(sampling)
      // Not those of the time when the processes started.
      const lags = others.flatMap(({ lags }, n) => lags().slice(before[n]))
      process.stdout.write(
        `${size.processes} processes, ${size.keys} keys, ${size.seconds} s. How old the stored counts are: ${spread(ages(samples))}. ` +
          `From a call until its process knows that it is counted, of the first call of each batch: ${spread(lags)}.\n`
      )
      yield* Effect.forEach(others, ({ end }) => end("SIGTERM"), { concurrency: "unbounded" })

      const counts = yield* execute(
        databaseUrl,
        `select k.id, coalesce(sum(calls) filter (where outcome = '2xx'), 0)::int as stopped,
           coalesce(sum(calls) filter (where outcome = '3xx'), 0)::int as killed
         from marketplace_keys k left join api_usage u on u.key_id = k.id group by k.id order by k.id`
      )
      expect(counts.map(({ stopped }) => stopped)).toEqual(
        counts.map((_, place) =>
          others.reduce((sum, { progress }) => sum + callsAt(place, progress().made, size.keys), 0)
        )
      )
      const killed = counts.reduce((sum, row) => sum + Number(row.killed), 0)
      const sumOf = (read: (progress: { made: number; counted: number }) => number) =>
        doomed.reduce((sum, { progress }) => sum + read(progress()), 0)
      expect(killed, "what the killed ones knew to be counted").toBeGreaterThanOrEqual(
        sumOf(({ counted }) => counted)
      )
      // Each may have been killed between a round of calls and its line.
      expect(killed, "what the killed ones have made").toBeLessThanOrEqual(
        sumOf(({ made }) => made + size.keys)
      )
      const [months] = yield* execute(
        databaseUrl,
        `select (select sum(used)::int from api_usage_counts) as used, (select sum(calls)::int from api_usage) as calls,
           (select count(*)::int from api_usage_batches) as waiting`
      )
      expect(months).toEqual({ used: months?.calls, calls: months?.calls, waiting: 0 })
    })
  )
})
