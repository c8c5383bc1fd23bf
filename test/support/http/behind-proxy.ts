/** A server for tests of attempt limits. */
import { Context, Effect, Layer } from "effect"
import { BudgetChannel, type BudgetMessages } from "../../../src/limits/shared-budget.ts"
import { type RunningServer, startServer } from "../server.ts"
import { stoppedClock } from "../stopped-clock.ts"

export interface BehindProxy extends RunningServer {
  /** Moves the clock forward. */
  readonly pass: (milliseconds: number) => Effect.Effect<void>
  /** Makes other processes of the service take `amount` from the budget key that this process used last. */
  readonly takenElsewhere: (budget: string, amount: number) => Effect.Effect<void>
}

/**
 * A server that trusts the client addresses in the test's requests and whose clock only tests move. The tests
 * of a file share it.
 */
export class ProxiedServer extends Context.Tag("ProxiedServer")<ProxiedServer, BehindProxy>() {
  static readonly layer = Layer.scoped(
    ProxiedServer,
    Effect.gen(function* () {
      const { by, pass } = stoppedClock()
      const lastKeys = new Map<string, string>()
      const changes = new Map<string, Parameters<BudgetMessages["hear"]>[1]>()
      const spends: BudgetMessages = {
        tell: (budget, key, change) => {
          if (change < 0) lastKeys.set(budget, key)
        },
        hear: (budget, change) => void changes.set(budget, change)
      }
      const server = yield* by(startServer({ TRUSTED_PROXIES: "127.0.0.1" })).pipe(
        Effect.provideService(BudgetChannel, spends)
      )
      const takenElsewhere = (budget: string, amount: number) =>
        Effect.sync(() => {
          const [change, key] = [changes.get(budget), lastKeys.get(budget)]
          if (change === undefined || key === undefined) throw new Error(`Nothing was taken from ${budget}`)
          change(key, -amount)
        })
      return { ...server, pass, takenElsewhere }
    })
  ).pipe(Layer.orDie)
}

/** The same server for the next test, two hours later, when every budget is full again. */
export const behindProxy = Effect.tap(ProxiedServer, ({ pass }) => pass(2 * 3_600_000))
