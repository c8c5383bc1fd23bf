import { createChallenge, randomInt, verifySolution } from "altcha-lib"
import { deriveKey } from "altcha-lib/algorithms/pbkdf2"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { attemptLimit } from "../../limits/attempts.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import { ChallengeNotSolved, NoBuiltInCaptcha } from "./errors.ts"
import { CaptchaIssuer } from "./issuer.ts"
import { builtInScore, type Challenge, type Solution } from "./model.ts"

/**
 * The work a challenge takes: PBKDF2 of this cost, at most `counter.most` times. A browser's native PBKDF2
 * needs 0.2 to 0.5 s for it on one thread, and an attacker's machine gains little over a browser's. The
 * server derives one key to make a challenge and none to check it.
 */
const work = { algorithm: "PBKDF2/SHA-256", cost: 5000, counter: { least: 300, most: 800 } } as const

/** Seconds within which a challenge is to be solved. */
const lifeSeconds = 300

/** What a challenge was made for, under its signature. */
const Purpose = Schema.Struct({ siteKey: Schema.String, sessionId: Schema.String })
const isPurpose = Schema.is(Purpose)

/** The built-in captcha: challenges, and the tokens their solutions are worth. Without third parties. */
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

    // A challenge costs us what one try at it costs its solver. Many people may share an address.
    const challenges = yield* attemptLimit("challenge", 300, 300)

    const mint = issuer.mint === undefined ? Effect.fail(new NoBuiltInCaptcha()) : Effect.succeed(issuer.mint)

    const challengeFor = (purpose: typeof Purpose.Type) =>
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

    /**
     * A new challenge for a session. Fails with `NoBuiltInCaptcha` where another captcha is configured, and with
     * `TooManyRequests` after very many of one address.
     */
    const create = (clientAddress: string, purpose: typeof Purpose.Type) =>
      Effect.zipRight(mint, challenges.limiting(clientAddress, challengeFor(purpose)))

    /**
     * The captcha token for a solved challenge, good for its session alone. Fails with `ChallengeNotSolved`,
     * also for a challenge that has expired, or with `NoBuiltInCaptcha`.
     */
    const redeem = Effect.fnUntraced(function* (challenge: Challenge, solution: Solution) {
      const token = yield* mint
      const results = yield* Effect.forEach(acceptedSecrets, (accepted) =>
        Effect.tryPromise({
          try: () => verifySolution({ challenge, solution, deriveKey, ...accepted }),
          // The library throws on parameters it would never have made.
          catch: () => new ChallengeNotSolved()
        })
      )
      const purpose = challenge.parameters.data
      if (!results.some(({ verified }) => verified) || !isPurpose(purpose)) {
        return yield* new ChallengeNotSolved()
      }
      return yield* token({ ...purpose, score: builtInScore, jti: challenge.parameters.nonce })
    })

    return { create, redeem }
  })
}) {}
