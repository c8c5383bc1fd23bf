/** A device that has signed in before keeps a way in, whatever strangers try. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Answer, type Member, send, signUp, text } from "../support/client.ts"
import { movedClock } from "../support/moved-clock.ts"
import { type RunningServer, startServer, startServerOn } from "../support/server.ts"

const wrong = "incorrect horse battery staple"

const throttled = [429, { error: "Too many requests" }]
const summary = ({ body, status }: Answer) => [status, body]

interface Try {
  readonly email: string
  readonly password?: string
  readonly from?: string
  readonly cookie?: string
}

const login = (server: RunningServer, { cookie, email, from, password = wrong }: Try) =>
  send(server, "POST", "/api/auth/login", {
    headers: {
      ...(from === undefined ? {} : { "x-forwarded-for": from }),
      ...(cookie === undefined ? {} : { cookie })
    },
    json: { email, password }
  })

/** The device's cookie of an answer, as a browser sends it back. */
const deviceOf = ({ headers }: Answer) =>
  headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith("dashboard_device="))
    ?.split(";", 1)[0] ?? ""

const signIn = (server: RunningServer, { email, password }: Member, cookie?: string) =>
  login(server, { email, password, from: "192.0.2.1", ...(cookie === undefined ? {} : { cookie }) })

/** Guesses of strangers on as many networks, until none is looked at. */
const besiege = (server: RunningServer, email: string, from: (i: number) => string | undefined) =>
  Effect.forEach(
    Array.from({ length: 90 }),
    (_, i) => {
      const address = from(i)
      return login(server, { email, ...(address === undefined ? {} : { from: address }) })
    },
    { concurrency: 20 }
  )

const behindProxy = { TRUSTED_PROXIES: "127.0.0.1" }
const ofAnotherNetwork = (i: number) => `2001:db8:${i}::1`

