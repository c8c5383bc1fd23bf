import { Context, Effect, Redacted } from "effect"
import type { TooManyRequests } from "../limits/errors.ts"
import { passwordTurns, type Turn } from "../limits/password-turns.ts"

/** Of a new argon2id hash: memory in KiB, and passes. */
export interface HashingCost {
  readonly memoryCost: number
  readonly timeCost: number
}

/** The first recommended parameters of OWASP's Password Storage Cheat Sheet: 19 MiB, two passes. */
export class PasswordCost extends Context.Reference<PasswordCost>()("doorlock/accounts/PasswordCost", {
  defaultValue: (): HashingCost => ({ memoryCost: 19_456, timeCost: 2 })
}) {}

/**
 * A hash that no password matches, so that an unknown email takes as long as a known one. Random, because
 * computing a hash would leave its 19 MiB with a process that may never sign anybody in.
 */
const decoy = ({ memoryCost, timeCost }: HashingCost): string => {
  const random = () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(32)))
      .toString("base64")
      .replaceAll("=", "")
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${random()}$${random()}`
}

/** Each hash takes its own memory and a core. */
const concurrency = 4

export interface Hashing {
  readonly hash: (password: Redacted.Redacted<string>) => Effect.Effect<string>
  /** Whether `password` matches `stored`. Without a stored hash: false, after the same work. */
  readonly verify: (password: Redacted.Redacted<string>, stored: string | undefined) => Effect.Effect<boolean>
}

/** Hashes passwords, off the main thread. */
export class Passwords extends Effect.Service<Passwords>()("Passwords", {
  effect: Effect.gen(function* () {
    const cost = yield* PasswordCost
    const nobodys = decoy(cost)
    const { inTurn } = passwordTurns(concurrency)
    const hashing: Hashing = {
      hash: (password) =>
        Effect.promise(() => Bun.password.hash(Redacted.value(password), { algorithm: "argon2id", ...cost })),
      verify: (password, stored) =>
        Effect.map(
          Effect.promise(() => Bun.password.verify(Redacted.value(password), stored ?? nobodys)),
          (matches) => matches && stored !== undefined
        )
    }

    return {
      /** For the operator, who does not queue behind requests. */
      hash: hashing.hash,
      /** For a request. Fails with `TooManyRequests` if too many wait. A turn does nothing but hash. */
      inTurn: <A, E>(
        turn: Turn,
        work: (hashing: Hashing) => Effect.Effect<A, E>
      ): Effect.Effect<A, E | TooManyRequests> => inTurn(turn, work(hashing))
    }
  })
}) {}
