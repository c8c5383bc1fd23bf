import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { vi } from "vitest"
import { ChangePassword, Login } from "../../src/accounts/api.ts"
import { Passwords } from "../../src/accounts/passwords.ts"
import { type Answer, field, send, signUp, text } from "../support/client.ts"
import { execute } from "../support/postgres.ts"
import { startServer, TestServer } from "../support/server.ts"
import { anId } from "../support/shapes.ts"
import { suite } from "../support/suite.ts"

const password = "correct horse battery staple"

const newEmail = () => `user-${crypto.randomUUID()}@example.com`

const signup = (json: unknown) =>
  Effect.flatMap(TestServer, (server) => send(server, "POST", "/api/auth/signup", { json }))

const login = (json: unknown) =>
  Effect.flatMap(TestServer, (server) => send(server, "POST", "/api/auth/login", { json }))

const signedIn = (email: string, companyName: string) => ({
  ok: true,
  user: { id: anId, email, role: "owner" },
  company: { id: anId, name: companyName }
})

const sessionCookie =
  /^dashboard_session=dls_[0-9A-Za-z]{49}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/

const deviceCookie =
  /^dashboard_device=\d+\.[\w-]{11}\.[\w-]{43}; Max-Age=7776000; Path=\/api\/auth; HttpOnly; SameSite=Strict$/

/** All headers but those that are another with every answer. */
const steadyHeaders = ({ headers }: Answer) =>
  Object.fromEntries([...headers].filter(([name]) => name !== "x-request-id" && name !== "date"))

it.effect("a password costs 19 MiB and two passes, as OWASP advises", () =>
  Effect.gen(function* () {
    const { hash } = yield* Passwords
    expect(yield* hash(Redacted.make(password))).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22,}\$[\w+/]{43}$/
    )
  }).pipe(Effect.provide(Passwords.Default))
)

