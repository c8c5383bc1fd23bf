/** Timeouts that a busy machine does not reach, for every test except tests of the timeouts themselves. */
import { Context, Duration, Effect, Layer } from "effect"
import { ConnectPatience } from "../../../src/db/connection.ts"
import { KeySetPatience } from "../../../src/kyc/captcha/key-set.ts"
import { DescriptionPatience } from "../../../src/marketplace/catalog/descriptions.ts"
import { DocumentThreadOptions } from "../../../src/marketplace/catalog/document-thread.ts"
import { RedisPatience } from "../../../src/marketplace/limits/redis.ts"
import { documentThread } from "../marketplace/document-threads.ts"

/**
 * Provides the value, unless the test itself provides one with `Effect.provideService` around what it starts.
 */
export const unlessGiven = <Id, Value>(
  reference: Context.Reference<Id, Value>,
  value: Value
): Layer.Layer<Id> =>
  Layer.effect(
    reference,
    Effect.contextWith((given: Context.Context<never>) =>
      given.unsafeMap.has(reference.key) ? Context.get(given, reference) : value
    )
  )

/** Gives each document job a minute. */
export const patientThreads = {
  ...DocumentThreadOptions.defaultValue(),
  start: documentThread,
  deadlineMillis: 60_000
}

/** Long timeouts for the database, Redis, a key server and document jobs: as long as a test may take. */
export const patient = Layer.mergeAll(
  unlessGiven(ConnectPatience, 60_000),
  unlessGiven(KeySetPatience, 60_000),
  unlessGiven(RedisPatience, { answer: 30_000, connect: 30_000 }),
  unlessGiven(DescriptionPatience, Duration.seconds(60)),
  unlessGiven(DocumentThreadOptions, patientThreads)
)

/** For a test of the timeout itself: uses the service's own database timeout. */
export const withConnectPatience = Effect.provideService(ConnectPatience, ConnectPatience.defaultValue())

/** Like {@link withConnectPatience}, for Redis. */
export const withRedisPatience = Effect.provideService(RedisPatience, RedisPatience.defaultValue())
