/** Timeouts that a busy machine does not reach, for every test except tests of the timeouts themselves. */
import { Context, Duration, Effect, Layer } from "effect"
import { DescriptionTimeout } from "../../../src/marketplace/catalog/descriptions.ts"
import { DocumentThreadOptions } from "../../../src/marketplace/catalog/document-thread.ts"
import { RedisTimeout } from "../../../src/marketplace/limits/redis-server.ts"
import { Timing } from "../../../src/shared/timing.ts"
import { documentThread } from "../marketplace/document-threads.ts"
import { patientTiming } from "../timing.ts"

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

/** Long timeouts, as long as a test may take: for whatever a test starts, unless it gives it its own (`withTimes`). */
export const patient = Layer.mergeAll(
  unlessGiven(Timing, patientTiming),
  unlessGiven(RedisTimeout, { answer: 30_000, connect: 30_000, silence: 60_000 }),
  unlessGiven(DescriptionTimeout, Duration.seconds(60)),
  unlessGiven(DocumentThreadOptions, patientThreads)
)

/** For a test of the timeouts themselves: uses the service's own of Redis. */
export const withRedisTimeout = Effect.provideService(RedisTimeout, RedisTimeout.defaultValue())