suite(TestServer.layer)("signing in", (it) => {
  describe("POST /api/auth/signup", () => {
    it.effect("201 {ok, user, company} and the session cookie", () =>
      Effect.gen(function* () {
        const email = newEmail()
        const answer = yield* signup({ companyName: "Acme", email, password })
        expect(answer.status).toBe(201)
        expect(answer.body).toStrictEqual(signedIn(email, "Acme"))
        expect(answer.headers.getSetCookie()).toStrictEqual([
          expect.stringMatching(sessionCookie),
          expect.stringMatching(deviceCookie)
        ])
      })
    )

    it.effect("400 naming the first field that is wrong; nothing is made", () =>
      Effect.gen(function* () {
        const anEmail = "email must be an email address"
        const short = "password must be at least 12 characters long"
        const marks = "companyName must not contain control characters or marks of text direction"
        const refused: ReadonlyArray<readonly [fields: object, error: string]> = [
          [{ companyName: undefined, email: "", password: "short" }, "companyName is required"],
          [{ companyName: "  " }, "companyName is required"],
          [{ companyName: "n".repeat(201) }, "companyName must be at most 200 characters"],
          [{ companyName: "\ud800" }, "companyName must not contain U+0000 or lone surrogates"],
          [{ companyName: "Acme\u202emoc" }, marks],
          ...[
            undefined,
            "a@",
            "a@b@example.com",
            "a@example.com\nbcc: b@example.com",
            `${"a".repeat(243)}@example.com`,
            "\ud800@example.com"
          ].map((email) => [{ email }, anEmail] as const),
          [{ password: 123456789012 }, short],
          [{ password: "12345678901" }, short],
          [{ password: "p".repeat(1025) }, "password must be at most 1024 characters long"],
          // It would be hashed like any other.
          [{ password: "\ud800aaaaaaaaaaaa" }, "password must not contain U+0000 or lone surrogates"]
        ]
        const email = newEmail()
        for (const [fields, error] of refused) {
          const answer = yield* signup({ companyName: "Acme", email, password, ...fields })
          expect([fields, answer.status, answer.body]).toStrictEqual([fields, 400, { error }])
          expect(answer.headers.getSetCookie()).toStrictEqual([])
        }
        expect((yield* login({ email, password })).status).toBe(401)
      })
    )

    it.effect("accepted: the shortest and longest password and name, in every script", () =>
      Effect.gen(function* () {
        for (const fields of [
          { password: "123456789012" },
          { password: "p".repeat(1024) },
          { password: "пароль пароль 🔑", companyName: "Müller & Søn 株式会社" },
          { companyName: `  ${"n".repeat(200)}  ` }
        ]) {
          const user = { companyName: "Acme", email: newEmail(), password, ...fields }
          for (const [answer, status] of [
            [yield* signup(user), 201],
            [yield* login(user), 200]
          ] as const) {
            expect(answer.status).toBe(status)
            expect(answer.body).toStrictEqual(signedIn(user.email, user.companyName.trim()))
          }
        }
      })
    )

    it.effect(
      "one address is one account, in any case and with spaces: 409 Email is already registered",
      () =>
        Effect.gen(function* () {
          const email = newEmail()
          const answer = yield* signup({ companyName: "Acme", email: `  ${email.toUpperCase()}\t`, password })
          expect(answer.status).toBe(201)
          expect(answer.body).toStrictEqual(signedIn(email, "Acme"))
          for (const again of [email, email.toUpperCase(), ` ${email}`]) {
            const refused = yield* signup({ companyName: "Other", email: again, password })
            expect([refused.status, refused.body]).toStrictEqual([
              409,
              { error: "Email is already registered" }
            ])
            expect(refused.headers.getSetCookie()).toStrictEqual([])
            const known = yield* login({ email: again, password })
            expect(known.status).toBe(200)
            expect(known.body).toStrictEqual(signedIn(email, "Acme"))
          }
        })
    )

    it.effect("10 concurrent sign-ups with one address: one 201, nine 409, one company", () =>
      Effect.gen(function* () {
        const { databaseUrl } = yield* TestServer
        const email = newEmail()
        const companyName = crypto.randomUUID()
        const answers = yield* Effect.all(
          Array.from({ length: 10 }, () => signup({ companyName, email, password })),
          { concurrency: "unbounded" }
        )
        const won = answers.filter(({ status }) => status === 201)
        expect(won.map(({ body }) => body)).toStrictEqual([signedIn(email, companyName)])
        for (const answer of answers.filter((one) => !won.includes(one))) {
          expect([answer.status, answer.body]).toStrictEqual([409, { error: "Email is already registered" }])
        }
        expect(
          yield* execute(databaseUrl, "select count(*)::int from companies where name = $1", [companyName])
        ).toStrictEqual([{ count: 1 }])
      })
    )

    it.effect("Passwords: argon2id; the session: only a hash", () =>
      Effect.gen(function* () {
        const { databaseUrl } = yield* TestServer
        const email = newEmail()
        const { headers } = yield* signup({ companyName: "Acme", email, password })
        const token = /dls_\w+/.exec(headers.get("set-cookie") ?? "")?.[0] ?? ""
        const [user] = yield* execute(databaseUrl, "select * from users where email = $1", [email])
        expect(user?.password_hash).toMatch(/^\$argon2id\$v=19\$m=\d+,t=\d+,p=1\$[\w+/]{22,}\$[\w+/]{43}$/)
        const sessions = yield* execute(databaseUrl, "select * from dashboard_sessions where user_id = $1", [
          user?.id
        ])
        expect(sessions.map(({ token_hash }) => token_hash)).toEqual([
          Buffer.from(new Bun.CryptoHasher("sha256").update(token).digest().buffer)
        ])
        expect(JSON.stringify([user, sessions])).not.toContain(token.slice(4))
      })
    )
  })

  describe("POST /api/auth/login", () => {
    it.effect("200 as after sign-up, with a cookie of its own", () =>
      Effect.gen(function* () {
        const email = newEmail()
        const first = yield* signup({ companyName: "Acme", email, password })
        const answer = yield* login({ email, password })
        expect(answer.status).toBe(200)
        expect(answer.body).toStrictEqual(first.body)
        expect(answer.headers.getSetCookie()).toStrictEqual([
          expect.stringMatching(sessionCookie),
          expect.stringMatching(deviceCookie)
        ])
        expect(answer.headers.get("set-cookie")).not.toBe(first.headers.get("set-cookie"))
      })
    )

    it.effect("ends the session of this browser, also another user's, and no other", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const member = yield* signUp(server)
        const stranger = yield* signUp(server)
        const again = (json: object, cookie: string) =>
          Effect.map(
            send(server, "POST", "/api/auth/login", { headers: { cookie }, json }),
            ({ headers, status }) => ({ status, cookie: headers.get("set-cookie")?.split(";", 1)[0] ?? "" })
          )
        const isLive = (cookie: string) =>
          Effect.map(
            send(server, "GET", "/api/auth/me", { headers: { cookie } }),
            ({ status }) => status === 200
          )
        const { email } = member
        const elsewhere = yield* again({ email, password }, "")

        expect((yield* again({ email, password: "wrong" }, member.cookie)).status).toBe(401)
        expect(yield* isLive(member.cookie)).toBe(true)
        const next = yield* again({ email, password }, member.cookie)
        expect(next.status).toBe(200)
        expect(yield* isLive(member.cookie)).toBe(false)
        expect([yield* isLive(next.cookie), yield* isLive(elsewhere.cookie)]).toStrictEqual([true, true])

        const strangersOther = yield* again({ email: stranger.email, password }, "")
        expect((yield* again({ email, password: "wrong" }, stranger.cookie)).status).toBe(401)
        expect(yield* isLive(stranger.cookie)).toBe(true)
        expect((yield* again({ email, password }, stranger.cookie)).status).toBe(200)
        expect([yield* isLive(stranger.cookie), yield* isLive(strangersOther.cookie)]).toStrictEqual([
          false,
          true
        ])
        const trail = yield* send(server, "GET", "/api/audit-events?action=user.signed_out", {
          headers: { cookie: strangersOther.cookie }
        })
        expect(field(trail.body, "events")).toMatchObject([
          { actor: { id: stranger.userId }, details: { session_id: anId } }
        ])
        const { body } = yield* send(server, "GET", "/api/audit-events?action=user.signed_in", {
          headers: { cookie: next.cookie }
        })
        const told = [0, 1, 2].map((i) => field(body, "events", i, "details"))
        expect(told).toStrictEqual([
          { session_id: anId },
          { session_id: anId, replaced: true },
          { session_id: anId }
        ])
      })
    )

    it.effect("A sign-up and the acceptance of an invitation end the session of this browser, too", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const owner = yield* signUp(server)
        const isLive = ({ cookie }: { readonly cookie: string }) =>
          Effect.map(
            send(server, "GET", "/api/auth/me", { headers: { cookie } }),
            ({ status }) => status === 200
          )
        const invited = yield* send(server, "POST", "/api/invitations", {
          headers: { cookie: owner.cookie },
          json: { email: newEmail(), role: "member" }
        })
        const token = text(invited.body, "url").split("#token=")[1]
        for (const [path, json] of [
          ["/api/auth/signup", { companyName: "Acme", email: newEmail(), password }],
          ["/api/auth/invitation/accept", { token, password }]
        ] as const) {
          const before = yield* signUp(server)
          const { cookie } = before
          const answer = yield* send(server, "POST", path, { headers: { cookie }, json })
          expect([path, answer.status, yield* isLive(before)]).toStrictEqual([path, 201, false])
        }
        expect(yield* isLive(owner)).toBe(true)
      })
    )

    it.effect("401 Invalid email or password: the same bytes and headers, whatever is wrong", () =>
      Effect.gen(function* () {
        const { email } = yield* signUp(yield* TestServer)
        const steady = (answer: Answer) => [answer.status, answer.text, steadyHeaders(answer)]
        const first = yield* login({ email, password: "incorrect horse battery staple" })
        expect([first.status, first.body]).toStrictEqual([401, { error: "Invalid email or password" }])
        expect(first.headers.getSetCookie()).toStrictEqual([])
        for (const given of [
          { password: password.toUpperCase() },
          { password: `${password} ` },
          { password: password.slice(0, -1) },
          { password: `${password}\u0000` },
          { password: "p".repeat(100_000) },
          { email: newEmail() },
          { email: "no address" },
          { email: `${"a".repeat(10_000)}@example.com` }
        ]) {
          const answer = yield* login({ email, password, ...given })
          expect([given, ...steady(answer)]).toStrictEqual([given, ...steady(first)])
        }
      })
    )
  })
})

