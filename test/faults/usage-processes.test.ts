/** A process that counts calls and is killed: what of the count outlives it. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { calls, metering } from "../support/marketplace/metering.ts"
import { meteringProcess } from "../support/marketplace/metering-process.ts"
import { subscribed, written, writtenMonth } from "../support/marketplace/rows.ts"
import { execute } from "../support/postgres.ts"

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
            120_000,
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
