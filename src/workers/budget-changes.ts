import { Effect, Layer, Schema } from "effect"
import { BudgetChannel } from "../limits/shared-budget.ts"
import { BudgetChanges } from "./messages.ts"
import { connected, tell } from "./reporting.ts"

/** Per batch. Only a flood of addresses reaches it. */
const mostChanges = 1_000

type Change = (typeof BudgetChanges.Type)["changes"][number]

/** Sums changes by budget and key. Drops those beyond `most` keys; other workers then allow a bit more. */
export const collecting = (most: number) => {
  const collected = new Map<string, Change>()
  return {
    add: (budget: string, key: string, change: number): void => {
      const id = `${budget}\n${key}`
      const known = collected.get(id)
      const sum = (known?.[2] ?? 0) + change
      // Such as a good sign-in, which returned its token at once.
      if (sum === 0) collected.delete(id)
      else if (known !== undefined || collected.size < most) collected.set(id, [budget, key, sum])
    },
    take: (): ReadonlyArray<Change> => {
      const changes = [...collected.values()]
      collected.clear()
      return changes
    }
  }
}

const areBudgetChanges = Schema.is(BudgetChanges)

/** Exchanges budget changes with the other workers, through the supervisor. */
export const layer = Layer.scoped(
  BudgetChannel,
  Effect.gen(function* () {
    const listeners = new Map<string, (key: string, change: number) => void>()
    const { add, take } = collecting(mostChanges)

    const send = () => {
      const changes = take()
      if (changes.length === 0) return
      Effect.runFork(tell({ _tag: "BudgetChanges", changes }))
    }
    const onMessage = (message: unknown) => {
      if (!areBudgetChanges(message)) return
      for (const [budget, key, change] of message.changes) listeners.get(budget)?.(key, change)
    }
    yield* connected(onMessage, send, "workers.budget_changes")

    return {
      tell: add,
      hear: (budget: string, change: (key: string, change: number) => void) => {
        listeners.set(budget, change)
      }
    }
  })
)
