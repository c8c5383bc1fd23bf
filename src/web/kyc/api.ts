/** The public API for the page: the routes of a session. Each response is parsed into a value. */
import { type Json, object, oneOf, text } from "../json.ts"
import { type PageConfig, readConfig } from "./instances/config.ts"
import { ask, mapped, type Outcome, post, uploadTimeoutMillis } from "./request.ts"

/** A file that the server has accepted. */
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

/** A hand-off that this device has created. */
export interface Made {
  readonly id: string
  /** The link for the other device. */
  readonly url: string
}

/** The state of a hand-off, for the device that created it. */
export interface Followed {
  readonly status: (typeof handoffStatuses)[number]
  readonly device: (typeof devices)[number]
  /** The code to enter on the other device; empty until that device has claimed the hand-off. */
  readonly code: string
}

const followedOf = (body: Json): Followed => {
  const handoff = object(body.handoff)
  return {
    // Treats a status that this page does not know as cancelled.
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
    /** Merges the progress into the stored progress by key, and sets the session running. */
    save: (progress: Json) => post(`${path}/progress`, { token, progress, status: "running" }),
    /** For a finished session, changes nothing and returns how it ended. */
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
    /** Creates a hand-off. Only the other device can read `carry`. */
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

/** What the holder of a link may know before the session moves to this device. */
export interface Offer extends Pick<Followed, "status"> {
  readonly test: boolean
  readonly config: PageConfig
}

/** What the device receives after it has confirmed. */
export interface Freight {
  readonly token: string
  readonly carry: Json
}

/** The routes for the device that opened a link. */
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
    /** A repeated claim by the same device gets the same response. */
    claim: (receipt: string) => post(`${path}/claim`, { secret, receipt }),
    /** A wrong code is refused and ends the hand-off. */
    confirm: async (receipt: string, code: string): Promise<Outcome<Freight>> =>
      mapped(await post(`${path}/confirm`, { secret, receipt, code }), ({ body }) => ({
        token: text(body.sessionToken) ?? "",
        carry: object(body.carry)
      }))
  }
}
