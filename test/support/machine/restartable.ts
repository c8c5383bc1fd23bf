import type { spawn } from "node:child_process"
import { once } from "node:events"
import { Effect, type Scope } from "effect"

export interface Restartable {
  /** Starts it again. */
  readonly start: Effect.Effect<void, Error>
  /** Kills it. */
  readonly kill: Effect.Effect<void>
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
}

/**
 * A running program that a test can kill and start again; it is killed with the scope.
 * @param isReady waits until it answers
 */
export const restartable = (
  launch: () => ReturnType<typeof spawn>,
  isReady: Effect.Effect<void, Error>
): Effect.Effect<Restartable, Error, Scope.Scope> => {
  let child: ReturnType<typeof spawn> | undefined
  const signal = (name: NodeJS.Signals) => Effect.sync(() => void child?.kill(name))
  const kill = Effect.promise(async () => {
    const ended = child
    child = undefined
    if (ended === undefined || ended.exitCode !== null) return
    const closed = once(ended, "close")
    ended.kill("SIGKILL")
    await closed
  })
  const start = Effect.zipRight(
    Effect.sync(() => {
      child = launch()
    }),
    isReady
  )
  return Effect.as(
    Effect.acquireRelease(start, () => kill),
    { start, kill, pause: signal("SIGSTOP"), resume: signal("SIGCONT") }
  )
}
