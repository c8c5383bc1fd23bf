/** A server for tests about who may try how often. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { BudgetChannel, type BudgetMessages } from "../../../src/limits/shared-budget.ts"
import { type RunningServer, startServer } from "../server.ts"
import { stoppedClock } from "../stopped-clock.ts"

export interface BehindProxy extends RunningServer {
  /** Lets so many milliseconds pass at once. */
  readonly pass: (milliseconds: number) => Effect.Effect<void>
  /** Has other processes of the service take as much from the budget, under the key under which this one has taken from it last. */
  readonly takenElsewhere: (budget: string, amount: number) => Effect.Effect<void>
}

/** A server that believes the test what its addresses are, and on whose clock only tests let time pass. Those of a file share it. */
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

/** The same, for the next test: two hours have passed, after which every budget is full again. */
export const behindProxy = Effect.tap(ProxiedServer, ({ pass }) => pass(2 * 3_600_000))
