import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { BudgetChannel } from "../limits/shared-budget.ts"
import { BudgetChanges } from "./messages.ts"
import { tell } from "./reporting.ts"

/** Milliseconds for which changes are collected before the others are told. */
const interval = 50

/** Changes that the others are told at a time, at most; only a flood of addresses makes that many. */
const mostChanges = 1_000

type Change = (typeof BudgetChanges.Type)["changes"][number]

/**
 * Changes that the others have yet to be told of, added up by budget and key. Changes of more than `most` keys are left out: the others
 * then let somebody have a little more than they should, as another replica does.
 */
export const collecting = (most: number) => {
  const collected = new Map<string, Change>()
  return {
    add: (budget: string, key: string, change: number): void => {
      const id = `${budget}\n${key}`
      const known = collected.get(id)
      const sum = (known?.[2] ?? 0) + change
      // A good sign-in, say, which gave back at once what it took.
      if (sum === 0) collected.delete(id)
      else if (known !== undefined || collected.size < most) collected.set(id, [budget, key, sum])
    },
    /** All that has been added since the last time. */
    take: (): ReadonlyArray<Change> => {
      const changes = [...collected.values()]
      collected.clear()
      return changes
    }
  }
}

const areBudgetChanges = Schema.is(BudgetChanges)

/** Tells the other workers, through the process that runs them, what is taken from budgets here, and hears what is taken there. */
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
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        process.on("message", onMessage)
        return setInterval(send, interval)
      }),
      (timer) =>
        Effect.sync(() => {
          clearInterval(timer)
          process.off("message", onMessage)
        })
    )

    return {
      tell: add,
      hear: (budget: string, change: (key: string, change: number) => void) => {
        listeners.set(budget, change)
      }
    }
  })
)
