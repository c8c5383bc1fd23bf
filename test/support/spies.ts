/** Functions of this process that a test observes or holds up. */
import { Effect } from "effect"
import { vi } from "vitest"

/** A spy that is removed after the test. */
export const spied = <A extends { readonly mockRestore: () => void }>(spy: () => A) =>
  Effect.acquireRelease(Effect.sync(spy), ({ mockRestore }) => Effect.sync(mockRestore))

/** Observes the password comparisons. They all wait until `release` is called. */
export const heldHashes = Effect.suspend(() => {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const { verify } = Bun.password
  const watch = spied(() =>
    vi.spyOn(Bun.password, "verify").mockImplementation(async (...given) => {
      await promise
      return verify(...given)
    })
  )
  return Effect.map(watch, (hashes) => ({ hashes, release }))
})
