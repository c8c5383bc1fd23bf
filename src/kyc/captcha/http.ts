import { Effect, Layer } from "effect"
import { group } from "../../http/runtime/handlers.ts"
import { CurrentRequest } from "../../shared/current-request.ts"
import { ok } from "../../shared/schemas.ts"
import { SessionGuesses } from "../sessions/credential.ts"
import { CaptchaApi, ChallengesApi } from "./api.ts"
import { Challenges } from "./challenges.ts"
import { Captcha } from "./service.ts"

const verification = group(CaptchaApi, (handlers) =>
  Effect.zipWith(Captcha, SessionGuesses, (captcha, { limiting }) =>
    handlers.handle("verify", ({ path, payload: { captchaToken, siteKey, token } }) =>
      Effect.map(limiting(captcha.verify({ ...path, token }, captchaToken, siteKey)), (verdict) => ({
        ...ok,
        ...verdict
      }))
    )
  )
)

const challenges = group(ChallengesApi, (handlers) =>
  Effect.map(Challenges, ({ create, redeem }) =>
    handlers
      .handle("challenge", ({ urlParams }) =>
        CurrentRequest.pipe(
          Effect.flatMap(({ clientAddress }) => create(clientAddress(), urlParams)),
          Effect.bindTo("challenge")
        )
      )
      .handle("redeem", ({ payload: { challenge, solution } }) =>
        redeem(challenge, solution).pipe(Effect.bindTo("token"))
      )
  )
)

export const layer = Layer.mergeAll(verification, challenges)
