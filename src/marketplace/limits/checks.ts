import { Effect, type Redacted } from "effect"
import { type Check, type Finding, failed, well } from "../../cli/check.ts"
import { sharedCounts } from "./redis.ts"

const findingOf = (url: Redacted.Redacted): Effect.Effect<Finding> =>
  Effect.scoped(
    Effect.map(sharedCounts(url), ({ isUp }) =>
      isUp()
        ? well("Redis responds and is writable.")
        : failed(
            "Redis at REDIS_URL does not answer, or does not let doorlock write.",
            "Until it does, each process counts the limits of plans on its own. Check REDIS_URL and the server."
          )
    )
  )

export const checks: ReadonlyArray<Check> = [
  {
    name: "redis",
    ofConfiguration: ({ redisUrl }) =>
      redisUrl === undefined ? Effect.succeed(undefined) : findingOf(redisUrl)
  }
]
