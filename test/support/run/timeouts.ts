/** Timeouts that a busy machine does not reach, for every test except tests of the timeouts themselves. */
import { Context, Effect, Layer } from "effect"
import { Resolver } from "../../../src/gateway/resolve.ts"
import { Timing } from "../../../src/shared/timing.ts"
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

/**
 * Long timeouts, as long as a test may take: for whatever a test starts, unless it gives it its own (`withTimes`). Nor is a name server
 * asked.
 */
export const patient = Layer.merge(unlessGiven(Timing, patientTiming), unlessGiven(Resolver, ownNames))
