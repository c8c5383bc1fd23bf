/** Limits of time that a busy machine must not meet, in every test but those about them. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ConnectPatience } from "../../../src/db/connection.ts"
import { KeySetPatience } from "../../../src/kyc/captcha/key-set.ts"
import { DescriptionPatience } from "../../../src/marketplace/catalog/descriptions.ts"
import { DocumentThreadOptions } from "../../../src/marketplace/catalog/document-thread.ts"
import { RedisPatience } from "../../../src/marketplace/limits/redis.ts"
import { documentThread } from "../marketplace/document-threads.ts"

/** What is provided here gives way to what the test itself provides: `Effect.provideService` around what it starts. */
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

/** Of documents, which have a minute each. */
export const patientThreads = {
  ...DocumentThreadOptions.defaultValue(),
  start: documentThread,
  deadlineMillis: 60_000
}

/** The database, Redis, a key server, and what is made of documents are waited for as long as a test may wait. */
export const patient = Layer.mergeAll(
  unlessGiven(ConnectPatience, 60_000),
  unlessGiven(KeySetPatience, 60_000),
  unlessGiven(RedisPatience, { answer: 30_000, connect: 30_000 }),
  unlessGiven(DescriptionPatience, Duration.seconds(60)),
  unlessGiven(DocumentThreadOptions, patientThreads)
)

/** For a test about the limit itself: what it starts has the service's own patience with the database. */
export const withConnectPatience = Effect.provideService(ConnectPatience, ConnectPatience.defaultValue())

/** As {@link withConnectPatience}, with Redis. */
export const withRedisPatience = Effect.provideService(RedisPatience, RedisPatience.defaultValue())
