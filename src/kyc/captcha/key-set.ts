import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { createRemoteJWKSet } from "jose"

/** How soon a key that is not in the set is looked for again at its source. */
const refetchMillis = 5000

/** Milliseconds that fetching the key set may take. */
export class KeySetPatience extends Context.Reference<KeySetPatience>()("doorlock/kyc/KeySetPatience", {
  defaultValue: () => 3_000
}) {}

/** The keys that a captcha service publishes (RFC 7517), fetched when they are first needed. */
export const remoteKeySet = (url: URL) =>
  Effect.map(KeySetPatience, (timeoutDuration) =>
    createRemoteJWKSet(url, { timeoutDuration, cooldownDuration: refetchMillis })
  )

/** How many keys are at the address now; fails with the reason why there are none to be had. */
export const countKeys = (url: URL): Effect.Effect<number, Error> =>
  Effect.flatMap(remoteKeySet(url), (keySet) =>
    Effect.tryPromise({
      try: async () => {
        await keySet.reload()
        return keySet.jwks()?.keys.length ?? 0
      },
      catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause)))
    })
  )
