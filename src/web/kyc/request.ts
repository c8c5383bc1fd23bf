/** The page's requests, and their failures by what the end user can do about them. */
import { type Json, number, object, parse } from "../json.ts"
import { kycTimes, signal } from "../timing.ts"

export type Failure =
  /** `seconds` to wait, if the server says so. */
  | { readonly kind: "busy"; readonly seconds: number | undefined }
  | {
      readonly kind:
        | "server"
        /** No response, or an incomplete one. */
        | "offline"
        /** 429 that waiting does not solve: the session has reached its limit. */
        | "exhausted"
        /** 404: no such session, or the wrong token. */
        | "unknown"
        /** 409: the session has finished in the meantime. */
        | "finished"
        | "expired"
        | "tooLarge"
        | "wrongType"
        /** 400: a fault of this page or its workflow, which a retry does not solve. */
        | "refused"
    }

export type Outcome<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly failure: Failure }

export const succeeded = <A>(value: A): Outcome<A> => ({ ok: true, value })

/** The server's messages for the limits of a session. */
const limits = ["Too many files", "Too many dedup checks"]

const kinds: Readonly<Record<number, Exclude<Failure["kind"], "busy">>> = {
  404: "unknown",
  409: "finished",
  410: "expired",
  413: "tooLarge",
  415: "wrongType"
}

const failureOf = (status: number, retryAfter: string | null, error: unknown): Failure => {
  if (status === 429 && limits.some((limit) => limit === error)) return { kind: "exhausted" }
  // Without `retry-after`, 503 is an outage.
  if (status === 429 || (status === 503 && retryAfter !== null)) {
    return { kind: "busy", seconds: retryAfter === null ? undefined : number(Number(retryAfter)) }
  }
  return { kind: kinds[status] ?? (status >= 500 ? "server" : "refused") }
}

/** `ahead`: how far the server's clock is ahead of the browser's, in milliseconds; 0 if unknown. */
export const ask = async <A>(
  path: string,
  read: (body: Json, ahead: number) => A,
  init: RequestInit = {},
  timeout: number = kycTimes.answer
): Promise<Outcome<A>> => {
  try {
    const response = await fetch(path, {
      ...init,
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
      referrerPolicy: "no-referrer",
      signal: signal(timeout)
    })
    const body = object(parse(await response.text()))
    if (!response.ok) {
      const retryAfter = response.headers.get("retry-after")
      return { ok: false, failure: failureOf(response.status, retryAfter, body.error) }
    }
    const at = Date.parse(response.headers.get("date") ?? "")
    return succeeded(read(body, Number.isNaN(at) ? 0 : at - Date.now()))
  } catch {
    return { ok: false, failure: { kind: "offline" } }
  }
}

export const post = <A>(
  path: string,
  body: Json,
  read: (body: Json) => A,
  init: Pick<RequestInit, "keepalive"> = {}
): Promise<Outcome<A>> =>
  ask(path, read, {
    ...init,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
