/** Nodes of a Redis cluster that die or hang: the nodes themselves promote a replica, and limits are exact again. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PlannedCall } from "../../src/marketplace/limits/model.ts"
import { productionTimes } from "../../src/shared/times.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { withoutRedis } from "../support/machine/redis.ts"
import { redisCluster } from "../support/machine/redis-cluster.ts"
import { asksRedisAgain, call, calls, metering } from "../support/marketplace/metering.ts"
import { meteringProcess } from "../support/marketplace/metering-process.ts"
import { subscribed } from "../support/marketplace/rows.ts"
import { withTimes } from "../support/timing.ts"

const windowOf = ({ account: { name } }: PlannedCall) => `doorlock:limits:{${name}}:minute`

const subscriptions = (databaseUrl: Parameters<typeof subscribed>[0]) =>
  Effect.replicateEffect(subscribed(databaseUrl, { requestsPerMinute: 60, requestsPerMonth: 60 }), 6)

describe.skipIf(withoutRedis)("a node of a Redis cluster (needs redis-server)", () => {
  it.scopedLive.each(["is killed", "hangs"])(
    "%s: a replica takes over, and two processes admit exactly the limit of six subscriptions",
    (what) =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const cluster = yield* redisCluster({ nodeTimeout: 5_000 })
        const limits = yield* withTimes(productionTimes)(
          metering(databaseUrl, { REDIS_URL: cluster.urlOfAll })
        )
        const { call: planned } = yield* subscribed(databaseUrl, { requestsPerMonth: 1_000_000 })
        expect((yield* call(limits, planned)).over).toBeUndefined()
        const lost = yield* cluster.masterOf(windowOf(planned))
        const heir = cluster.replicaOf(lost)
        yield* what === "hangs" ? lost.pause : lost.kill
        // Calls go on meanwhile, and none waits for the nodes' decision.
        expect(yield* calls(limits, planned, 50)).toBe(50)
        yield* cluster.whole(heir)
        yield* eventually(
          "the replica has taken over",
          Effect.map(heir.send("ROLE"), (role) => Array.isArray(role) && role[0] === "master")
        )
        yield* cluster.whole(heir)
        // Without a restart, and while the connection to a node that hangs is still there.
        yield* eventually(
          "the heir counts",
          Effect.zipRight(
            Effect.zipRight(limits.run("marketplace.redis"), call(limits, planned)),
            Effect.map(heir.send("EXISTS", windowOf(planned)), (there) => there === 1)
          )
        )
        yield* asksRedisAgain(limits, planned)
        // From now on, no node takes one for failed that is only slow: a second replica would lack the last counts.
        for (const node of cluster.nodes)
          if (node.id !== lost.id) yield* node.send("CONFIG", "SET", "cluster-node-timeout", "600000")

        const processes = yield* Effect.all(
          [cluster.urlOfAll, cluster.urlOfAll].map((url) => meteringProcess(databaseUrl, { REDIS_URL: url })),
          { concurrency: 2 }
        )
        for (const [place, { call: next }] of (yield* subscriptions(databaseUrl)).entries()) {
          for (const process of processes) yield* process.order({ call: next, count: 50 })
          yield* eventually("both have answered", () =>
            processes.every((process) => process.answers().length > place)
          )
          const admitted = processes.map((process) => process.answers()[place] ?? 0)
          expect(admitted.reduce((a, b) => a + b, 0)).toBe(60)
        }
        yield* lost.resume
      })
  )
})
