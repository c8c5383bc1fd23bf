import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, Layer } from "effect"
import { DashboardCredential, origin } from "../../accounts/credential.ts"
import { Unauthorized } from "../../accounts/errors.ts"
import type { SignedInUser } from "../../accounts/guards.ts"
import type { Actor, Identity } from "../../audit/model.ts"
import { bearerToken, header } from "../../http/runtime/source.ts"
import { PlatformKeyCredential } from "../../keys/credential.ts"
import type { InvalidApiKey, ScopeMissing } from "../../keys/errors.ts"
import type { KnownScope } from "../../keys/scopes-model.ts"
import type { TooManyRequests } from "../../limits/errors.ts"
import { guesses } from "../../limits/guesses.ts"
import { CurrentRequest } from "../../shared/current-request.ts"
import { SessionNotFound } from "./errors.ts"
import { Caller } from "./guards.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The token from `Authorization: Bearer`. A missing token fails like a wrong one. */
export const presentedSession = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
  const token = bearerToken(request)
  return token === undefined ? Effect.fail(new SessionNotFound()) : Effect.succeed(token)
})

const isNoSession = (error: unknown): boolean => error instanceof SessionNotFound

/** Limits how many session tokens and handoff links an address may guess (contract.md#protective-limits). */
export class SessionGuesses extends Effect.Service<SessionGuesses>()("SessionGuesses", {
  effect: Effect.map(guesses("session"), ({ limiting }) => ({
    /** `use` looks up a session. Fails with `TooManyRequests` after too many sessions that do not exist. */
    limiting: <A, E, R>(use: Effect.Effect<A, E, R>): Effect.Effect<A, E | TooManyRequests, R> =>
      Effect.flatMap(CurrentRequest, ({ clientAddress }) => limiting(clientAddress, isNoSession, use))
  }))
}) {}

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

/** What `partnerReader` needs. */
export const readerCredentials = Layer.merge(DashboardCredential.Default, PlatformKeyCredential.Default)

type ByDashboard<Failure> = (credential: DashboardCredential) => Effect.Effect<SignedInUser, Failure, Request>

const credentialsFor = <Failure>(byDashboard: ByDashboard<Failure>) =>
  Effect.gen(function* () {
    const keys = yield* PlatformKeyCredential
    const dashboard = yield* DashboardCredential
    const byUser = Effect.map(byDashboard(dashboard), ({ company, email, id }) => ({
      kind: "user" as const,
      id,
      name: email,
      companyId: company.id
    }))
    return { byUser, verify: keys.verify }
  })

/** Accepts a platform key with `scope`, or a dashboard user whom `byDashboard` accepts. */
export const partnerReader = <Failure>(scope: KnownScope, byDashboard: ByDashboard<Failure>) =>
  Effect.map(credentialsFor(byDashboard), ({ byUser, verify }) => {
    const byKey = verify(scope)
    type AnyFailure = Failure | Effect.Effect.Error<ReturnType<typeof byKey>>
    return Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request): Effect.Effect<Identity, AnyFailure, Request> => {
        const key = header(request, "x-api-key")
        if (key !== undefined) return byKey(key)
        const token = bearerToken(request)
        return token !== undefined && !token.startsWith("dls_") ? byKey(token) : byUser
      }
    )
  })

/** Why a request with a key and without a user is refused: by the key. */
const whyNot = <Failure>(refused: Failure, ofKey: InvalidApiKey | ScopeMissing) => {
  if (!(refused instanceof Unauthorized)) return refused
  return ofKey._tag === "ScopeMissing" ? ofKey : new Unauthorized({ reason: ofKey.reason })
}

/**
 * Accepts a platform key that names `scope`, and says why it does not accept another one. All else is accepted and refused as on a route for
 * dashboard users alone. A user who is signed in by a cookie comes first, so that an old key beside it does not count as a guess. A key comes
 * before the token of a user.
 */
export const keyOrUser = <Failure>(scope: KnownScope, byDashboard: ByDashboard<Failure>) =>
  Effect.map(credentialsFor(byDashboard), ({ byUser, verify }) => {
    const byKey = verify(scope)
    type AnyFailure = Failure | ScopeMissing | TooManyRequests | Unauthorized
    return Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request): Effect.Effect<Identity, AnyFailure, Request> => {
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
          (ofKey): Effect.Effect<Identity, AnyFailure, Request> =>
            ofKey._tag === "TooManyRequests"
              ? Effect.fail(ofKey)
              : Effect.mapError(byUser, (refused) => whyNot(refused, ofKey))
        )
      }
    )
  })
