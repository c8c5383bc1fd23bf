import { Effect, type Redacted } from "effect"
import { type Check, type Finding, failed, well } from "../../cli/check.ts"
import { sharedCounts } from "./redis.ts"

const findingOf = (urls: ReadonlyArray<Redacted.Redacted>): Effect.Effect<Finding> =>
  Effect.scoped(
    Effect.map(sharedCounts(urls), ({ description, problem }) => {
      const wrong = problem()
      return wrong === undefined
        ? well(`${description()} responds and is writable.`)
        : failed(
            `Redis at REDIS_URL cannot be used: ${wrong}.`,
            "Until Redis works, each process counts the limits of plans on its own. Check REDIS_URL and the servers."
          )
    })
  )

export const checks: ReadonlyArray<Check> = [
  {
    name: "redis",
    ofConfiguration: ({ redisUrls }) =>
      redisUrls === undefined ? Effect.succeed(undefined) : findingOf(redisUrls)
  }
]
