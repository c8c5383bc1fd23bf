import { Effect } from "effect"
import { createRemoteJWKSet } from "jose"
import { toError } from "../../shared/error.ts"
import { Timing } from "../../shared/timing.ts"

/** The public keys of a captcha service (RFC 7517), fetched on first use. */
export const remoteKeySet = (url: URL) =>
  Effect.map(Timing, ({ pause, timeout }) =>
    createRemoteJWKSet(url, {
      timeoutDuration: timeout("kyc.captcha_keys"),
      cooldownDuration: pause("kyc.captcha_keys_again")
    })
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
