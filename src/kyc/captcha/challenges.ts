import { createChallenge, randomInt, verifySolution } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/pbkdf2"
import { Effect, Schema } from "effect"
import { attemptLimit } from "../../limits/attempts.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { CaptchaIssuer } from "./issuer.ts"
import { type Challenge, ChallengeNotSolved, NoBuiltInCaptcha, Purpose, type Solution } from "./model.ts"

/**
 * At most `counter.most` rounds of PBKDF2 at this cost: 0.2 to 0.5 s on one thread of a browser, and little
 * less for an attacker. The server derives one key to create a challenge and none to verify it.
 */
const work = { algorithm: "PBKDF2/SHA-256", cost: 5000, counter: { least: 300, most: 800 } } as const

/** The time to solve a challenge, in seconds. */
const lifeSeconds = 300

const isPurpose = Schema.is(Purpose)

/** The built-in captcha: issues challenges, and tokens for their solutions, without third parties. */
export class Challenges extends Effect.Service<Challenges>()("Challenges", {
  effect: Effect.gen(function* () {
    const issuer = yield* CaptchaIssuer
    const secretKey = yield* SecretKey
    const secretsOf = (key: Uint8Array) => {
      const secret = Buffer.from(key).toString("hex")
      return { hmacSignatureSecret: secret, hmacKeySignatureSecret: secret }
    }
    const secrets = secretsOf(secretKey.derive("captcha-challenge"))
    const acceptedSecrets = secretKey.accepted("captcha-challenge").map(secretsOf)

    // Creating a challenge costs the server as much as one try costs the solver. Many people may share an address.
    const challenges = yield* attemptLimit("challenge", 300, 300)

    const mint = issuer.mint === undefined ? Effect.fail(new NoBuiltInCaptcha()) : Effect.succeed(issuer.mint)

    const challengeFor = (purpose: Purpose) =>
      Effect.promise(() =>
        createChallenge({
          algorithm: work.algorithm,
          cost: work.cost,
          counter: randomInt(work.counter.most, work.counter.least),
          deriveKey,
          data: purpose,
          expiresAt: new Date(Date.now() + lifeSeconds * 1000),
          ...secrets
        })
      )

    /** Fails with `NoBuiltInCaptcha`, or `TooManyRequests` after too many from one address. */
    const create = (clientAddress: string, purpose: Purpose) =>
      Effect.zipRight(mint, challenges.limiting(clientAddress, challengeFor(purpose)))

    /** A captcha token for the challenge's session. Fails with `ChallengeNotSolved` or `NoBuiltInCaptcha`. */
    const redeem = Effect.fnUntraced(function* (challenge: Challenge, solution: Solution) {
      const token = yield* mint
      const results = yield* Effect.forEach(acceptedSecrets, (accepted) =>
        Effect.tryPromise({
          try: () => verifySolution({ challenge, solution, deriveKey, ...accepted }),
          // The library throws on parameters that it would never generate.
          catch: () => new ChallengeNotSolved()
        })
      )
      const purpose = challenge.parameters.data
      if (!results.some(({ verified }) => verified) || !isPurpose(purpose)) {
        return yield* new ChallengeNotSolved()
      }
      return yield* token(purpose, challenge.parameters.nonce)
    })

    return { create, redeem }
  })
}) {}
