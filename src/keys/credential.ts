import type * as Headers from "@effect/platform/Headers"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import { bearerToken } from "../http/authorization.ts"
import { CurrentRequest } from "../http/request-info.ts"
import type { TooManyRequests } from "../limits/errors.ts"
import { keyGuesses } from "../limits/guesses.ts"
import { refusedKeys } from "../observability/metrics.ts"
import { hashText, isWellFormed, tokenHash } from "../secrets/token.ts"
import { InvalidApiKey, ScopeMissing } from "./errors.ts"
import { permits, type VerifiedKey } from "./model.ts"
import { KeyVerification } from "./verification.ts"

/** The platform key a request carries: `x-api-key` wins over `Authorization: Bearer` (decisions, section 4). */
const presentedKey = (headers: Headers.Headers): string | undefined =>
  headers["x-api-key"] ?? bearerToken(headers)

type KeyFailure = InvalidApiKey | ScopeMissing | TooManyRequests

/** Establishes the platform key behind a request. */
export class PlatformKeyCredential extends Effect.Service<PlatformKeyCredential>()("PlatformKeyCredential", {
  effect: Effect.gen(function* () {
    const verification = yield* KeyVerification
    const guesses = keyGuesses(refusedKeys.platform)

    const verify = (token: string): Effect.Effect<VerifiedKey, InvalidApiKey | TooManyRequests> => {
      const remembered = verification.remembered(token)
      if (remembered !== undefined) return Effect.succeed(remembered)
      const hash = isWellFormed("dlk_", token) ? hashText(tokenHash(token)) : undefined
      return Effect.flatMap(CurrentRequest, ({ clientAddress }) =>
        guesses.limiting(clientAddress, hash, new InvalidApiKey(), verification.lookUp(token))
      )
    }

    return {
      /** The request's key, which must be good and hold `scope`. */
      authenticate: (
        scope: string
      ): Effect.Effect<VerifiedKey, KeyFailure, HttpServerRequest.HttpServerRequest> =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
          const token = presentedKey(headers)
          if (token === undefined) return Effect.fail(new InvalidApiKey())
          return Effect.flatMap(verify(token), (key) =>
            permits(key.scopes, scope) ? Effect.succeed(key) : Effect.fail(new ScopeMissing({ scope }))
          )
        })
    }
  })
}) {}
