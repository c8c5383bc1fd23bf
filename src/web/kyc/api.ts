/** The public API as the page calls it: every answer becomes a value, or a failure that says what can be done about it. */

import { type Json, number, object, oneOf, parse, text } from "../json.ts"
import { type PageConfig, readConfig } from "./instances/config.ts"

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

const handoffStatuses = ["waiting", "claimed", "confirmed", "refused", "cancelled", "expired"] as const
const devices = ["iphone", "ipad", "android_phone", "android_tablet", "computer", "unknown"] as const

/** A hand-off that this device has made. */
export interface Made {
  readonly id: string
  /** The link for the other device. */
  readonly url: string
}

/** How a hand-off stands, for the device that has made it. */
export interface Followed {
  readonly status: (typeof handoffStatuses)[number]
  readonly device: (typeof devices)[number]
  /** To be entered on the other device; empty unless that one has claimed it. */
  readonly code: string
}

const followedOf = (body: Json): Followed => {
  const handoff = object(body.handoff)
  return {
    // A status that this page is too old for is none to go on with.
    status: oneOf(handoff.status, handoffStatuses) ?? "cancelled",
    device: oneOf(handoff.device, devices) ?? "unknown",
    code: text(handoff.code) ?? ""
  }
}

const pathOf = (id: string) => `/api/kyc/public/sessions/${encodeURIComponent(id)}`

/** The routes of one session. */
export const sessionApi = (id: string, token: string) => {
  const path = pathOf(id)
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
      ),
    /** Begins a hand-off. `carry` goes to the other device, and is readable to nobody before. */
    handOff: async (carry: Json): Promise<Outcome<Made>> =>
      mapped(await post(`${path}/handoffs`, { token, carry }), ({ body }) => ({
        id: text(object(body.handoff).id) ?? "",
        url: text(body.url) ?? ""
      })),
    handoff: async (handoffId: string): Promise<Outcome<Followed>> =>
      mapped(await ask(`${path}/handoffs/${handoffId}?token=${encodeURIComponent(token)}`), ({ body }) =>
        followedOf(body)
      ),
    cancelHandoff: (handoffId: string) => post(`${path}/handoffs/${handoffId}/cancel`, { token })
  }
}
export type SessionApi = ReturnType<typeof sessionApi>

/** What the holder of a link may know before it is the session's. */
export interface Offer extends Pick<Followed, "status"> {
  readonly test: boolean
  readonly config: PageConfig
}

/** What goes over to the device that has confirmed. */
export interface Freight {
  readonly token: string
  readonly carry: Json
}

/** The routes of the device that was handed a link. */
export const linkApi = (id: string, secret: string) => {
  const path = `${pathOf(id)}/handoff-links`
  return {
    inspect: async (): Promise<Outcome<Offer>> =>
      mapped(await post(`${path}/inspect`, { secret }), ({ body }) => {
        const session = object(body.session)
        return {
          status: followedOf(body).status,
          test: session.mode === "dev",
          config: readConfig(object(session.instance_config))
        }
      }),
    /** The same again, of the same device, is answered alike. */
    claim: (receipt: string) => post(`${path}/claim`, { secret, receipt }),
    /** Refused when the code is the wrong one; there is no second try. */
    confirm: async (receipt: string, code: string): Promise<Outcome<Freight>> =>
      mapped(await post(`${path}/confirm`, { secret, receipt, code }), ({ body }) => ({
        token: text(body.sessionToken) ?? "",
        carry: object(body.carry)
      }))
  }
}

/** When a request may be tried again, in words: after this many seconds. */
export const waitOf = (failure: Failure): number | undefined =>
  failure.kind === "busy" ? number(failure.seconds) : undefined
