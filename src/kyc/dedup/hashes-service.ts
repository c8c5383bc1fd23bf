import { Effect } from "effect"
import { hmacSha256 } from "../../secrets/digest.ts"
import { SecretKey } from "../../secrets/secret-key.ts"
import type { Mode } from "../sessions/model.ts"

/** Key hashes as they are stored. Document numbers can be enumerated, so a copy of the database must not allow anyone to test their hashes. */
export class DedupHashes extends Effect.Service<DedupHashes>()("DedupHashes", {
  effect: Effect.map(SecretKey, (secretKey) => {
    const own = secretKey.derive("dedup-pepper")
    const accepted = secretKey.accepted("dedup-pepper")
    const hmacOf = (key: Uint8Array, companyId: string, mode: Mode, keyHash: string): Uint8Array =>
      hmacSha256(key, `${companyId}|${mode}|${keyHash.toLowerCase()}`)
    return {
      /** Under the present `SECRET_KEY`. */
      own: (companyId: string, mode: Mode, keyHash: string) => hmacOf(own, companyId, mode, keyHash),
      /** Under each `SECRET_KEY` that may have stored it. */
      accepted: (companyId: string, mode: Mode, keyHash: string) =>
        accepted.map((key) => hmacOf(key, companyId, mode, keyHash))
    }
  })
}) {}
