/** Timeouts that a busy machine does not reach, for every test except tests of the timeouts themselves. */
import { Clock, Context, Duration, Effect, Layer, Record } from "effect"
import { CommandTimeouts } from "../../../src/cli/timeouts.ts"
import { LeaseClock, leaseDuration } from "../../../src/db/changes.ts"
import { ConnectTimeout } from "../../../src/db/connection.ts"
import { StatementTimeout } from "../../../src/db/database.ts"
import { Resolver } from "../../../src/gateway/resolve.ts"
import { KeySetTimeout } from "../../../src/kyc/captcha/key-set.ts"
import { ReadingTimes } from "../../../src/kyc/checks/readings-model.ts"
import { DocumentWorker } from "../../../src/marketplace/catalog/document-thread.ts"
import { ReadinessTimeout } from "../../../src/operations/readiness.ts"
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

/** Knows the names of this machine only: a test never waits for a name server. */
const ownNames = async (name: string): Promise<ReadonlyArray<string>> => {
  if (/^(.+\.)?localhost\.?$/.test(name)) return ["127.0.0.1", "::1"]
  throw new Error(`${name} is not known in tests`)
}

/** How many times as long as the service's own a patient lease is. */
const longer = 100

const real = Clock.make()

/**
 * A lease for which a heartbeat may be late by a minute, so that caches stay in use on a busy machine. Heartbeats are sent as often as
 * usual, and a closed connection ends the lease at once.
 *
 * @param now in milliseconds
 */
export const patientLeaseBy = (now: () => number): Context.Tag.Service<typeof LeaseClock> => ({
  now: () => now() / longer,
  // Not spread: a real clock has its methods from its class.
  waits: Object.assign(Clock.make(), {
    sleep: (duration: Duration.Duration) =>
      real.sleep(Duration.toMillis(duration) < leaseDuration ? duration : Duration.times(duration, longer))
  })
})

export const patientLease = patientLeaseBy(() => performance.now())

/**
 * Long timeouts: as long as a test may take. Nor is a name server asked, and the threads for documents are used again by the next server.
 */
export const patient = Layer.mergeAll(
  unlessGiven(ConnectTimeout, 60_000),
  unlessGiven(StatementTimeout, Duration.minutes(5)),
  unlessGiven(ReadinessTimeout, Duration.minutes(1)),
  unlessGiven(LeaseClock, patientLease),
  unlessGiven(
    CommandTimeouts,
    Record.map(CommandTimeouts.defaultValue(), () => Duration.minutes(1))
  ),
  unlessGiven(KeySetTimeout, 60_000),
  unlessGiven(ReadingTimes, { useful: Duration.minutes(10), patience: Duration.minutes(5) }),
  unlessGiven(Timing, patientTiming),
  unlessGiven(Resolver, ownNames),
  unlessGiven(DocumentWorker, () => documentThread())
)

/** For a test of the timeouts themselves: uses the service's own timeouts of the database. */
export const withDatabaseTimeouts = <A, E, R>(started: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  started.pipe(
    Effect.provideService(ConnectTimeout, ConnectTimeout.defaultValue()),
    Effect.provideService(StatementTimeout, StatementTimeout.defaultValue()),
    Effect.provideService(ReadinessTimeout, ReadinessTimeout.defaultValue()),
    Effect.provideService(LeaseClock, LeaseClock.defaultValue())
  )

/** Like {@link withDatabaseTimeouts}, for what commands wait for. */
export const withCommandTimeouts = Effect.provideService(CommandTimeouts, CommandTimeouts.defaultValue())
