/** The public API as the page calls it: every answer becomes a value, or a failure that says what can be done about it. */
import { type Json, number, object, parse, text } from "./json.client.ts"

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
  /** 400: a fault of this page or of its workflow, which trying again does not mend. */
  | { readonly kind: "refused" }

export type Outcome<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly failure: Failure }

export const succeeded = <A>(value: A): Outcome<A> => ({ ok: true, value })

/** What the server says where a limit is the session's own. */
const limits = ["Too many files", "Too many dedup checks"]

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
      return { kind: "wrongType" }
    case 429: {
      if (limits.some((limit) => limit === error)) return { kind: "exhausted" }
      const seconds = retryAfter === null ? Number.NaN : Number(retryAfter)
      return { kind: "busy", seconds: Number.isFinite(seconds) ? seconds : undefined }
    }
    default:
      return { kind: status >= 500 ? "server" : "refused" }
  }
}

/** An answer that takes longer is taken for none. */
const timeoutMillis = 60_000
/** As long as the server waits for a file: a photo over a poor connection takes minutes. */
const uploadTimeoutMillis = 600_000

interface Answer {
  readonly body: Json
  /** How far the server's clock is ahead of the browser's, in milliseconds; 0 when it does not tell its time. */
  readonly ahead: number
}

const ask = async (
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

const post = (path: string, body: Json): Promise<Outcome<Answer>> =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })

const mapped = <A, B>(outcome: Outcome<A>, change: (value: A) => B): Outcome<B> =>
  outcome.ok ? succeeded(change(outcome.value)) : outcome

/** A file that the server has taken. */
export interface StoredFile {
  readonly id: string
  readonly sha256: string
}

export interface Ending {
  readonly status: "completed" | "failed" | "cancelled"
  readonly redirectUrl: string
}

const endingOf = (body: Json): Ending => {
  const { status } = object(body.session)
  return {
    status: status === "completed" || status === "failed" ? status : "cancelled",
    redirectUrl: text(body.redirectUrl) ?? ""
  }
}

export type Status = "completed" | "failed" | "cancelled"

/** The routes of one session. */
export const sessionApi = (id: string, token: string) => {
  const path = `/api/kyc/public/sessions/${encodeURIComponent(id)}`
  return {
    read: () => ask(`${path}?token=${encodeURIComponent(token)}`),
    /** Merged into what is stored, key by key; the session is running from the first time on. */
    save: (progress: Json) => post(`${path}/progress`, { token, progress, status: "running" }),
    /** Of a finished session it changes nothing and tells how it ended. */
    finish: async (status: Status, result: Json): Promise<Outcome<Ending>> =>
      mapped(await post(`${path}/complete`, { token, status, result }), ({ body }) => endingOf(body)),
    matches: async (keyHash: string): Promise<Outcome<boolean>> =>
      mapped(await post(`${path}/dedup-check`, { token, keyHash }), ({ body }) => body.matchFound === true),
    challenge: async (siteKey: string): Promise<Outcome<unknown>> =>
      mapped(
        await ask(`/api/kyc/captcha/challenge?${new URLSearchParams({ siteKey, sessionId: id })}`),
        ({ body }) => body.challenge
      ),
    redeem: async (challenge: unknown, solution: unknown): Promise<Outcome<string>> =>
      mapped(
        await post("/api/kyc/captcha/redeem", { challenge, solution }),
        ({ body }) => text(body.token) ?? ""
      ),
    verify: async (captchaToken: string, siteKey: string): Promise<Outcome<boolean>> =>
      mapped(
        await post(`${path}/captcha/verify`, { token, captchaToken, siteKey }),
        ({ body }) => body.success === true
      ),
    upload: async (file: Blob): Promise<Outcome<StoredFile>> =>
      mapped(
        await ask(
          `${path}/files`,
          {
            method: "POST",
            headers: { authorization: `Bearer ${token}`, "content-type": file.type },
            body: file
          },
          uploadTimeoutMillis
        ),
        ({ body }) => {
          const stored = object(body.file)
          return { id: text(stored.id) ?? "", sha256: text(stored.sha256) ?? "" }
        }
      )
  }
}
export type SessionApi = ReturnType<typeof sessionApi>

/** When a request may be tried again, in words: after this many seconds. */
export const waitOf = (failure: Failure): number | undefined =>
  failure.kind === "busy" ? number(failure.seconds) : undefined
