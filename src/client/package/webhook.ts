/** Verifies webhooks by Standard Webhooks 1.0.0, with Web Crypto, which every runtime has. */
import type { WebhookEvent } from "./generated/types.ts"

export type WebhookProblem = "header-missing" | "timestamp-refused" | "signature-wrong"

/** The request is not a webhook of this endpoint: answer with 400 or 401, and ignore it. */
export class WebhookError extends Error {
  override readonly name = "WebhookError"
  readonly problem: WebhookProblem

  constructor(problem: WebhookProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

export interface WebhookRequest {
  /** As received, before any parser has changed it. */
  readonly body: string | Uint8Array<ArrayBuffer>
  /** `Headers`, or an object with names in lower case, as Node has it. */
  readonly headers: Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

export interface WebhookOptions {
  /** By how many seconds the timestamp may be off. Default: 300. */
  readonly tolerance?: number
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/** Imports a secret (`whsec_...`) or a public key (`whpk_...`), and says which signatures it verifies. */
const keyOf = async (secret: string) => {
  const isPublic = secret.startsWith("whpk_")
  const algorithm = isPublic ? { name: "Ed25519" } : { name: "HMAC", hash: "SHA-256" }
  const bytes = bytesOf(secret.replace(/^wh(?:sec|pk)_/, ""))
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"])
  return { algorithm: algorithm.name, key, scheme: isPublic ? "v1a" : "v1" }
}

/**
 * The event of a webhook. Rejects with `WebhookError` unless one of `secrets` signed it, and recently. A malformed secret rejects with
 * the error of the runtime.
 *
 * @param secrets the secret or the public key of the endpoint; during a rotation, the old and the new one
 */
export const verifyWebhook = async (
  { body, headers }: WebhookRequest,
  secrets: string | ReadonlyArray<string>,
  { tolerance = 300 }: WebhookOptions = {}
): Promise<WebhookEvent> => {
  const header = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    if (typeof value !== "string" || value === "")
      throw new WebhookError("header-missing", `The header ${name} is missing.`)
    return value
  }
  const id = header("webhook-id")
  const timestamp = header("webhook-timestamp")
  const given = header("webhook-signature").split(" ")
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > tolerance)
    throw new WebhookError("timestamp-refused", `The timestamp is more than ${tolerance} seconds off.`)

  const encoder = new TextEncoder()
  const bytes = typeof body === "string" ? encoder.encode(body) : body
  const head = encoder.encode(`${id}.${timestamp}.`)
  const content = new Uint8Array(head.length + bytes.length)
  content.set(head)
  content.set(bytes, head.length)

  for (const secret of [secrets].flat()) {
    const { algorithm, key, scheme } = await keyOf(secret)
    for (const one of given) {
      const [name, signature = ""] = one.split(",")
      // `verify` compares in constant time.
      if (
        name === scheme &&
        /^[\w+/]+={0,2}$/.test(signature) &&
        (await crypto.subtle.verify(algorithm, key, bytesOf(signature), content))
      )
        return JSON.parse(new TextDecoder().decode(bytes))
    }
  }
  throw new WebhookError("signature-wrong", "No signature is by a known secret.")
}
