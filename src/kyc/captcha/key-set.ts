import * as Effect from "effect/Effect"
import { createRemoteJWKSet } from "jose"

/** How soon a key that is not in the set is looked for again at its source. */
const refetchMillis = 5000

const fetchTimeoutMillis = 3000

/** The keys that a captcha service publishes (RFC 7517), fetched when they are first needed. */
export const remoteKeySet = (url: URL) =>
  createRemoteJWKSet(url, { timeoutDuration: fetchTimeoutMillis, cooldownDuration: refetchMillis })

/** How many keys are at the address now; fails with the reason why there are none to be had. */
export const countKeys = (url: URL): Effect.Effect<number, Error> =>
  Effect.tryPromise({
    try: async () => {
      const keySet = remoteKeySet(url)
      await keySet.reload()
      return keySet.jwks()?.keys.length ?? 0
    },
    catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause)))
  })
