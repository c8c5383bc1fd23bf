/** Requests of the page: an answer becomes a value, or a failure that says what can be done about it. */
import { type Json, number, object, parse } from "../json.ts"

export type Failure =
  /** Nobody answered, or the answer did not arrive whole. */
  | { readonly kind: "offline" }
  /** Too many requests; `seconds` to wait when the server says so. */
  | { readonly kind: "busy"; readonly seconds: number | undefined }
  /** 429 that no waiting mends: the session has had as many of these as it may. */
  | { readonly kind: "exhausted" }
  | { readonly kind: "server" }
  /** 404: no such session, or its link is another's. */
  | { readonly kind: "unknown" }
  /** 409: finished meanwhile. */
  | { readonly kind: "finished" }
  /** 410. */
  | { readonly kind: "expired" }
  | { readonly kind: "tooLarge" }
  | { readonly kind: "wrongType" }
  /** 415: a PDF that is encrypted or can act. */
  | { readonly kind: "activePdf" }
  /** 400: a fault of this page or of its workflow, which trying again does not mend. */
  | { readonly kind: "refused" }

export type Outcome<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly failure: Failure }

export const succeeded = <A>(value: A): Outcome<A> => ({ ok: true, value })

/** What the server says where a limit is the session's own. */
const limits = ["Too many files", "Too many dedup checks"]

/** What the server says of a PDF that is one and is not taken. */
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
      // Without a time to wait it is an outage.
      return retryAfter === null ? { kind: "server" } : busy(retryAfter)
    default:
      return { kind: status >= 500 ? "server" : "refused" }
  }
}

/** An answer that takes longer is taken for none. */
const timeoutMillis = 60_000
/** As long as the server waits for a file: a photo over a poor connection takes minutes. */
export const uploadTimeoutMillis = 600_000

export interface Answer {
  readonly body: Json
  /** How far the server's clock is ahead of the browser's, in milliseconds; 0 when it does not tell its time. */
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

/** When a request may be tried again, in words: after this many seconds. */
export const waitOf = (failure: Failure): number | undefined =>
  failure.kind === "busy" ? number(failure.seconds) : undefined
