import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { hkdfSha256 } from "./digest.ts"

/** What a derived key is for. Each purpose has a key of its own, so that none can stand in for another. */
export type Purpose =
  | "audit-seal"
  | "captcha-jwt"
  | "captcha-challenge"
  | "dedup-pepper"
  | "frame-ticket"
  | "known-device"
  | "kyc-session"
  | "marketplace-key"
  | "seal"

/**
 * The installation's root secret (`SECRET_KEY`). Everything keyed derives from it with HKDF-SHA-256
 * (RFC 5869) and a label per purpose; the root itself keys nothing.
 */
export class SecretKey extends Context.Tag("SecretKey")<
  SecretKey,
  {
    readonly derive: (purpose: Purpose) => Uint8Array
    /** That key, and then the one from `SECRET_KEY_PREVIOUS` where it is set: what either has keyed is still good. */
    readonly accepted: (purpose: Purpose) => ReadonlyArray<Uint8Array>
  }
>() {
  /**
   * @param root at least 32 bytes; read as UTF-8.
   * @param previous another such, of which nothing new is derived
   */
  static readonly layer = (
    root: Redacted.Redacted<string>,
    previous?: Redacted.Redacted<string>
  ): Layer.Layer<SecretKey> => {
    const from = (secret: Redacted.Redacted<string>, purpose: Purpose) =>
      hkdfSha256(Redacted.value(secret), "doorlock", purpose)
    const roots = previous === undefined ? [root] : [root, previous]
    return Layer.succeed(SecretKey, {
      derive: (purpose) => from(root, purpose),
      accepted: (purpose) => roots.map((secret) => from(secret, purpose))
    })
  }
}
