/** The page's requests: each response becomes a value, or a failure that says what can be done about it. */
import { type Json, number, object, parse } from "../json.ts"

export type Failure =
  /** There was no response, or an incomplete one. */
  | { readonly kind: "offline" }
  /** Too many requests; `seconds` to wait if the server says so. */
  | { readonly kind: "busy"; readonly seconds: number | undefined }
  /** 429 that waiting does not solve: the session has reached its limit. */
  | { readonly kind: "exhausted" }
  | { readonly kind: "server" }
  /** 404: no such session, or the link belongs to another one. */
  | { readonly kind: "unknown" }
  /** 409: the session has finished in the meantime. */
  | { readonly kind: "finished" }
  /** 410. */
  | { readonly kind: "expired" }
  | { readonly kind: "tooLarge" }
  | { readonly kind: "wrongType" }
  /** 415: an encrypted PDF, or one with active content. */
  | { readonly kind: "activePdf" }
  /** 400: a fault of this page or its workflow, which a retry does not solve. */
  | { readonly kind: "refused" }

export type Outcome<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly failure: Failure }

export const succeeded = <A>(value: A): Outcome<A> => ({ ok: true, value })

/** The server's messages for limits per session. */
const limits = ["Too many files", "Too many dedup checks"]

/** The server's message for a valid PDF that it refuses. */
const activePdf = "PDF must not be encrypted or contain scripts, actions or attached files"

const busy = (retryAfter: string | null): Failure => {
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter)
  return { kind: "busy", seconds: Number.isFinite(seconds) ? seconds : undefined }
}

const failureOf = (status: number, retryAfter: string | null, error: unknown): Failure => {
  switch (status) {
    case 404:
      return { kind: "unknown" }
    case 409:
      return { kind: "finished" }
    case 410:
      return { kind: "expired" }
    case 413:
      return { kind: "tooLarge" }
    case 415:
      return { kind: error === activePdf ? "activePdf" : "wrongType" }
    case 429:
      return limits.some((limit) => limit === error) ? { kind: "exhausted" } : busy(retryAfter)
    case 503:
      // Without `retry-after`, it is an outage.
      return retryAfter === null ? { kind: "server" } : busy(retryAfter)
    default:
      return { kind: status >= 500 ? "server" : "refused" }
  }
}

/** A request without a full response within this time counts as failed. */
const timeoutMillis = 60_000
/** The same timeout as the server's for uploads: a photo over a poor connection takes minutes. */
export const uploadTimeoutMillis = 600_000

export interface Answer {
  readonly body: Json
  /** How far the server's clock is ahead of the browser's, in milliseconds; 0 if the response has no date. */
  readonly ahead: number
}

export const ask = async (
  path: string,
  init: RequestInit = {},
  timeout = timeoutMillis
): Promise<Outcome<Answer>> => {
  try {
    const response = await fetch(path, {
      ...init,
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(timeout)
    })
    const body = object(parse(await response.text()))
    if (!response.ok) {
      const retryAfter = response.headers.get("retry-after")
      return { ok: false, failure: failureOf(response.status, retryAfter, body.error) }
    }
    const at = Date.parse(response.headers.get("date") ?? "")
    return succeeded({ body, ahead: Number.isNaN(at) ? 0 : at - Date.now() })
  } catch {
    return { ok: false, failure: { kind: "offline" } }
  }
}

export const post = (path: string, body: Json): Promise<Outcome<Answer>> =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })

export const mapped = <A, B>(outcome: Outcome<A>, change: (value: A) => B): Outcome<B> =>
  outcome.ok ? succeeded(change(outcome.value)) : outcome

/** After how many seconds a request may be retried. */
export const waitOf = (failure: Failure): number | undefined =>
  failure.kind === "busy" ? number(failure.seconds) : undefined
