/** A device that has signed in before can still sign in, whatever strangers try. */
import { expect } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { vi } from "vitest"
import { FairQueue } from "../../src/limits/fair-queue.ts"
import { type Answer, type Member, send, signUp, text } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { type BehindProxy, behindProxy, ProxiedServer } from "../support/http/behind-proxy.ts"
import { type RunningServer, sharedServer } from "../support/server.ts"
import { heldHashes, spied } from "../support/spies.ts"
import { suite } from "../support/suite.ts"

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

const signIn = (server: RunningServer, { email, password }: Member, cookie?: string) =>
  login(server, { email, password, from: "192.0.2.1", ...(cookie === undefined ? {} : { cookie }) })

/** The device cookie of a response, with its attributes. */
const given = ({ headers }: Answer) =>
  headers.getSetCookie().find((cookie) => cookie.startsWith("dashboard_device=")) ?? ""

/** The same cookie, as a browser returns it. */
const deviceOf = (answer: Answer) => given(answer).split(";", 1)[0] ?? ""

/**
 * Strangers' guesses, each from another network, beyond the account's 360. Most of them reach other processes of the service, which
 * report them to this one.
 */
const besiege = (server: BehindProxy, email: string) =>
  Effect.gen(function* () {
    const guesses = (count: number) =>
      Effect.forEach(
        Array.from({ length: count }, (_, i) => `2001:${i}::1`),
        (from) => Effect.map(login(server, { email, from }), ({ status }) => status),
        { concurrency: 20 }
      )
    expect(yield* guesses(1)).toStrictEqual([401])
    yield* server.takenElsewhere("password, account", 360 - 1 - 10)
    const statuses = yield* guesses(20)
    expect(statuses.toSorted()).toStrictEqual([...Array(10).fill(401), ...Array(10).fill(429)])
  })

suite(ProxiedServer.layer)("a device that has signed in", (it) => {
  it.scoped(
    "gets a cookie that scripts cannot read and that is sent only to routes that check a password",
    () =>
      Effect.gen(function* () {
        const server = yield* sharedServer
        const owner = yield* signUp(server)
        const invited = yield* send(server, "POST", "/api/invitations", {
          headers: { cookie: owner.cookie },
          json: { email: `grace-${crypto.randomUUID()}@example.com`, role: "member" }
        })
        const cookie =
          /^dashboard_device=\d+\.[\w-]{11}\.[\w-]{43}; Max-Age=7776000; Path=\/api\/auth; HttpOnly; SameSite=Strict$/
        for (const answer of [
          yield* send(server, "POST", "/api/auth/signup", {
            json: {
              companyName: "Acme",
              email: `ada-${crypto.randomUUID()}@example.com`,
              password: owner.password
            }
          }),
          yield* signIn(server, owner),
          yield* send(server, "POST", "/api/auth/invitation/accept", {
            json: { token: text(invited.body, "url").split("#token=")[1], password: owner.password }
          }),
          yield* send(server, "POST", "/api/auth/password", {
            headers: { cookie: owner.cookie },
            json: { currentPassword: owner.password, newPassword: "a better battery staple" }
          })
        ]) {
          expect(given(answer)).toMatch(cookie)
        }
        // A failed sign-in gets no device cookie.
        expect((yield* login(server, { email: owner.email })).headers.getSetCookie()).toStrictEqual([])
      })
  )

  it.scoped(
    "gets in while strangers everywhere guess; a new device is delayed, but gets in too",
    () =>
      Effect.gen(function* () {
        const server = yield* behindProxy
        const owner = yield* signUp(server)
        const { email, password } = owner
        const device = deviceOf(yield* signIn(server, owner))
        const others = deviceOf(yield* signIn(server, yield* signUp(server)))
        yield* besiege(server, email)

        const from = "192.0.2.1"
        expect((yield* login(server, { email, password, from, cookie: device })).status).toBe(200)
        for (const cookie of [others, `${device}x`, "dashboard_device=", "dashboard_device=1.a"]) {
          const refused = yield* login(server, { email, password, from, cookie })
          expect(summary(refused)).toStrictEqual(throttled)
          expect(refused.headers.getSetCookie()).toStrictEqual([])
        }
        const slowed = yield* login(server, { email, password, from })
        expect(summary(slowed)).toStrictEqual(throttled)
        yield* server.pass(Number(slowed.headers.get("retry-after")) * 1_000)
        expect((yield* login(server, { email, password, from })).status).toBe(200)
      }),
    120_000
  )

  it.scoped(
    "does not wait for another account that signs in with its right password from 250 networks",
    () =>
      Effect.gen(function* () {
        const server = yield* behindProxy
        const [owner, other] = [yield* signUp(server), yield* signUp(server)]
        const device = deviceOf(yield* signIn(server, owner))
        const others = deviceOf(yield* signIn(server, other))
        const { hashes, release } = yield* heldHashes
        const entered = yield* spied(() => vi.spyOn(FairQueue.prototype, "enter"))
        // Each sign-in waits for its query, then for its hash.
        const allWait = (signIns: number) =>
          eventually(`${signIns} wait for their hash`, () => entered.mock.calls.length === 2 * signIns)

        const flood = yield* Effect.fork(
          Effect.forEach(
            Array.from({ length: 250 }, (_, i) => `198.51.${i}.1`),
            (from) => login(server, { email: other.email, password: other.password, from, cookie: others }),
            { concurrency: "unbounded" }
          )
        )
        yield* allWait(250)
        const signsIn = yield* Effect.fork(signIn(server, owner, device))
        yield* allWait(251)
        release()
        expect((yield* Fiber.join(signsIn)).status).toBe(200)
        for (const { status } of yield* Fiber.join(flood)) expect(status).toBe(200)
        const [first] = hashes.mock.calls
        const turn = hashes.mock.calls.findIndex(([, hash]) => hash !== first?.[1])
        expect(turn).toBeLessThanOrEqual(10)
      }),
    120_000
  )
})