describe("a device that has signed in", () => {
  it.scopedLive(
    "is given a cookie that scripts do not see, and that is sent where passwords are tried only",
    () =>
      Effect.gen(function* () {
        for (const [baseUrl, secure] of [
          ["http://doorlock.test", ""],
          ["https://doorlock.test", " Secure;"]
        ] as const) {
          const server = yield* startServer({ BASE_URL: baseUrl })
          const member = yield* signUp(server)
          const cookie = new RegExp(
            `^dashboard_device=[0-9A-Za-z]{22}\\.[\\w-]{43}; Max-Age=34560000; Path=/api/auth; HttpOnly;${secure} SameSite=Strict$`
          )
          const first = yield* signIn(server, member)
          const [, device] = first.headers.getSetCookie()
          expect(device).toMatch(cookie)
          // It stays the one it is, and so gains no second budget.
          expect(deviceOf(yield* signIn(server, member, deviceOf(first)))).toBe(deviceOf(first))
          expect(deviceOf(yield* signIn(server, member))).not.toBe(deviceOf(first))
          // Who does not get in is given none.
          expect((yield* login(server, { email: member.email })).headers.getSetCookie()).toStrictEqual([])
        }
      })
  )

  it.scopedLive(
    "gets in while strangers everywhere guess; a new one is slowed, and gets in as well",
    () =>
      Effect.gen(function* () {
        const { clock, pass } = yield* movedClock
        const server = yield* Effect.withClock(startServer(behindProxy), clock)
        const member = yield* signUp(server)
        const stranger = yield* signUp(server)
        const { email, password } = member
        const device = deviceOf(yield* signIn(server, member))
        const others = deviceOf(yield* signIn(server, stranger))

        const answers = yield* besiege(server, email, ofAnotherNetwork)
        expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
        const from = "192.0.2.1"
        expect((yield* login(server, { email, password, from, cookie: device })).status).toBe(200)
        // Nothing else proves it: another account's cookie, a changed one, none.
        const made = device.replace(/.$/, (last) => (last === "A" ? "Q" : "A"))
        for (const cookie of [others, made, `${device}x`, "dashboard_device=", "dashboard_device=a.b"]) {
          const refused = yield* login(server, { email, password, from, cookie })
          expect(summary(refused)).toStrictEqual(throttled)
          expect(refused.headers.getSetCookie()).toStrictEqual([])
        }
        const slowed = yield* login(server, { email, password, from })
        expect(summary(slowed)).toStrictEqual(throttled)
        pass(Number(slowed.headers.get("retry-after")))
        expect((yield* login(server, { email, password, from })).status).toBe(200)
      }),
    120_000
  )

  it.scopedLive(
    "has a budget of its own: 10 wrong passwords, then one in 12 s",
    () =>
      Effect.gen(function* () {
        const { clock, pass } = yield* movedClock
        const server = yield* Effect.withClock(startServer(behindProxy), clock)
        const member = yield* signUp(server)
        const cookie = deviceOf(yield* signIn(server, member))
        const { email, password } = member
        const statuses = yield* Effect.forEach(Array.from({ length: 10 }), () =>
          Effect.map(login(server, { email, cookie }), ({ status }) => status)
        )
        expect(new Set(statuses)).toStrictEqual(new Set([401]))
        const refused = yield* Effect.forEach(Array.from({ length: 3 }), () =>
          Effect.map(login(server, { email, password, cookie }), ({ status }) => status)
        )
        expect(refused).toContain(429)
        pass(12)
        expect((yield* login(server, { email, password, cookie })).status).toBe(200)
        // And others have theirs.
        expect((yield* login(server, { email, password, from: "192.0.2.9" })).status).toBe(200)
      }),
    60_000
  )

  it.scopedLive(
    "gets in where a proxy that nobody has told us of makes all clients loopback; ten guesses stop nobody",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer()
        const member = yield* signUp(server)
        const { email, password } = member
        const device = deviceOf(yield* signIn(server, member))
        for (let i = 0; i < 10; i++) yield* login(server, { email, from: `203.0.113.${i}` })
        expect((yield* login(server, { email, password })).status).toBe(200)
        yield* besiege(server, email, (i) => `203.0.113.${i}`)
        expect((yield* login(server, { email, password, cookie: device })).status).toBe(200)
      }),
    120_000
  )

  it.scopedLive(
    "is known under SECRET_KEY_PREVIOUS, and no longer without it",
    () =>
      Effect.gen(function* () {
        const first = yield* startServer(behindProxy)
        const member = yield* signUp(first)
        const { email, password } = member
        const cookie = deviceOf(yield* signIn(first, member))
        const previous = "a secret key for tests, 32 bytes at least"
        const next = { ...behindProxy, SECRET_KEY: "another secret key for tests, of 32 bytes" }
        for (const [environment, known] of [
          [{ ...next, SECRET_KEY_PREVIOUS: previous }, true],
          [next, false]
        ] as const) {
          const server = yield* startServerOn(first.databaseUrl, environment)
          const answer = yield* login(server, { email, password, from: "192.0.2.1", cookie })
          expect(deviceOf(answer).slice(0, 39) === cookie.slice(0, 39)).toBe(known)
        }
      }),
    60_000
  )

  it.scopedLive(
    "goes on changing its password while strangers guess",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer(behindProxy)
        const { cookie, email, password } = yield* signUp(server)
        yield* besiege(server, email, ofAnotherNetwork)
        const changed = yield* send(server, "POST", "/api/auth/password", {
          headers: { cookie },
          json: { currentPassword: password, newPassword: "a better battery staple" }
        })
        expect(summary(changed)).toStrictEqual([200, { ok: true }])
      }),
    120_000
  )

  it.scopedLive(
    "is not the only one: whoever accepts an invitation has one from then on",
    () =>
      Effect.gen(function* () {
        const server = yield* startServer()
        const owner = yield* signUp(server)
        const invited = yield* send(server, "POST", "/api/invitations", {
          headers: { cookie: owner.cookie },
          json: { email: "grace@example.com", role: "member" }
        })
        const joined = yield* send(server, "POST", "/api/auth/invitation/accept", {
          json: {
            token: text(invited.body, "url").split("#token=")[1],
            password: "correct horse battery staple"
          }
        })
        expect(deviceOf(joined)).toMatch(/^dashboard_device=./)
      }),
    60_000
  )
})
