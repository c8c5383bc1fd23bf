import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { createInstance, createSession, send, text } from "../../support/client.ts"
import { databaseNow } from "../../support/database.ts"
import {
  cancel,
  claim,
  claimed,
  confirm,
  create,
  follow,
  inspect,
  type Made,
  make,
  newReceipt,
  otherThan,
  outlive,
  standing,
  statusAndBodyOf,
  stored
} from "../../support/kyc/handoffs.ts"
import { milliseconds, Partner, refusal, unknownId } from "../../support/kyc/partner.ts"
import { suite } from "../../support/suite.ts"

const notFound = refusal(404, "Session not found")
const finished = refusal(409, "Session is not updatable")
const expired = refusal(410, "Session expired")

const given = Effect.gen(function* () {
  const partner = yield* Partner
  const session = yield* partner.newSession()
  return { partner, session }
})

/** A session with a handoff that waits. */
const waiting = Effect.gen(function* () {
  const { partner, session } = yield* given
  return { partner, session, made: yield* make(partner, session), receipt: newReceipt() }
})

/** One that a device has claimed. */
const taken = Effect.gen(function* () {
  const { made, partner, receipt, session } = yield* waiting
  return { partner, session, made, receipt, code: yield* claimed(partner, made, receipt) }
})

const shown = (made: Made, status: string) => ({ id: made.id, status, expires_at: made.expiresAt })

suite(Partner.layer)("POST .../handoffs", (it) => {
  it.effect("201: a link for ten minutes, no longer than its session, with its secret in the fragment", () =>
    Effect.gen(function* () {
      const { partner, session } = yield* given
      const before = yield* databaseNow(partner.server.databaseUrl)
      const { body, headers, status } = yield* create(partner, session)
      const after = yield* databaseNow(partner.server.databaseUrl)
      expect({ status, body }).toStrictEqual({
        status: 201,
        body: {
          handoff: { id: expect.any(String), status: "waiting", expires_at: expect.any(String) },
          url: expect.stringMatching(
            new RegExp(`^http://doorlock\\.test/kyc/session/${session.id}#handoff=kyc_hand_[0-9A-Za-z]{49}$`)
          )
        }
      })
      const made = milliseconds(body, "handoff", "expires_at") - 600_000
      expect(made).toBeGreaterThanOrEqual(Math.floor(before))
      expect(made).toBeLessThanOrEqual(Math.ceil(after))
      expect(headers.get("cache-control")).toBe("no-store")
      const brief = yield* partner.newSession({ expiresInSeconds: 120 })
      const { expiresAt } = yield* make(partner, brief)
      expect(expiresAt).toBe(text((yield* partner.read(brief)).body, "session", "expires_at"))
    })
  )

  it.effect("201: a new one cancels the one before it, waiting or claimed", () =>
    Effect.gen(function* () {
      const { made, partner, session } = yield* waiting
      const second = yield* make(partner, session)
      expect(yield* standing(partner, made)).toStrictEqual({ status: "cancelled", device: null, code: null })
      expect(yield* statusAndBodyOf(claim(partner, made, newReceipt()))).toStrictEqual(
        refusal(410, "Handoff cancelled")
      )
      const receipt = newReceipt()
      const code = yield* claimed(partner, second, receipt)
      yield* make(partner, session)
      expect(yield* statusAndBodyOf(confirm(partner, second, receipt, code))).toStrictEqual(
        refusal(410, "Handoff cancelled")
      )
      expect(yield* stored(partner, second)).toStrictEqual({
        status: "cancelled",
        sealed: false,
        code: null,
        device: "iphone"
      })
    })
  )

  it.effect("400: carry is too large", () =>
    Effect.gen(function* () {
      const { partner, session } = yield* given
      const ofLength = (length: number) => ({ carry: { a: "x".repeat(length) } })
      expect(yield* statusAndBodyOf(create(partner, session, ofLength(65_529)))).toStrictEqual(
        refusal(400, "carry is too large")
      )
      expect((yield* create(partner, session, ofLength(65_528))).status).toBe(201)
    })
  )

  it.effect("403: handoffs are turned off for the instance", () =>
    Effect.gen(function* () {
      const { partner } = yield* given
      const config = { handoff: { enabled: false } }
      const off = yield* createInstance(partner.server, partner.member, { config })
      const session = yield* createSession(partner.server, partner.key.token, off.id)
      expect(yield* statusAndBodyOf(create(partner, session))).toStrictEqual(
        refusal(403, "Handoff is not enabled")
      )
    })
  )

  it.effect("409 finished, also once past its time; 410 expired", () =>
    Effect.gen(function* () {
      const { partner, session } = yield* given
      yield* partner.complete(session)
      expect(yield* statusAndBodyOf(create(partner, session))).toStrictEqual(finished)
      yield* partner.expire(session)
      expect(yield* statusAndBodyOf(create(partner, session))).toStrictEqual(finished)
      expect(yield* statusAndBodyOf(create(partner, yield* partner.expiredSession()))).toStrictEqual(expired)
    })
  )

  it.effect("429: the 21st; the 20th still works", () =>
    Effect.gen(function* () {
      const { partner, session } = yield* given
      for (let count = 0; count < 19; count++) yield* make(partner, session)
      const last = yield* make(partner, session)
      expect(yield* statusAndBodyOf(create(partner, session))).toStrictEqual(
        refusal(429, "Too many handoffs")
      )
      expect(yield* standing(partner, last)).toStrictEqual({ status: "waiting", device: null, code: null })
    })
  )
})