describe("Sign-in (contract.md#sign-in)", () => {
  it.scopedLive("SIGNUP=closed: 403 Sign-up is closed, and nothing is created", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ SIGNUP: "closed" })
      const json = { companyName: "Acme", email: newEmail(), password }
      const answer = yield* send(server, "POST", "/api/auth/signup", { json })
      expect([answer.status, answer.body]).toStrictEqual([403, { error: "Sign-up is closed" }])
      expect(answer.headers.getSetCookie()).toStrictEqual([])
      expect(yield* execute(server.databaseUrl, "select from companies")).toStrictEqual([])
    })
  )

  it.scopedLive("Cookie: Secure when BASE_URL is https", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ BASE_URL: "https://doorlock.test" })
      const { cookie, email } = yield* signUp(server)
      const { headers } = yield* send(server, "POST", "/api/auth/login", { json: { email, password } })
      expect(headers.getSetCookie()).toStrictEqual([
        expect.stringMatching(
          /^dashboard_session=dls_[0-9A-Za-z]{49}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/
        ),
        expect.stringMatching(/^dashboard_device=[^;]+; .*; HttpOnly; Secure; SameSite=Strict$/)
      ])
      const ended = yield* send(server, "POST", "/api/auth/logout", { headers: { cookie } })
      expect(ended.headers.getSetCookie()).toStrictEqual([
        "dashboard_session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax"
      ])
    })
  )

  it.scopedLive("an unknown email takes as long as a wrong password: one hash of the same cost", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const { email } = yield* signUp(server)
      const verify = yield* Effect.acquireRelease(
        Effect.sync(() => vi.spyOn(Bun.password, "verify")),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
      /** The passwords that a sign-in hashes, each with the algorithm and the lengths and parameters of what it is compared to. */
      const hashed = (given: string, wrong = "incorrect horse battery staple") =>
        Effect.gen(function* () {
          verify.mockClear()
          const json = { email: given, password: wrong }
          expect((yield* send(server, "POST", "/api/auth/login", { json })).status).toBe(401)
          return verify.mock.calls.map(([hashedPassword, stored]) => [
            hashedPassword,
            String(stored).replaceAll(/(?<=\$)[A-Za-z0-9+/]{40,}/g, ({ length }) => `${length}`)
          ])
        })
      const known = yield* hashed(email)
      expect(known).toStrictEqual([
        [
          "incorrect horse battery staple",
          expect.stringMatching(/^\$argon2id\$v=19\$m=\d+,t=\d+,p=1\$43\$43$/)
        ]
      ])
      expect(yield* hashed(newEmail())).toStrictEqual(known)
      // What is longer than any password or email address is not kept, and is as wrong as anything else.
      const [[, stored] = []] = known
      const long = "x".repeat(500_000)
      expect(yield* hashed(email, long)).toStrictEqual([["too long", stored]])
      expect(yield* hashed(`${long}@example.com`)).toStrictEqual(known)
    })
  )

  it("a waiting sign-in holds at most 1,024 characters of each field", () => {
    const keptOf = (...fields: readonly [string, string]) => {
      const [email, given] = fields
      const login = Schema.decodeUnknownSync(Login)({ email, password: given, other: given })
      const change = Schema.decodeUnknownSync(ChangePassword)({
        currentPassword: given,
        newPassword: password
      })
      return [Object.values(login), change.currentPassword]
    }
    const right = "p".repeat(1_024)
    expect(keptOf("ada@example.com", right)).toStrictEqual([["ada@example.com", right], right])
    expect(keptOf(`${"a".repeat(1_024)}@example.com`, `${right}p`)).toStrictEqual([
      ["too long", "too long"],
      "too long"
    ])
  })
})
