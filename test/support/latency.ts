/** How long a client waits for its answers. */
import * as Effect from "effect/Effect"
import { open, type RawConnection } from "./raw.ts"
import type { RunningServer } from "./server.ts"

/** The value below which this share of them is. */
export const percentile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: ReadonlyArray<number>): number => percentile(values, 0.5)

const connections = 16

/**
 * Asks at a fixed rate, in turn over a few connections, and gives the milliseconds until each answer from the time it was due:
 * an answer that holds up the next request does not hide it. An answer of another status is a defect.
 *
 * @param rate requests a second
 */
export const atRate = (
  server: Pick<RunningServer, "url">,
  request: string,
  { rate, seconds, status }: { readonly rate: number; readonly seconds: number; readonly status: number }
): Effect.Effect<ReadonlyArray<number>> =>
  Effect.scoped(
    Effect.gen(function* () {
      const all = yield* Effect.replicateEffect(open(server), connections)
      const began = performance.now()
      const each = (connection: RawConnection, offset: number) =>
        Effect.gen(function* () {
          const waits: Array<number> = []
          for (let index = offset; index < rate * seconds; index += connections) {
            const due = began + (index / rate) * 1_000
            const early = due - performance.now()
            if (early > 0) yield* Effect.sleep(early)
            connection.write(request)
            const answer = yield* connection.answer
            if (answer.status !== status) return yield* Effect.dieMessage(`${answer.status} ${answer.body}`)
            waits.push(performance.now() - due)
          }
          return waits
        })
      const waits = yield* Effect.forEach(all, each, { concurrency: "unbounded" })
      return waits.flat()
    })
  )
