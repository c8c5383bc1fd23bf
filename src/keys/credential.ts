import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect } from "effect"
import { DashboardCredential, type NoUser, origin } from "../accounts/credential.ts"
import { Unauthorized } from "../accounts/errors.ts"
import type { Users } from "../accounts/guards.ts"
import type { Actor, Identity } from "../audit/model.ts"
import { bearerToken, header } from "../http/runtime/source.ts"
import type { TooManyRequests } from "../limits/errors.ts"
import { keyGuesses } from "../limits/guesses.ts"
import { refusedKeys } from "../observability/metrics.ts"
import { hashText, isWellFormed, notWhole, tokenHash } from "../secrets/token.ts"
import { CurrentRequest } from "../shared/current-request.ts"
import { InvalidApiKey, ScopeMissing } from "./errors.ts"
import { Caller, type Callers } from "./guards.ts"
import type { VerifiedKey } from "./model.ts"
import { type KnownScope, namedScopes, permits } from "./scopes-model.ts"
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

type NoKey = InvalidApiKey | ScopeMissing | TooManyRequests
type Authenticated = Effect.Effect<Identity, NoKey | NoUser, Request>

/** The ways to authenticate the caller of a route that admits keys and users. */
interface Ways {
  readonly byKey: (token: string) => Effect.Effect<Identity, NoKey>
  readonly byUser: Effect.Effect<Identity, NoUser, Request>
}

const actingCaller: Effect.Effect<Actor, never, Caller | Request> = Effect.zipWith(
  Caller,
  origin,
  (caller, from) => ({ ...caller, ...from })
)

/** Runs `read` for the company of the platform key or dashboard user behind the request. */
export const forCaller = <A, E, R>(read: (companyId: string) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Caller, ({ companyId }) => read(companyId))

/** Runs `act` as the platform key or dashboard user behind the request, from its address. */
export const forActor = <A, E, R>(act: (by: Actor) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(actingCaller, act)

/** Why a request with a key and without a user is refused: by the key. */
const whyNot = (refused: NoUser, ofKey: InvalidApiKey | ScopeMissing) => {
  if (!(refused instanceof Unauthorized)) return refused
  return ofKey._tag === "ScopeMissing" ? ofKey : new Unauthorized({ reason: ofKey.reason })
}

/** Authenticates platform keys and dashboard users. */
export class CallerCredential extends Effect.Service<CallerCredential>()("CallerCredential", {
  dependencies: [DashboardCredential.Default, PlatformKeyCredential.Default],
  effect: Effect.gen(function* () {
    const keys = yield* PlatformKeyCredential
    const dashboard = yield* DashboardCredential

    const identityOf = (users: Users) =>
      Effect.map(dashboard.authenticate(users), ({ company, email, id }) => ({
        kind: "user" as const,
        id,
        name: email,
        companyId: company.id
      }))

    /** A key comes before a user. */
    const keyFirst = ({ byKey, byUser }: Ways): Authenticated =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request): Authenticated => {
        const key = header(request, "x-api-key")
        if (key !== undefined) return byKey(key)
        const token = bearerToken(request)
        return token !== undefined && !token.startsWith("dls_") ? byKey(token) : byUser
      })

    /**
     * Says why it does not accept a key. All else is accepted and refused as on a route for dashboard users alone. A user who is signed in by a
     * cookie comes first, so that an old key beside it does not count as a guess. A key comes before the token of a user.
     */
    const cookieFirst = ({ byKey, byUser }: Ways): Authenticated =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request): Authenticated => {
        const key = header(request, "x-api-key") ?? bearerToken(request)
        if (!key?.startsWith("dlk_")) return byUser
        if (bearerToken(request) === undefined)
          return Effect.catchAll(byUser, (refused) =>
            Effect.mapError(byKey(key), (ofKey) =>
              ofKey._tag === "TooManyRequests" ? ofKey : whyNot(refused, ofKey)
            )
          )
        return Effect.catchAll(
          byKey(key),
          (ofKey): Authenticated =>
            ofKey._tag === "TooManyRequests"
              ? Effect.fail(ofKey)
              : Effect.mapError(byUser, (refused) => whyNot(refused, ofKey))
        )
      })

    return {
      /** Fails as the guard for these callers says. */
      authenticate: ({ scope, users }: Callers): Authenticated => {
        if (users === undefined) return keys.authenticate(scope)
        const ways = { byKey: keys.verify(scope), byUser: identityOf(users) }
        return namedScopes.has(scope) ? cookieFirst(ways) : keyFirst(ways)
      }
    }
  })
}) {}
