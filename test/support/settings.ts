/** The names of all settings that the service reads. */
import { Effect } from "effect"
import { readConfiguration } from "../../src/config.ts"

export const settings = Effect.gen(function* () {
  const read = new Set<string>()
  yield* readConfiguration(
    new Proxy<Record<string, string | undefined>>(
      {},
      {
        get: (_, name) => {
          read.add(String(name))
          return undefined
        }
      }
    )
  )
  return [...read].sort()
})