suite(Partner.layer)("GET .../handoffs/:id", (it) => {
  it.effect("200: waiting, then claimed with device and code, then confirmed", () =>
    Effect.gen(function* () {
      const { made, partner, receipt, session } = yield* waiting
      const followed = statusAndBodyOf(follow(partner, session, made.id))
      const body = (status: string, device: string | null, code: unknown) => ({
        status: 200,
        body: { handoff: { ...shown(made, status), device, code } }
      })
      expect(yield* followed).toStrictEqual(body("waiting", null, null))
      const code = yield* claimed(partner, made, receipt)
      expect(code).toMatch(/^[1-9]\d$/)
      expect(yield* followed).toStrictEqual(body("claimed", "iphone", code))
      yield* confirm(partner, made, receipt, code)
      expect(yield* followed).toStrictEqual(body("confirmed", "iphone", null))
      expect(yield* statusAndBodyOf(cancel(partner, session, made.id))).toStrictEqual(
        refusal(409, "Handoff is already confirmed")
      )
      // The first device still asks when the second has finished.
      yield* partner.complete(session)
      expect(yield* followed).toStrictEqual(body("confirmed", "iphone", null))
    })
  )

  it.effect("200: expired, without its code; 410 once its session has expired", () =>
    Effect.gen(function* () {
      const { made, partner, session } = yield* taken
      yield* outlive(partner, made)
      expect(yield* standing(partner, made)).toStrictEqual({
        status: "expired",
        device: "iphone",
        code: null
      })
      yield* partner.expire(session)
      expect(yield* statusAndBodyOf(follow(partner, session, made.id))).toStrictEqual(expired)
    })
  )
})

suite(Partner.layer)("POST .../handoffs/:id/cancel", (it) => {
  it.effect("200: waiting or claimed, and repeated; the link no longer works", () =>
    Effect.gen(function* () {
      for (const begun of [Effect.map(waiting, (all) => ({ ...all, code: "11" })), taken]) {
        const { code, made, partner, receipt, session } = yield* begun
        for (let time = 0; time < 2; time++) {
          expect(yield* statusAndBodyOf(cancel(partner, session, made.id))).toStrictEqual({
            status: 200,
            body: { ok: true }
          })
          expect(yield* standing(partner, made)).toMatchObject({ status: "cancelled", code: null })
        }
        for (const late of [claim(partner, made, receipt), confirm(partner, made, receipt, code)]) {
          expect(yield* statusAndBodyOf(late)).toStrictEqual(refusal(410, "Handoff cancelled"))
        }
      }
    })
  )
})

