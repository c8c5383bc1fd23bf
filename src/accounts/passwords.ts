import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { TooManyRequests } from "../limits/errors.ts"
import { subscriber } from "../limits/failure-budget.ts"
import { fairQueue } from "../limits/fair-queue.ts"

/** argon2id with the first parameters of OWASP's Password Storage Cheat Sheet: 19 MiB, two passes. */
const parameters = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const

/**
 * Checked for an unknown email, so that it takes as long as a known one: no password has this hash. It is not made by hashing
 * one, whose 19 MiB would stay with a process that may never be asked to sign anybody in.
 */
const decoy = (): string => {
  const random = (bytes: number) =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(bytes)))
      .toString("base64")
      .replaceAll("=", "")
  const { algorithm, memoryCost, timeCost } = parameters
  return `$${algorithm}$v=19$m=${memoryCost},t=${timeCost},p=1$${random(32)}$${random(32)}`
}

/** Hashes computed at once, at most: each takes its memory and a core. */
const concurrency = 4

/**
 * Passwords of one account, or of strangers at one address, that wait to be hashed, at most: as many people as may well sign in with
 * one account at the same moment. And all that wait.
 */
const waiting = { perLane: 64, inAll: 1_024 } as const

export interface Hashing {
  readonly hash: (password: Redacted.Redacted<string>) => Effect.Effect<string>
  /** Whether `password` is the one behind `stored`; without a stored hash false, after the same work. */
  readonly verify: (password: Redacted.Redacted<string>, stored: string | undefined) => Effect.Effect<boolean>
}

/** The lane of those at one address who have no account yet. */
export const strangersAt = ({ address }: { readonly address: string | null }): string =>
  `strangers at ${subscriber(address ?? "")}`

/** Hashes passwords, off the main thread. */
export class Passwords extends Effect.Service<Passwords>()("Passwords", {
  sync: () => {
    const nobodys = decoy()
    const { inTurn } = fairQueue(concurrency, waiting.perLane, waiting.inAll)
    const hashing: Hashing = {
      hash: (password) => Effect.promise(() => Bun.password.hash(Redacted.value(password), parameters)),
      verify: (password, stored) =>
        Effect.map(
          Effect.promise(() => Bun.password.verify(Redacted.value(password), stored ?? nobodys)),
          (matches) => matches && stored !== undefined
        )
    }

    return {
      /** For whoever runs the service, who waits for no request. */
      hash: hashing.hash,

      /**
       * What is done with passwords of requests: `work`, when it is the turn of whom it is done for. Each lane has its turn after each
       * other, so that many guesses at one account delay nobody else. Fails with `TooManyRequests` where too many wait already.
       */
      inTurn: <A, E, R>(
        lane: string,
        work: (hashing: Hashing) => Effect.Effect<A, E, R>
      ): Effect.Effect<A, E | TooManyRequests, R> =>
        inTurn(
          lane,
          Effect.suspend(() => work(hashing))
        )
    }
  }
}) {}
