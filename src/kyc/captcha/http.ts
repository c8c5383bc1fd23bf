import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Api } from "../../api.ts"
import { group } from "../../http/handlers.ts"
import { Challenges } from "./challenges.ts"
import { Captcha } from "./service.ts"

const verification = group(Api, "kyc-captcha", (handlers) =>
  Effect.map(Captcha, (captcha) =>
    handlers.handle("verify", ({ path, payload: { captchaToken, siteKey, token } }) =>
      Effect.map(captcha.verify({ ...path, token }, captchaToken, siteKey), (verdict) => ({
        ok: true as const,
        ...verdict
      }))
    )
  )
)

const challenges = group(Api, "kyc-captcha-challenges", (handlers) =>
  Effect.map(Challenges, ({ create, redeem }) =>
    handlers
      .handle("challenge", ({ urlParams }) => Effect.map(create(urlParams), (challenge) => ({ challenge })))
      .handle("redeem", ({ payload: { challenge, solution } }) =>
        Effect.map(redeem(challenge, solution), (token) => ({ token }))
      )
  )
)

/** The routes of `CaptchaApi` and `ChallengesApi`. */
export const layer = Layer.mergeAll(verification, challenges)