suite(Partner.layer)("POST .../handoff-links/inspect", (it) => {
  it.effect("200: what the page needs, no personal data, and nothing changes", () =>
    Effect.gen(function* () {
      const { partner } = yield* given
      const config = {
        v: 1,
        title: { en: "Check" },
        legal: { company: "Example Ltd", consentVersion: "3" },
        theme: { primary: "#006b3c" },
        dedup: { scope: "not to be told" }
      }
      const instance = yield* createInstance(partner.server, partner.member, { config })
      const session = yield* createSession(partner.server, partner.key.token, instance.id, {
        externalReference: "not to be told",
        metadata: { not: "to be told" },
        mode: "dev"
      })
      yield* partner.progress(session, { progress: { s_person: { givenName: "Ada" } } })
      const made = yield* make(partner, session)
      const { body } = yield* partner.read(session)
      for (let time = 0; time < 3; time++) {
        expect(yield* statusAndBodyOf(inspect(partner, made))).toStrictEqual({
          status: 200,
          body: {
            handoff: shown(made, "waiting"),
            session: {
              id: session.id,
              mode: "dev",
              expires_at: Object(body).session.expires_at,
              instance_config: {
                title: config.title,
                legal: { company: "Example Ltd" },
                theme: config.theme
              }
            }
          }
        })
      }
      expect(yield* standing(partner, made)).toStrictEqual({ status: "waiting", device: null, code: null })
      expect((yield* partner.read(session)).body).toStrictEqual(body)
    })
  )
})

suite(Partner.layer)("POST .../handoff-links/claim", (it) => {
  it.effect("200, also repeated by the device, with one code; 409 for a second, and for both after it", () =>
    Effect.gen(function* () {
      const { made, partner, receipt } = yield* waiting
      const good = { status: 200, body: { handoff: shown(made, "claimed") } }
      const taken = refusal(409, "Handoff is already claimed")
      const [first, second] = [
        statusAndBodyOf(claim(partner, made, receipt)),
        statusAndBodyOf(claim(partner, made, newReceipt()))
      ]
      expect(yield* first).toStrictEqual(good)
      const before = yield* standing(partner, made)
      for (let time = 0; time < 5; time++) {
        expect(yield* statusAndBodyOf(claim(partner, made, receipt, "curl/8"))).toStrictEqual(good)
      }
      expect(yield* standing(partner, made)).toStrictEqual(before)
      expect(yield* second).toStrictEqual(taken)
      yield* confirm(partner, made, receipt, String(before.code))
      for (const late of [first, second]) expect(yield* late).toStrictEqual(taken)
    })
  )

  it.effect("410: its ten minutes have passed, for a claim and a confirmation", () =>
    Effect.gen(function* () {
      const { code, made, partner, receipt } = yield* taken
      yield* outlive(partner, made)
      for (const late of [claim(partner, made, receipt), confirm(partner, made, receipt, code)]) {
        expect(yield* statusAndBodyOf(late)).toStrictEqual(refusal(410, "Handoff expired"))
      }
      expect((yield* stored(partner, made))?.status).toBe("claimed")
    })
  )
})

suite(Partner.layer)("POST .../handoff-links/confirm", (it) => {
  it.effect("200: the session's token and the transferred data, which no other response contains", () =>
    Effect.gen(function* () {
      const { partner, session } = yield* given
      const carry = { numbers: { doc: "K0307756" }, odd: { __proto__: null, "€": [1.5, null, true] } }
      const made = yield* make(partner, session, { carry })
      const receipt = newReceipt()
      const code = yield* claimed(partner, made, receipt)
      const { body, status } = yield* confirm(partner, made, receipt, code)
      expect({ status, body }).toStrictEqual({
        status: 200,
        body: {
          handoff: shown(made, "confirmed"),
          sessionToken: session.token,
          carry: JSON.parse(JSON.stringify(carry))
        }
      })
      expect((yield* partner.progress(session, { status: "running" })).status).toBe(200)
      expect(yield* statusAndBodyOf(confirm(partner, made, receipt, code))).toStrictEqual(
        refusal(409, "Handoff is already confirmed")
      )
    })
  )

  it.effect("403: a wrong code ends it at once, and the right one is then refused", () =>
    Effect.gen(function* () {
      const { code, made, partner, receipt } = yield* taken
      expect(yield* statusAndBodyOf(confirm(partner, made, receipt, otherThan(code)))).toStrictEqual(
        refusal(403, "Wrong code")
      )
      expect(yield* standing(partner, made)).toStrictEqual({
        status: "refused",
        device: "iphone",
        code: null
      })
      for (const late of [confirm(partner, made, receipt, code), claim(partner, made, receipt)]) {
        expect(yield* statusAndBodyOf(late)).toStrictEqual(refusal(410, "Handoff cancelled"))
      }
    })
  )

  it.effect("409: not claimed, or claimed by another device, without using up that device's try", () =>
    Effect.gen(function* () {
      const { made, partner, receipt } = yield* waiting
      const notClaimed = refusal(409, "Handoff is not claimed by this device")
      expect(yield* statusAndBodyOf(confirm(partner, made, receipt, "10"))).toStrictEqual(notClaimed)
      const code = yield* claimed(partner, made, receipt)
      const stranger = newReceipt()
      for (const guess of [code, otherThan(code)]) {
        expect(yield* statusAndBodyOf(confirm(partner, made, stranger, guess))).toStrictEqual(notClaimed)
      }
      expect((yield* confirm(partner, made, receipt, code)).status).toBe(200)
      expect(yield* statusAndBodyOf(confirm(partner, made, stranger, code))).toStrictEqual(notClaimed)
    })
  )
})

