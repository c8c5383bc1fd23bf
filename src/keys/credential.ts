import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect } from "effect"
import { bearerToken, header } from "../http/runtime/source.ts"
import type { TooManyRequests } from "../limits/errors.ts"
import { keyGuesses } from "../limits/guesses.ts"
import { refusedKeys } from "../observability/metrics.ts"
import { hashText, isWellFormed, notWhole, tokenHash } from "../secrets/token.ts"
import { CurrentRequest } from "../shared/current-request.ts"
import { InvalidApiKey, ScopeMissing } from "./errors.ts"
import type { VerifiedKey } from "./model.ts"
import { type KnownScope, permits } from "./scopes-model.ts"
import { KeyVerification } from "./verification.ts"

type Request = HttpServerRequest.HttpServerRequest

/** `x-api-key` takes precedence over `Authorization: Bearer` (contract.md#platform-key). */
const presentedKey = (request: Request): string | undefined =>
  header(request, "x-api-key") ?? bearerToken(request)

/** Shared, because made-up keys come in floods. */
const refused = {
  "key-missing": new InvalidApiKey({ reason: "key-missing" }),
  "key-malformed": new InvalidApiKey({ reason: "key-malformed" }),
  "wrong-kind-of-key": new InvalidApiKey({ reason: "wrong-kind-of-key" })
}

type Refused = InvalidApiKey | TooManyRequests

export class PlatformKeyCredential extends Effect.Service<PlatformKeyCredential>()("PlatformKeyCredential", {
  effect: Effect.gen(function* () {
    const verification = yield* KeyVerification
    const guesses = yield* keyGuesses<InvalidApiKey>("platform key", refusedKeys.platform)

    const verifyIf =
      <E>(permitted: (key: VerifiedKey) => Effect.Effect<VerifiedKey, E>) =>
      (token: string): Effect.Effect<VerifiedKey, Refused | E> => {
        // A malformed token costs no hash.
        const hash = isWellFormed("dlk_", token) ? tokenHash(token) : undefined
        const remembered = hash === undefined ? undefined : verification.remembered(hash)
        if (remembered !== undefined) return permitted(remembered)
        return Effect.flatMap(
          CurrentRequest,
          ({ clientAddress }): Effect.Effect<VerifiedKey, Refused | E> => {
            if (hash === undefined) return guesses.refusing(clientAddress, refused[notWhole(token, ["dlk_"])])
            const lookUp = verification.lookUp(hash)
            return Effect.flatMap(guesses.limiting(clientAddress, hashText(hash), lookUp), permitted)
          }
        )
      }

    const verify = (scope: KnownScope) =>
      verifyIf(
        (key): Effect.Effect<VerifiedKey, ScopeMissing> =>
          permits(key.scopes, scope) ? Effect.succeed(key) : Effect.fail(new ScopeMissing({ scope }))
      )

    const ofRequest = <E>(
      verified: (token: string) => Effect.Effect<VerifiedKey, E>
    ): Effect.Effect<VerifiedKey, InvalidApiKey | E, Request> =>
      Effect.flatMap(
        HttpServerRequest.HttpServerRequest,
        (request): Effect.Effect<VerifiedKey, InvalidApiKey | E> => {
          const token = presentedKey(request)
          return token === undefined ? Effect.fail(refused["key-missing"]) : verified(token)
        }
      )

    return {
      verify,

      /** Fails unless the request's key is valid and holds `scope`. */
      authenticate: (scope: KnownScope): Effect.Effect<VerifiedKey, Refused | ScopeMissing, Request> =>
        ofRequest(verify(scope)),

      /** Fails unless the request's key is valid, whatever its scopes. */
      identify: ofRequest(verifyIf(Effect.succeed))
    }
  })
}) {}
