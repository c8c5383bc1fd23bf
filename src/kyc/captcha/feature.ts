import { Effect, Layer } from "effect"
import { CaptchaApi, ChallengesApi } from "./api.ts"
import { Challenges } from "./challenges.ts"
import * as http from "./http.ts"
import * as issuer from "./issuer.ts"
import { CaptchaRepo } from "./repo.ts"
import { Captcha } from "./service.ts"

/** Captchas: doorlock's own challenges, and the tokens of the configured issuer. */
export const captcha = {
  contract: [CaptchaApi, ChallengesApi],
  routes: http.layer,
  services: Layer.merge(Captcha.Default, Challenges.Default).pipe(
    Layer.provideMerge(issuer.layer),
    Layer.provideMerge(CaptchaRepo.Default)
  ),
  housekeeping: {
    "captcha tokens": Effect.flatMap(CaptchaRepo, ({ deleteExpiredTokens }) => deleteExpiredTokens)
  }
} as const
