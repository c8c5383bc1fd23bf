/** Platform keys in the contract. The features whose routes accept them define the guards. */
import { Schema } from "effect"
import { fails, tooManyRequests } from "../http/contract/error-responses.ts"
import { bearerChallenge, type Credential } from "../http/contract/guard.ts"
import { InvalidApiKey, ScopeMissing } from "./errors.ts"

export const platformKey: Credential = {
  apiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "A platform API key (`dlk_`)." },
  apiKeyBearer: {
    type: "http",
    scheme: "bearer",
    description: "A platform API key (`dlk_`). `x-api-key` wins."
  }
}

export const noPlatformKey = Schema.Union(
  fails(InvalidApiKey, 401, "Invalid API key", bearerChallenge),
  fails(ScopeMissing, 403, "API key does not have the scope kyc:sessions:create", {
    describe: ({ scope }) => `API key does not have the scope ${scope}`
  }),
  tooManyRequests
)
