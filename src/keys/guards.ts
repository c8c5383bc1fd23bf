/** Platform keys in the contract. The features whose routes accept them define the guards. */
import { Schema } from "effect"
import { fails, tooManyRequests } from "../http/contract/error-responses.ts"
import { bearerChallenge, type Credential } from "../http/contract/guard.ts"
import { InvalidApiKey, keyReasons, ScopeMissing } from "./errors.ts"
import { type KnownScope, withoutScope } from "./scopes-model.ts"

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

export const scopeMissing = (scope: KnownScope) =>
  fails(ScopeMissing, 403, withoutScope(scope), { describe: (error) => withoutScope(error.scope) })

/** How routes that require this scope refuse a platform key. */
export const noPlatformKey = (scope: KnownScope) =>
  Schema.Union(invalidKey, scopeMissing(scope), tooManyRequests)
