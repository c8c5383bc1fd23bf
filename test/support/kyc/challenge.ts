/** The built-in captcha, step by step as in a browser. */
import { type Challenge, createChallenge, type Solution, solveChallenge } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/pbkdf2"
import { Effect } from "effect"
import { type Answer, field, send, text } from "../client.ts"
import type { RunningServer } from "../server.ts"

interface Purpose {
  readonly siteKey?: string
  readonly sessionId?: string
}

/** Requests a challenge. */
export const askChallenge = (server: Pick<RunningServer, "url">, purpose: Purpose): Effect.Effect<Answer> =>
  send(server, "GET", `/api/kyc/captcha/challenge?${new URLSearchParams({ ...purpose })}`)

/** A challenge; dies if the request is refused. */
export const newChallenge = (
  server: Pick<RunningServer, "url">,
  purpose: Purpose
): Effect.Effect<Challenge> =>
  Effect.map(
    askChallenge(server, purpose),
    // The library accepts a challenge as received and validates it itself.
    ({ body }) => field(body, "challenge") as Challenge
  )

/** Solves the challenge. */
export const solve = (challenge: Challenge): Effect.Effect<Solution> =>
  Effect.promise(async () => {
    const solution = await solveChallenge({ challenge, deriveKey })
    if (solution === null) throw new Error("The challenge was not solved in time")
    return solution
  })

/** A challenge signed with this secret, and its solution. */
export const forge = (secret: string, expiresAt: Date, data: Record<string, string>) =>
  Effect.gen(function* () {
    const challenge = yield* Effect.promise(() =>
      createChallenge({
        algorithm: "PBKDF2/SHA-256",
        cost: 10,
        counter: 5,
        deriveKey,
        data,
        expiresAt,
        hmacSignatureSecret: secret,
        hmacKeySignatureSecret: secret
      })
    )
    return { challenge, solution: yield* solve(challenge) }
  })

/** Exchanges a solution for a token. */
export const redeem = (
  server: Pick<RunningServer, "url">,
  challenge: unknown,
  solution: unknown
): Effect.Effect<Answer> => send(server, "POST", "/api/kyc/captcha/redeem", { json: { challenge, solution } })

/** Gets a captcha token for the session by solving a challenge. */
export const earnToken = (server: Pick<RunningServer, "url">, purpose: Purpose): Effect.Effect<string> =>
  Effect.gen(function* () {
    const challenge = yield* newChallenge(server, purpose)
    const { body } = yield* redeem(server, challenge, yield* solve(challenge))
    return text(body, "token")
  })
