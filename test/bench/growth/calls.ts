/** What a call through the gateway takes when Redis counts it. */
import { Effect } from "effect"
import { signUp } from "../../support/client.ts"
import { redis } from "../../support/machine/redis.ts"
import { type Call, fullSpeed, median } from "../load.ts"
import { publishedPath, subscribed } from "../published.ts"
import { baseline, doorlock, postgres } from "../servers.ts"
import { rounds, seconds } from "../table.ts"

/** Before that, the hot code is being compiled. */
const warmSeconds = 10

/** CPU microseconds of a process with `ROLE=gateway`, and of Redis, for each call: medians. */
export const called = Effect.gen(function* () {
  const url = yield* postgres
  const limits = yield* redis
  const service = { ...(yield* doorlock(url)), databaseUrl: url }
  const gateway = yield* doorlock(url, { ROLE: "gateway", REDIS_URL: limits.url })
  const upstream = yield* baseline("upstream", {})
  const token = yield* subscribed(service, yield* signUp(service), upstream.url)
  const call: Call = { url: `${gateway.url}${publishedPath}/things`, headers: { "x-api-key": token } }
  /** Its CPU time, and how often it has run a script. */
  const redisNow = Effect.gen(function* () {
    const info = yield* Effect.zipWith(
      limits.send("INFO", "cpu"),
      limits.send("INFO", "commandstats"),
      (cpu, commands) => `${cpu}\n${commands}`
    )
    const read = (pattern: RegExp) => Number(pattern.exec(info)?.[1] ?? 0)
    return {
      micros: 1e6 * (read(/used_cpu_sys:([\d.]+)/) + read(/used_cpu_user:([\d.]+)/)),
      takes: read(/cmdstat_evalsha:calls=(\d+)/)
    }
  })
  yield* Effect.promise(() => fullSpeed(call, gateway.pids, warmSeconds))
  const measured = yield* Effect.replicateEffect(
    Effect.gen(function* () {
      const before = yield* redisNow
      const { cpuMicros } = yield* Effect.promise(() => fullSpeed(call, gateway.pids, seconds))
      const after = yield* redisNow
      const takes = after.takes - before.takes
      if (takes === 0) return yield* Effect.die(new Error("Redis has counted no call"))
      return { callMicros: cpuMicros, redisMicros: (after.micros - before.micros) / takes }
    }),
    rounds
  )
  return {
    callMicros: median(measured.map((one) => one.callMicros)),
    redisMicros: median(measured.map((one) => one.redisMicros))
  }
}).pipe(Effect.scoped)
