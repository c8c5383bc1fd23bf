import { Effect, Layer } from "effect"
import { group } from "../../http/runtime/handlers.ts"
import { CurrentRequest } from "../../shared/current-request.ts"
import { SessionGuesses } from "../sessions/credential.ts"
import { CaptchaApi, ChallengesApi } from "./api.ts"
import { Challenges } from "./challenges.ts"
import { CaptchaSessionNotFound, CaptchaTriesExceeded } from "./errors.ts"
import { Captcha } from "./service.ts"

const verification = group(CaptchaApi, (handlers) =>
  Effect.zipWith(Captcha, SessionGuesses, (captcha, { limiting }) =>
    handlers.handle("verify", ({ path, payload: { captchaToken, siteKey, token } }) =>
      limiting(
        captcha.verify({ ...path, token }, captchaToken, siteKey),
        (error) => error instanceof CaptchaSessionNotFound
      ).pipe(
        Effect.map((verdict) => ({ ok: true as const, ...verdict })),
        Effect.catchTag("TooManyRequests", (many) => Effect.fail(new CaptchaTriesExceeded(many)))
      )
    )
  )
)

const challenges = group(ChallengesApi, (handlers) =>
  Effect.map(Challenges, ({ create, redeem }) =>
    handlers
      .handle("challenge", ({ urlParams }) =>
        Effect.map(
          Effect.flatMap(CurrentRequest, ({ clientAddress }) => create(clientAddress(), urlParams)),
          (challenge) => ({ challenge })
        )
      )
      .handle("redeem", ({ payload: { challenge, solution } }) =>
        Effect.map(redeem(challenge, solution), (token) => ({ token }))
      )
  )
)

/** The routes of `CaptchaApi` and `ChallengesApi`. */
export const layer = Layer.mergeAll(verification, challenges)
