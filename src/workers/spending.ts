import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Spending } from "../limits/spending.ts"
import { Spent } from "./messages.ts"
import { tell } from "./reporting.ts"

/** Milliseconds for which changes are collected before the others are told. */
const interval = 50

const isSpent = Schema.is(Spent)

/** Tells the other workers, by the process that runs them, what is spent here, and hears what is spent there. */
export const layer = Layer.scoped(
  Spending,
  Effect.gen(function* () {
    const listeners = new Map<string, (key: string, change: number) => void>()
    const collected = new Map<string, Map<string, number>>()

    const send = () => {
      if (collected.size === 0) return
      const changes = [...collected].flatMap(([budget, byKey]) =>
        [...byKey].map(([key, change]) => [budget, key, change] as const)
      )
      collected.clear()
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
      tell: (budget: string, key: string, change: number) => {
        const byKey = collected.get(budget) ?? new Map<string, number>()
        collected.set(budget, byKey)
        byKey.set(key, (byKey.get(key) ?? 0) + change)
      },
      hear: (budget: string, change: (key: string, change: number) => void) => {
        listeners.set(budget, change)
      }
    }
  })
)
