/** The guards of routes that admit platform keys. `credential` authenticates the caller. */
import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import { Context, Schema } from "effect"
import {
  dashboardSession,
  noDashboardSession,
  noDashboardSessionOrKey,
  roleForbidden,
  type Users,
  whoMay
} from "../accounts/guards.ts"
import type { Identity } from "../audit/model.ts"
import { fails, tooManyRequests } from "../http/contract/error-responses.ts"
import { bearerChallenge, type Credential, guard, guardsFrom } from "../http/contract/guard.ts"
import { InvalidApiKey, keyReasons, ScopeMissing } from "./errors.ts"
import { type KnownScope, namedScopes, withoutScope } from "./scopes-model.ts"

export const platformKey: Credential = {
  apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "A platform API key (`dlk_`)." },
  apiKeyBearer: {
    type: "http",
    scheme: "bearer",
    description: "A platform API key (`dlk_`). The header `x-api-key` takes precedence."
  }
}

const invalidKey = fails(InvalidApiKey, 401, "Invalid API key", {
  ...bearerChallenge,
  reasons: { of: ({ reason }) => reason, all: keyReasons }
})

/** How routes that require no scope refuse a platform key. */
export const noValidKey = Schema.Union(invalidKey, tooManyRequests)

const scopeMissing = (scope: KnownScope) =>
  fails(ScopeMissing, 403, withoutScope(scope), { describe: (error) => withoutScope(error.scope) })

/** How routes that require this scope refuse a platform key. */
const noPlatformKey = (scope: KnownScope) => Schema.Union(invalidKey, scopeMissing(scope), tooManyRequests)

/** Who makes a request on behalf of a company: a platform key or a dashboard user. */
export class Caller extends Context.Tag("Caller")<Caller, Identity>() {}

export interface Callers {
  /** Of platform keys. */
  readonly scope: KnownScope
  /** Without it, no users. */
  readonly users?: Users
}

const sentence = ({ scope, users }: Callers): string => {
  const keys = `For platform API keys ${namedScopes.has(scope) ? "that name" : "with"} the scope \`${scope}\``
  return users === undefined ? `${keys}.` : `${keys}, and for ${whoMay[users]}.`
}

/** Routes with a scope that has to be named were once for users alone, so their 401 is that of users. */
const refusals = ({ scope, users }: Callers) => {
  if (users === undefined) return noPlatformKey(scope)
  const ofRole = users === "any" ? [] : [roleForbidden]
  return namedScopes.has(scope)
    ? Schema.Union(noDashboardSessionOrKey(...keyReasons), scopeMissing(scope), tooManyRequests, ...ofRole)
    : Schema.Union(noPlatformKey(scope), noDashboardSessionOrKey(), ...ofRole)
}

/** What all guards of `key` and `keyOrUser` are to the compiler. */
export class CallerGuard extends HttpApiMiddleware.Tag<CallerGuard>()("CallerGuard", {
  provides: Caller,
  failure: Schema.Union(noPlatformKey("kyc:sessions:read"), noDashboardSession, roleForbidden)
}) {}

/**
 * A guard for callers of a feature's own implementation. @param who its sentence in the OpenAPI document
 * @param mostRefused those of its callers whom it refuses in the most ways
 */
export const callerGuard = (name: string, callers: Callers, who: string, mostRefused = callers) =>
  // The cast: each fails in some of the ways of all.
  guard(
    HttpApiMiddleware.Tag<CallerGuard>()(name, {
      provides: Caller,
      failure: refusals(mostRefused)
    }) as unknown as typeof CallerGuard,
    {
      credentials: callers.users === undefined ? [platformKey] : [platformKey, dashboardSession],
      who,
      scope: callers.scope,
      companyOf: ({ companyId }: Identity) => companyId
    }
  )

/** `http.ts` implements them. */
export const callerGuards = guardsFrom((name, callers: Callers) =>
  callerGuard(`key ${name}`, callers, sentence(callers))
)

/** Access for platform keys that hold this scope. The handler has them as `Caller`. */
export const key = (scope: KnownScope) => ({ guard: callerGuards.guardFor({ scope }) })

/** Access for these platform keys and for dashboard users of any role, or of one that may do this. The handler has them as `Caller`. */
export const keyOrUser = (scope: KnownScope, users: Users) => ({
  guard: callerGuards.guardFor({ scope, users })
})
