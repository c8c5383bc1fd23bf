import { Effect } from "effect"
import { type Check, type Finding, failed, reason, well } from "../../cli/check.ts"
import type { CaptchaSource } from "../../config.ts"
import { countKeys } from "./key-set.ts"

const findingOf = (source: CaptchaSource): Effect.Effect<Finding> => {
  switch (source._tag) {
    case "BuiltIn":
      return Effect.succeed(well("The built-in captcha is used."))
    case "SharedSecret":
      return Effect.succeed(well("Tokens are verified with CAPTCHA_JWT_SECRET."))
    case "KeySet": {
      const where = `${source.url.origin}${source.url.pathname}`
      const advice =
        "No captcha passes until the keys can be loaded. Check CAPTCHA_JWKS_URL and the service behind it."
      return countKeys(source.url).pipe(
        Effect.map((keys) =>
          keys === 0
            ? failed(`There are no keys at CAPTCHA_JWKS_URL ${where}.`, advice)
            : well(`CAPTCHA_JWKS_URL ${where} has ${keys === 1 ? "a key" : `${keys} keys`}.`)
        ),
        Effect.catchAll((error) =>
          Effect.succeed(failed(`CAPTCHA_JWKS_URL ${where} gives no keys: ${reason(error)}.`, advice))
        )
      )
    }
  }
}

export const checks: ReadonlyArray<Check> = [
  { name: "captcha", ofConfiguration: ({ captcha }) => findingOf(captcha) }
]
