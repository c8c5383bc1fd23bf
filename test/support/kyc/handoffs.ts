/** Helpers for handoffs: the routes by name, and the steps of a complete handoff. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, send, type TestSession, text } from "../client.ts"
import { execute } from "../postgres.ts"
import type { RunningServer } from "../server.ts"
import { statusAndBody } from "./partner.ts"

interface On {
  readonly server: RunningServer
}

type Fields = Readonly<Record<string, unknown>>

export const iphone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"

/** A receipt that identifies a device; a new one on each call. */
export const newReceipt = () => crypto.randomUUID().replaceAll("-", "")

export const create = ({ server }: On, { path, token }: TestSession, fields: Fields = {}) =>
  send(server, "POST", `${path}/handoffs`, { json: { token, ...fields } })

export const follow = ({ server }: On, { path, token }: TestSession, id: string) =>
  send(server, "GET", `${path}/handoffs/${id}?token=${token}`)

export const cancel = ({ server }: On, { path, token }: TestSession, id: string) =>
  send(server, "POST", `${path}/handoffs/${id}/cancel`, { json: { token } })

/** A handoff as seen by its first device. */
export interface Made {
  readonly id: string
  readonly session: TestSession
  readonly secret: string
  readonly url: string
  readonly expiresAt: string
}

export const inspect = ({ server }: On, { secret, session }: Made) =>
  send(server, "POST", `${session.path}/handoff-links/inspect`, { json: { secret } })

export const claim = ({ server }: On, { secret, session }: Made, receipt: string, userAgent = iphone) =>
  send(server, "POST", `${session.path}/handoff-links/claim`, {
    headers: { "user-agent": userAgent },
    json: { secret, receipt }
  })

export const confirm = ({ server }: On, { secret, session }: Made, receipt: string, code: string) =>
  send(server, "POST", `${session.path}/handoff-links/confirm`, { json: { secret, receipt, code } })

const need =
  (status: number) =>
  <E, R>(asked: Effect.Effect<Answer, E, R>) =>
    Effect.map(asked, (answer) => {
      expect({ status: answer.status, text: answer.text }).toStrictEqual({ status, text: answer.text })
      return answer.body
    })

export const make = (on: On, session: TestSession, fields: Fields = {}): Effect.Effect<Made> =>
  Effect.map(need(201)(create(on, session, fields)), (body) => {
    const url = text(body, "url")
    return {
      session,
      url,
      id: text(body, "handoff", "id"),
      expiresAt: text(body, "handoff", "expires_at"),
      secret: url.slice(url.indexOf("#handoff=") + "#handoff=".length)
    }
  })

/** Claims the handoff and returns the code that the first device then shows. */
export const claimed = (on: On, made: Made, receipt: string) =>
  Effect.gen(function* () {
    yield* need(200)(claim(on, made, receipt))
    return text(yield* need(200)(follow(on, made.session, made.id)), "handoff", "code")
  })

/** A wrong code. */
export const otherThan = (code: string) => (code === "99" ? "98" : String(Number(code) + 1))

/**
 * The handoff's state for the first device: its status, plus its code and device while the API returns them.
 */
export const standing = (on: On, { id, session }: Made) =>
  Effect.map(need(200)(follow(on, session, id)), (body) => {
    const { code, device, status } = Object(body).handoff
    return { status, device, code }
  })

/** Moves the expiry into the past, on the database's clock. */
export const outlive = ({ server }: On, { id }: Made) =>
  Effect.orDie(
    execute(
      server.databaseUrl,
      "update kyc_handoffs set expires_at = now() - interval '1 second' where id = $1",
      [id]
    )
  )

/** The stored row. */
export const stored = ({ server }: On, { id }: Made) =>
  Effect.map(
    Effect.orDie(
      execute(
        server.databaseUrl,
        "select status, sealed is not null as sealed, code, device from kyc_handoffs where id = $1",
        [id]
      )
    ),
    ([found]) => found
  )

export const statusAndBodyOf = <E, R>(asked: Effect.Effect<Answer, E, R>) => Effect.map(asked, statusAndBody)
