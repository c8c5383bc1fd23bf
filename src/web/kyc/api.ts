/** The public API as the page calls it: the routes of a session, each answer read into a value. */
import { type Json, object, oneOf, text } from "../json.ts"
import { type PageConfig, readConfig } from "./instances/config.ts"
import { ask, mapped, type Outcome, post, uploadTimeoutMillis } from "./request.ts"

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