suite(Partner.layer)("the second device's routes", (it) => {
  const routes = ["inspect", "claim", "confirm"] as const
  const good = { receipt: newReceipt(), code: "10" }
  const ask = (route: string, path: string, json: object) =>
    Effect.flatMap(Partner, ({ server }) => send(server, "POST", `${path}/handoff-links/${route}`, { json }))

  it.effect("400: a receipt and a code have a form", () =>
    Effect.gen(function* () {
      const { made, session } = yield* waiting
      const json = { ...good, secret: made.secret }
      for (const receipt of ["x".repeat(31), "x".repeat(129), `${"x".repeat(40)} `]) {
        expect(yield* statusAndBodyOf(ask("claim", session.path, { ...json, receipt }))).toStrictEqual(
          refusal(400, "receipt must be 32 to 128 letters, digits, - or _")
        )
      }
      for (const code of [47, "477", "٤٧"]) {
        expect(yield* statusAndBodyOf(ask("confirm", session.path, { ...json, code }))).toStrictEqual(
          refusal(400, "code must be two digits")
        )
      }
    })
  )

  for (const route of routes) {
    it.effect(`${route}, 404: the same response for every invalid link`, () =>
      Effect.gen(function* () {
        const { made, partner, session } = yield* waiting
        const other = yield* partner.newSession()
        const others = yield* make(partner, other)
        const ways: ReadonlyArray<readonly [string, string]> = [
          [session.path, others.secret],
          [other.path, made.secret],
          [`/api/kyc/public/sessions/${unknownId}`, made.secret],
          [session.path, made.secret.slice(0, -1)],
          [session.path, session.token],
          [session.path, "nonsense"]
        ]
        for (const [path, secret] of ways) {
          expect(
            yield* statusAndBodyOf(ask(route, path, { ...good, secret })),
            `${path} ${secret}`
          ).toStrictEqual(notFound)
        }
        expect(yield* standing(partner, made)).toMatchObject({ status: "waiting" })
      })
    )

    it.effect(`${route}, 409: the session is finished; 410: it has expired`, () =>
      Effect.gen(function* () {
        const first = yield* waiting
        yield* first.partner.complete(first.session, { status: "cancelled" })
        const asked = ({ made, session }: typeof first) =>
          statusAndBodyOf(ask(route, session.path, { ...good, secret: made.secret }))
        expect(yield* asked(first)).toStrictEqual(finished)
        const second = yield* waiting
        yield* second.partner.expire(second.session)
        expect(yield* asked(second)).toStrictEqual(expired)
      })
    )
  }
})

suite(Partner.layer)("the first device's routes", (it) => {
  it.effect("404: a handoff of another session of the company", () =>
    Effect.gen(function* () {
      const { made, partner } = yield* waiting
      const other = yield* partner.newSession()
      for (const route of [follow, cancel]) {
        expect(yield* statusAndBodyOf(route(partner, other, made.id))).toStrictEqual(notFound)
      }
      expect(yield* standing(partner, made)).toMatchObject({ status: "waiting" })
    })
  )
})
