import { Array as Arr, Effect } from "effect"
import { LRUCache } from "lru-cache"
import { sha256 } from "../secrets/digest.ts"
import { Seal, SealBroken } from "../secrets/seal.ts"
import { SecretKey } from "../secrets/secret-key.ts"
import { newId } from "../shared/identifier.ts"
import type { SealedSecret } from "./repo.ts"
import { newSecret, publicKeyOf, type Scheme, type Sign, signWith } from "./signature.ts"

/** For how many endpoints the opened secrets are cached. */
const capacity = 1_000

/** Endpoints' secrets: encrypted where they are stored, so that the database alone cannot sign. */
export class WebhookSecrets extends Effect.Service<WebhookSecrets>()("WebhookSecrets", {
  effect: Effect.gen(function* () {
    const { open, seal } = yield* Seal
    const secretKey = yield* SecretKey
    const text = (key: Uint8Array) => Buffer.from(key).toString("base64")
    const own = text(secretKey.derive("webhook-secret"))
    const accepted = secretKey.accepted("webhook-secret").map(text)
    const signers = new LRUCache<string, Sign>({ max: capacity })

    /** Says which key sealed a secret, and reveals nothing about it. */
    const sealedBy = text(sha256(own).subarray(0, 6))

    const sealed = (endpointId: string, secret: string) => ({
      sealed: seal("webhook-secret", own, secret, endpointId),
      sealedBy
    })

    const opened = (endpointId: string, stored: Uint8Array): Effect.Effect<string, SealBroken> =>
      Effect.firstSuccessOf(accepted.map((key) => open("webhook-secret", key, stored, endpointId)))

    return {
      sealedBy,

      /** A new secret as it is stored, and what its owner is told: the secret of `v1`, the public key of `v1a`. */
      make: (endpointId: string, scheme: Scheme) => {
        const secret = newSecret(scheme)
        const stored: SealedSecret = { id: newId(), ...sealed(endpointId, secret) }
        return {
          stored,
          secret: scheme === "v1" ? secret : undefined,
          publicKey: scheme === "v1a" ? publicKeyOf(secret) : null
        }
      },

      /**
       * Signs by each secret that opens. Fails if none does: SECRET_KEY is no longer the one that sealed them. An endpoint whose secret was
       * rotated after such a change thus signs by the new one during the overlap. @param stored in base64
       */
      signer: (endpointId: string, stored: ReadonlyArray<string>): Effect.Effect<Sign, SealBroken> =>
        Effect.suspend(() => {
          const key = [endpointId, ...stored].join(" ")
          const known = signers.get(key)
          if (known !== undefined) return Effect.succeed(known)
          return Effect.forEach(stored, (one) =>
            Effect.option(opened(endpointId, Buffer.from(one, "base64")))
          ).pipe(
            Effect.map(Arr.getSomes),
            Effect.filterOrFail(
              (secrets) => secrets.length > 0,
              () => new SealBroken()
            ),
            Effect.map((secrets) => {
              const sign = signWith(secrets)
              signers.set(key, sign)
              return sign
            })
          )
        }),

      /** Seals with the present key what an earlier one sealed. */
      resealed: (
        id: string,
        endpointId: string,
        stored: Uint8Array
      ): Effect.Effect<SealedSecret, SealBroken> =>
        Effect.map(opened(endpointId, stored), (secret) => ({ id, ...sealed(endpointId, secret) }))
    }
  }),
  dependencies: [Seal.Default]
}) {}
