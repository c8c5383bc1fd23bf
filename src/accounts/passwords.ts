import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** argon2id with the first parameters of OWASP's Password Storage Cheat Sheet: 19 MiB, two passes. */
const parameters = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const

/** Hashes computed at once, at most: each takes its memory and a core. */
const concurrency = 4

/** Hashes passwords, off the main thread. */
export class Passwords extends Effect.Service<Passwords>()("Passwords", {
  effect: Effect.gen(function* () {
    const semaphore = yield* Effect.makeSemaphore(concurrency)
    const hash = (password: Redacted.Redacted<string>): Effect.Effect<string> =>
      semaphore.withPermits(1)(Effect.promise(() => Bun.password.hash(Redacted.value(password), parameters)))

    // Checked for an unknown email, so that it takes as long as a known one.
    const decoy = yield* hash(Redacted.make(crypto.randomUUID()))

    return {
      hash,
      /** Whether `password` is the one behind `stored`; without a stored hash false, after the same work. */
      verify: (password: Redacted.Redacted<string>, stored: string | undefined): Effect.Effect<boolean> =>
        Effect.map(
          semaphore.withPermits(1)(
            Effect.promise(() => Bun.password.verify(Redacted.value(password), stored ?? decoy))
          ),
          (matches) => matches && stored !== undefined
        )
    }
  })
}) {}
