import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Spending } from "../limits/shared-budget.ts"
import { Spent } from "./messages.ts"
import { tell } from "./reporting.ts"

/** Milliseconds for which changes are collected before the others are told. */
const interval = 50

/** Changes of which the others are told at a time, at most; few but a flood of addresses make as many. */
const mostChanges = 1_000

type Change = (typeof Spent.Type)["changes"][number]

/**
 * Changes on their way to the others, added up by budget and whose it is. Those of more than `most` are left out: the others then let
 * somebody have a little more than they should, as another replica does.
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

const isSpent = Schema.is(Spent)

/** Tells the other workers, by the process that runs them, what is spent here, and hears what is spent there. */
export const layer = Layer.scoped(
  Spending,
  Effect.gen(function* () {
    const listeners = new Map<string, (key: string, change: number) => void>()
    const { add, take } = collecting(mostChanges)

    const send = () => {
      const changes = take()
      if (changes.length === 0) return
      Effect.runFork(tell({ _tag: "Spent", changes }))
    }
    const onMessage = (message: unknown) => {
      if (!isSpent(message)) return
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
