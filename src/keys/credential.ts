import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import { bearerToken } from "../http/authorization.ts"
import { CurrentRequest } from "../http/request-info.ts"
import { header } from "../http/source.ts"
import type { TooManyRequests } from "../limits/errors.ts"
import { keyGuesses } from "../limits/guesses.ts"
import { refusedKeys } from "../observability/metrics.ts"
import { hashText, isWellFormed, tokenHash } from "../secrets/token.ts"
import { InvalidApiKey, ScopeMissing } from "./errors.ts"
import { permits, type VerifiedKey } from "./model.ts"
import { KeyVerification } from "./verification.ts"

/** The platform key a request carries: `x-api-key` wins over `Authorization: Bearer` (decisions, section 4). */
const presentedKey = (request: HttpServerRequest.HttpServerRequest): string | undefined =>
  header(request, "x-api-key") ?? bearerToken(request)

/** One for all: it says nothing of the request, and made-up keys come in floods. */
const invalid = new InvalidApiKey()

type KeyFailure = InvalidApiKey | ScopeMissing | TooManyRequests

/** Establishes the platform key behind a request. */
export class PlatformKeyCredential extends Effect.Service<PlatformKeyCredential>()("PlatformKeyCredential", {
  effect: Effect.gen(function* () {
    const verification = yield* KeyVerification
    const guesses = yield* keyGuesses("platform key", refusedKeys.platform)

    const verify = (token: string): Effect.Effect<VerifiedKey, InvalidApiKey | TooManyRequests> => {
      // Before it is hashed: a made-up one costs next to nothing.
      const hash = isWellFormed("dlk_", token) ? tokenHash(token) : undefined
      const remembered = hash === undefined ? undefined : verification.remembered(hash)
      if (remembered !== undefined) return Effect.succeed(remembered)
      return Effect.flatMap(CurrentRequest, ({ clientAddress }) => {
        return hash === undefined
          ? guesses.refusing(clientAddress, invalid)
          : guesses.limiting(clientAddress, hashText(hash), invalid, verification.lookUp(hash))
      })
    }

    return {
      /** The request's key, which must be good and hold `scope`. */
      authenticate: (
        scope: string
      ): Effect.Effect<VerifiedKey, KeyFailure, HttpServerRequest.HttpServerRequest> =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
          const token = presentedKey(request)
          if (token === undefined) return Effect.fail(invalid)
          return Effect.flatMap(verify(token), (key) =>
            permits(key.scopes, scope) ? Effect.succeed(key) : Effect.fail(new ScopeMissing({ scope }))
          )
        })
    }
  })
}) {}
