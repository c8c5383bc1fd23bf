/** Limits in a Redis cluster: exact while slots move and after a replica took over. */
import { describe, expect } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import type { PlannedCall } from "../../../src/marketplace/limits/model.ts"
import { sharedCounts } from "../../../src/marketplace/limits/redis.ts"
import { eventually } from "../../support/eventually.ts"
import { withoutRedis } from "../../support/machine/redis.ts"
import { redisCluster } from "../../support/machine/redis-cluster.ts"
import { MeteredDatabase } from "../../support/marketplace/metered-database.ts"
import { asksRedisAgain, call, calls, type Metering, metering } from "../../support/marketplace/metering.ts"
import { subscribed } from "../../support/marketplace/rows.ts"
import { patient } from "../../support/run/timeouts.ts"
import { suite } from "../../support/suite.ts"

const windowOf = ({ account: { name } }: PlannedCall) => `doorlock:limits:{${name}}:minute`

/** Makes the calls with each of the processes at once, and returns how many were admitted together. */
const callsOfAll = (processes: ReadonlyArray<Metering>, planned: PlannedCall, each: number) =>
  Effect.map(
    Effect.forEach(processes, (limits) => calls(limits, planned, each), { concurrency: "unbounded" }),
    (admitted) => admitted.reduce((a, b) => a + b, 0)
  )

const problemOf = (...urls: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.map(sharedCounts(urls.map((url) => Redacted.make(url))), ({ problem }) => problem())
  ).pipe(Effect.provide(patient))

suite(MeteredDatabase.layer)((it) => {
  describe.skipIf(withoutRedis)("limits in a Redis cluster (needs redis-server)", () => {
    it.scoped("a slot moves while calls are made: redirections are followed, and no call counts twice", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const cluster = yield* redisCluster()
        const limits = [
          yield* metering(databaseUrl, { REDIS_URL: cluster.url }),
          yield* metering(databaseUrl, { REDIS_URL: cluster.url })
        ]
        const { call: planned } = yield* subscribed(databaseUrl, { requestsPerMinute: 60 })
        expect(yield* callsOfAll(limits, planned, 10)).toBe(20)

        const from = yield* cluster.masterOf(windowOf(planned))
        const to = cluster.nodes.slice(0, 3).find(({ id }) => id !== from.id)
        if (to === undefined) throw new Error("No other master")
        const slot = String(yield* from.send("CLUSTER", "KEYSLOT", windowOf(planned)))
        const keysIn = (node: typeof from) =>
          Effect.map(node.send("CLUSTER", "GETKEYSINSLOT", slot, "9"), (keys) =>
            Array.isArray(keys) ? keys.map(String) : []
          )
        const move = (key: string) => from.send("MIGRATE", "127.0.0.1", String(to.port), key, "0", "60000")
        const [first = "", second = ""] = yield* keysIn(from)
        yield* to.send("CLUSTER", "SETSLOT", slot, "IMPORTING", from.id)
        yield* from.send("CLUSTER", "SETSLOT", slot, "MIGRATING", to.id)
        expect(yield* callsOfAll(limits, planned, 5)).toBe(10)

        // TRYAGAIN, until both keys are in one place again.
        yield* move(first)
        const waiting = yield* Effect.fork(callsOfAll(limits, planned, 1))
        yield* eventually(
          "it was told to try again",
          Effect.map(
            Effect.forEach([from, to], (node) => node.send("INFO", "errorstats")),
            (texts) => texts.some((text) => String(text).includes("errorstat_TRYAGAIN"))
          )
        )
        yield* move(second)
        expect(yield* Fiber.join(waiting)).toBe(2)

        // ASK
        expect(yield* callsOfAll(limits, planned, 5)).toBe(10)
        expect((yield* keysIn(to)).sort()).toEqual([first, second].sort())
        expect(yield* keysIn(from)).toEqual([])

        // MOVED
        for (const node of [to, from]) yield* node.send("CLUSTER", "SETSLOT", slot, "NODE", to.id)
        expect(yield* callsOfAll(limits, planned, 50)).toBe(18)
        const state = yield* to.send("HGET", windowOf(planned), "sum")
        expect(Number(state)).toBe(60)
      })
    )

    it.scoped("says what is wrong: a password, slots that nobody has, a cluster that is down", () =>
      Effect.gen(function* () {
        const databaseUrl = yield* MeteredDatabase
        const cluster = yield* redisCluster({ password: "right" })
        const other = cluster.url.replace("right", "wrong")
        expect(yield* problemOf(cluster.url)).toBeUndefined()
        expect(yield* problemOf(other)).toMatch(/^127\.0\.0\.1:\d+: WRONGPASS /)
        expect(yield* problemOf(cluster.url.replace(":right@", ""))).toMatch(/: NOAUTH /)

        const limits = yield* metering(databaseUrl, { REDIS_URL: cluster.urlOfAll })
        const { call: planned } = yield* subscribed(databaseUrl, { requestsPerMinute: 5 })
        expect(yield* calls(limits, planned, 2)).toBe(2)
        const master = yield* cluster.masterOf(windowOf(planned))
        const slot = String(yield* master.send("CLUSTER", "KEYSLOT", windowOf(planned)))
        for (const node of cluster.nodes.slice(0, 3)) yield* node.send("CLUSTER", "DELSLOTS", slot)
        // The process goes on alone, from what it has heard.
        expect((yield* call(limits, planned)).over).toBeUndefined()
        expect(yield* calls(limits, planned, 9)).toBe(2)
        expect(yield* problemOf(cluster.url)).toMatch(
          /CLUSTERDOWN|no server has 1 of the cluster's 16384 slots/
        )
        yield* master.send("CLUSTER", "ADDSLOTS", slot)
        yield* cluster.whole(master)
        yield* asksRedisAgain(limits, planned)
      })
    )
  })
})
