/** The routes that the page calls. */
import { type Json, object, oneOf, text } from "../json.ts"
import { kycTimes } from "../timing.ts"
import { readConfig } from "./instances/config.ts"
import { ask, post } from "./request.ts"

const nothing = () => undefined

const storedFile = ({ file }: Json) => {
  const { id, sha256 } = object(file)
  return { id: text(id) ?? "", sha256: text(sha256) ?? "" }
}
export type StoredFile = ReturnType<typeof storedFile>

export type Status = "completed" | "failed" | "cancelled"

const endingOf = ({ redirectUrl, session }: Json) => ({
  status: oneOf<Status>(object(session).status, ["completed", "failed"]) ?? "cancelled",
  redirectUrl: text(redirectUrl) ?? ""
})
export type Ending = ReturnType<typeof endingOf>

/** What the server has read in a photo, by the contract's names. */
const readingOf = ({ reading }: Json) => {
  const { fields, status } = object(reading)
  return { done: status === "done", fields: object(fields) }
}

const handoffStatuses = ["waiting", "claimed", "confirmed", "refused", "cancelled", "expired"] as const
const devices = ["iphone", "ipad", "android_phone", "android_tablet", "computer", "unknown"] as const

/** A new handoff, with the link for the other device. */
const madeOf = ({ handoff, url }: Json) => ({ id: text(object(handoff).id) ?? "", url: text(url) ?? "" })
export type Made = ReturnType<typeof madeOf>

/** The state of a handoff, for the device that created it. */
const followedOf = (body: Json) => {
  const handoff = object(body.handoff)
  return {
    status: oneOf(handoff.status, handoffStatuses) ?? "cancelled",
    device: oneOf(handoff.device, devices) ?? "unknown",
    /** To enter on the other device; empty until that device has claimed the handoff. */
    code: text(handoff.code) ?? ""
  }
}
export type Followed = ReturnType<typeof followedOf>

const pathOf = (id: string) => `/api/kyc/public/sessions/${encodeURIComponent(id)}`

export const sessionApi = (id: string, token: string) => {
  const path = pathOf(id)
  const query = new URLSearchParams({ token })
  return {
    read: () => ask(`${path}?${query}`, ({ session }, ahead) => ({ session: object(session), ahead })),
    /** Merges the progress into the stored progress by key, and sets the session running. */
    save: (progress: Json, init: Pick<RequestInit, "keepalive"> = {}) =>
      post(`${path}/progress`, { token, progress, status: "running" }, nothing, init),
    /** Of a finished session, returns how it ended and changes nothing. */
    finish: (status: Status, result: Json, browserMark?: string) =>
      post(`${path}/complete`, { token, status, result, browserMark }, endingOf),
    /** Of a finished session, what the end user may keep: a signed text. */
    receipt: () => post(`${path}/receipt`, { token }, ({ receipt }) => text(receipt) ?? ""),
    matches: (keyHash: string) =>
      post(`${path}/dedup-check`, { token, keyHash }, ({ matchFound }) => matchFound === true),
    challenge: (siteKey: string) =>
      ask(
        `/api/kyc/captcha/challenge?${new URLSearchParams({ siteKey, sessionId: id })}`,
        ({ challenge }) => challenge
      ),
    redeem: (challenge: unknown, solution: unknown) =>
      post("/api/kyc/captcha/redeem", { challenge, solution }, (body) => text(body.token) ?? ""),
    verify: (captchaToken: string, siteKey: string) =>
      post(`${path}/captcha/verify`, { token, captchaToken, siteKey }, ({ success }) => success === true),
    upload: (file: Blob) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": file.type }
      return ask(`${path}/files`, storedFile, { method: "POST", headers, body: file }, kycTimes.upload)
    },
    /** Asks the server to read a photo of a document. */
    startReading: (fileId: string) => post(`${path}/files/${fileId}/reading`, { token }, readingOf),
    reading: (fileId: string) => ask(`${path}/files/${fileId}/reading?${query}`, readingOf),
    /** Creates a handoff. Only the other device can read `carry`. */
    handOff: (carry: Json) => post(`${path}/handoffs`, { token, carry }, madeOf),
    handoff: (handoffId: string) => ask(`${path}/handoffs/${handoffId}?${query}`, followedOf),
    cancelHandoff: (handoffId: string) => post(`${path}/handoffs/${handoffId}/cancel`, { token }, nothing)
  }
}
export type SessionApi = ReturnType<typeof sessionApi>

/** What the holder of a link may know before the session moves to this device. */
const offerOf = (body: Json) => {
  const { instance_config, mode } = object(body.session)
  return {
    status: followedOf(body).status,
    test: mode === "dev",
    config: readConfig(object(instance_config))
  }
}
export type Offer = ReturnType<typeof offerOf>

/** The routes for the device that opened a link. */
export const linkApi = (id: string, secret: string) => {
  const path = `${pathOf(id)}/handoff-links`
  return {
    inspect: () => post(`${path}/inspect`, { secret }, offerOf),
    /** A repeated claim by the same device gets the same response. */
    claim: (receipt: string) => post(`${path}/claim`, { secret, receipt }, nothing),
    /** A wrong code is refused and ends the handoff. */
    confirm: (receipt: string, code: string) =>
      post(`${path}/confirm`, { secret, receipt, code }, ({ carry, sessionToken }) => ({
        token: text(sessionToken) ?? "",
        carry: object(carry)
      }))
  }
}
