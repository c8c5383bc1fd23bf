import { Effect, Schedule, type Scope } from "effect"
import { memoryOf } from "../program.ts"

/**
 * How many bytes the memory of a process has grown at most since this began. The memory is sampled many times
 * a second until the scope ends.
 */
export const watchedGrowth = (pid: number): Effect.Effect<() => number, never, Scope.Scope> =>
  Effect.gen(function* () {
    const memory = Effect.promise(() => memoryOf(pid))
    const before = yield* memory
    let most = before
    const look = Effect.map(memory, (now) => {
      most = Math.max(most, now)
    })
    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced("20 millis")))
    return () => most - before
  })
