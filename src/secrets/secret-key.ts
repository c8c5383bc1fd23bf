import { Context, Layer, Redacted } from "effect"
import { hkdfSha256 } from "./digest.ts"

/** Each purpose has its own key, so that a key for one purpose is useless for another. */
export type Purpose =
  | "audit-seal"
  | "browser-mark"
  | "captcha-jwt"
  | "captcha-challenge"
  | "data-keys"
  | "dedup-pepper"
  | "frame-ticket"
  | "known-device"
  | "kyc-session"
  | "kyc-session-resumed"
  | "marketplace-key"
  | "photo-hash"
  | "receipt-key"
  | "seal"
  | "webhook-answer"
  | "webhook-secret"

/** The root secret (`SECRET_KEY`), used only to derive a key per purpose by HKDF-SHA-256 (RFC 5869). */
export class SecretKey extends Context.Tag("SecretKey")<
  SecretKey,
  {
    readonly derive: (purpose: Purpose) => Uint8Array
    /** The key from `derive`, then the one from `SECRET_KEY_PREVIOUS` if it is set. */
    readonly accepted: (purpose: Purpose) => ReadonlyArray<Uint8Array>
  }
>() {
  /** @param root at least 32 bytes, read as UTF-8 */
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
