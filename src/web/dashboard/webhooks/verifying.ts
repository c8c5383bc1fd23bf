/** Code to paste, which verifies signatures: that of docs/guides/webhooks.md, where it is tested. */

const typescript = `import { createHmac, timingSafeEqual } from "node:crypto"

export const verify = (secret: string, headers: Headers, body: string): boolean => {
  const [id, at, given = ""] = ["id", "timestamp", "signature"].map(
    (name) => headers.get(\`webhook-\${name}\`) ?? ""
  )
  if (!(Math.abs(Date.now() / 1000 - Number(at)) < 300)) return false
  const key = Buffer.from(secret.replace("whsec_", ""), "base64")
  const wanted = Buffer.from(\`v1,\${createHmac("sha256", key).update(\`\${id}.\${at}.\${body}\`).digest("base64")}\`)
  const signatures = given.split(" ").map((one) => Buffer.from(one))
  return signatures.some((one) => one.length === wanted.length && timingSafeEqual(one, wanted))
}`

const python = `import base64, hashlib, hmac, time

def verify(secret: str, headers, body: bytes) -> bool:
    id, at, given = (headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not at.isdecimal() or abs(time.time() - int(at)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{id}.{at}.".encode() + body, hashlib.sha256)
    wanted = b"v1," + base64.b64encode(digest)
    return any(hmac.compare_digest(one.encode(), wanted) for one in given.split())`

/** By the secret of `v1`. */
export const bySecret = { typescript, python }

/** By the public key of `v1a`. */
export const byKey = {
  typescript: `import { createPublicKey, verify as isSigned } from "node:crypto"

export const verify = (publicKey: string, headers: Headers, body: string): boolean => {
  const [id, at, given = ""] = ["id", "timestamp", "signature"].map(
    (name) => headers.get(\`webhook-\${name}\`) ?? ""
  )
  if (!(Math.abs(Date.now() / 1000 - Number(at)) < 300)) return false
  const x = Buffer.from(publicKey.replace("whpk_", ""), "base64").toString("base64url")
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
  const content = Buffer.from(\`\${id}.\${at}.\${body}\`)
  const signatures = given.split(" ").filter((one) => one.startsWith("v1a,"))
  return signatures.some((one) => isSigned(null, content, key, Buffer.from(one.slice(4), "base64")))
}`,
  python: `import base64, time
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

def verify(public_key: str, headers, body: bytes) -> bool:
    id, at, given = (headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not at.isdecimal() or abs(time.time() - int(at)) > 300:
        return False
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key.removeprefix("whpk_")))
    for one in given.split():
        try:
            key.verify(base64.b64decode(one.removeprefix("v1a,")), f"{id}.{at}.".encode() + body)
            return True
        except (InvalidSignature, ValueError):
            pass
    return False`
}

/** In single quotes for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A command that sends a request with a wrong signature of `v1a`, to try a receiver. */
export const forgedRequest = (
  url: string
): string => `curl -i ${quoted(url)} -H 'content-type: application/json' \\
  -H 'webhook-id: evt_try' -H "webhook-timestamp: $(date +%s)" \\
  -H 'webhook-signature: v1a,${"A".repeat(86)}==' \\
  -d '{"id":"evt_try","type":"webhook.test","timestamp":"2026-11-20T10:00:00.000Z","data":{}}'`

/** A command that signs a request as doorlock does and sends it, to try a receiver. */
export const signedRequest = (url: string, secret: string): string => `SECRET=${quoted(secret)}
ID=evt_try AT=$(date +%s)
BODY='{"id":"evt_try","type":"webhook.test","timestamp":"2026-11-20T10:00:00.000Z","data":{}}'
KEY=$(printf %s "\${SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
SIGNATURE=$(printf '%s.%s.%s' "$ID" "$AT" "$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)
curl -i ${quoted(url)} -H 'content-type: application/json' -H "webhook-id: $ID" \\
  -H "webhook-timestamp: $AT" -H "webhook-signature: v1,$SIGNATURE" -d "$BODY"`
