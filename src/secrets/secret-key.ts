import { hkdfSync } from "node:crypto"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** What a derived key is for. Each purpose has a key of its own, so that none can stand in for another. */
export type Purpose = "captcha-jwt" | "captcha-challenge" | "dedup-pepper" | "frame-ticket" | "seal"

/**
 * The installation's root secret (`SECRET_KEY`). Everything keyed derives from it with HKDF-SHA-256
 * (RFC 5869) and a label per purpose; the root itself keys nothing.
 */
export class SecretKey extends Context.Tag("SecretKey")<
  SecretKey,
  { readonly derive: (purpose: Purpose) => Uint8Array }
>() {
  /** @param root at least 32 bytes; read as UTF-8. */
  static readonly layer = (root: Redacted.Redacted<string>): Layer.Layer<SecretKey> =>
    Layer.succeed(SecretKey, {
      derive: (purpose) => new Uint8Array(hkdfSync("sha256", Redacted.value(root), "doorlock", purpose, 32))
    })
}
