import { Context, Effect } from "effect"
import { createRemoteJWKSet } from "jose"
import { toError } from "../../shared/error.ts"

/** The minimum time between fetches of the key set for keys that it does not contain. */
const refetchMillis = 5000

/** The timeout for fetching the key set, in milliseconds. */
export class KeySetTimeout extends Context.Reference<KeySetTimeout>()("doorlock/kyc/KeySetTimeout", {
  defaultValue: () => 3_000
}) {}

/** The public keys of a captcha service (RFC 7517), fetched on first use. */
export const remoteKeySet = (url: URL) =>
  Effect.map(KeySetTimeout, (timeoutDuration) =>
    createRemoteJWKSet(url, { timeoutDuration, cooldownDuration: refetchMillis })
  )

/** The number of keys at the address; fails with the reason if the key set cannot be loaded. */
export const countKeys = (url: URL): Effect.Effect<number, Error> =>
  Effect.flatMap(remoteKeySet(url), (keySet) =>
    Effect.tryPromise({
      try: async () => {
        await keySet.reload()
        return keySet.jwks()?.keys.length ?? 0
      },
      catch: toError
    })
  )
