import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { TooManyRequests } from "../limits/errors.ts"
import { passwordTurns, type Turn } from "../limits/password-turns.ts"

/** What a new hash costs: argon2id with this many KiB of memory and this many passes. */
export interface HashingCost {
  readonly memoryCost: number
  readonly timeCost: number
}

/** The first parameters of OWASP's Password Storage Cheat Sheet: 19 MiB, two passes. */
export class PasswordCost extends Context.Reference<PasswordCost>()("doorlock/accounts/PasswordCost", {
  defaultValue: (): HashingCost => ({ memoryCost: 19_456, timeCost: 2 })
}) {}

/**
 * Checked for an unknown email, so that it takes as long as a known one: no password has this hash. It is not made by hashing
 * one, whose 19 MiB would stay with a process that may never be asked to sign anybody in.
 */
const decoy = ({ memoryCost, timeCost }: HashingCost): string => {
  const random = () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(32)))
      .toString("base64")
      .replaceAll("=", "")
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${random()}$${random()}`
}

/** Hashes computed at once, at most: each takes its memory and a core. */
const concurrency = 4

export interface Hashing {
  readonly hash: (password: Redacted.Redacted<string>) => Effect.Effect<string>
  /** Whether `password` is the one behind `stored`; without a stored hash false, after the same work. */
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
      /** For the operator, who does not wait behind requests. */
      hash: hashing.hash,
      /** What a request hashes, when its turn comes; `TooManyRequests` when too many wait. Nothing but hashing is done in a turn. */
      inTurn: <A, E>(
        turn: Turn,
        work: (hashing: Hashing) => Effect.Effect<A, E>
      ): Effect.Effect<A, E | TooManyRequests> => inTurn(turn, work(hashing))
    }
  })
}) {}
