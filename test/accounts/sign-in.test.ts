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

    it.effect("the new user is signed in as the owner of the new company", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const { companyId, cookie, email, userId } = yield* signUp(server)
        const answer = yield* send(server, "GET", "/api/auth/me", { headers: { cookie } })
        expect([answer.status, answer.body]).toStrictEqual([
          200,
          { user: { id: userId, email, role: "owner" }, company: { id: companyId, name: "Acme" } }
        ])
      })
    )

    const rows: ReadonlyArray<readonly [string, object, string]> = [
      ["companyName missing", { companyName: undefined }, "companyName is required"],
      ["companyName null", { companyName: null }, "companyName is required"],
      ["companyName a number", { companyName: 1 }, "companyName is required"],
      ["companyName only spaces", { companyName: "  " }, "companyName is required"],
      [
        "companyName over 200",
        { companyName: "n".repeat(201) },
        "companyName must be at most 200 characters"
      ],
      [
        "companyName with U+0000",
        { companyName: "a\u0000" },
        "companyName must not contain U+0000 or lone surrogates"
      ],
      [
        "companyName with a lone surrogate",
        { companyName: "\ud800" },
        "companyName must not contain U+0000 or lone surrogates"
      ],
      ...[
        ["a right-to-left override", "Acme\u202emoc"],
        ["an isolate", "Acme\u2066 Ltd"],
        ["a line break", "Acme\nLtd"],
        ["a line separator", "Acme\u2028Ltd"],
        ["an escape", "\u001b[31mAcme"]
      ].map(
        ([what = "", companyName]) =>
          [
            `companyName with ${what}`,
            { companyName },
            "companyName must not contain control characters or marks of text direction"
          ] as const
      ),
      ["email missing", { email: undefined }, "email must be an email address"],
      ["email null", { email: null }, "email must be an email address"],
      ["email an array", { email: ["a@example.com"] }, "email must be an email address"],
      ["email empty", { email: "" }, "email must be an email address"],
      ["email without @", { email: "example.com" }, "email must be an email address"],
      ["email without a name", { email: "@example.com" }, "email must be an email address"],
      ["email without a domain", { email: "a@" }, "email must be an email address"],
      ["email with two @", { email: "a@b@example.com" }, "email must be an email address"],
      ["email with a space", { email: "a b@example.com" }, "email must be an email address"],
      [
        "email with a line break",
        { email: "a@example.com\nbcc: b@example.com" },
        "email must be an email address"
      ],
      ["email over 254", { email: `${"a".repeat(243)}@example.com` }, "email must be an email address"],
      ["email with U+0000", { email: "a\u0000@example.com" }, "email must be an email address"],
      [
        "password with a lone surrogate, which would be hashed like any other",
        { password: "\ud800aaaaaaaaaaaa" },
        "password must not contain U+0000 or lone surrogates"
      ],
      ["email with a lone surrogate", { email: "\ud800@example.com" }, "email must be an email address"],
      ["password missing", { password: undefined }, "password must be at least 12 characters long"],
      ["password null", { password: null }, "password must be at least 12 characters long"],
      ["password a number", { password: 123456789012 }, "password must be at least 12 characters long"],
      [
        "password of 11 characters",
        { password: "12345678901" },
        "password must be at least 12 characters long"
      ],
      ["password over 1024", { password: "p".repeat(1025) }, "password must be at most 1024 characters long"]
    ]
    for (const [what, fields, error] of rows) {
      it.effect(`${what}: 400 ${error}`, () =>
        Effect.gen(function* () {
          const email = newEmail()
          const answer = yield* signup({ companyName: "Acme", email, password, ...fields })
          expect([answer.status, answer.body]).toStrictEqual([400, { error }])
          expect(answer.headers.getSetCookie()).toStrictEqual([])
          // Nothing was half-written.
          expect((yield* login({ email, password })).status).toBe(401)
        })
      )
    }

    it.effect("several invalid fields: the first is named", () =>
      Effect.gen(function* () {
        const answer = yield* signup({ password: "short" })
        expect([answer.status, answer.body]).toStrictEqual([400, { error: "companyName is required" }])
      })
    )

    for (const fields of [
      { password: "123456789012" },
      { password: "p".repeat(1024) },
      { password: "пароль пароль 🔑" },
      { companyName: `  ${"n".repeat(200)}  ` },
      { companyName: "Müller & Søn 株式会社" }
    ]) {
      it.effect(`accepted: ${JSON.stringify(fields).slice(0, 50)}`, () =>
        Effect.gen(function* () {
          const user = { companyName: "Acme", email: newEmail(), password, ...fields }
          const company = user.companyName.trim()
          for (const [answer, status] of [
            [yield* signup(user), 201],
            [yield* login(user), 200]
          ] as const) {
            expect(answer.status).toBe(status)
            expect(answer.body).toStrictEqual(signedIn(user.email, company))
          }
        })
      )
    }

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

    const rows: ReadonlyArray<readonly [string, object, string]> = [
      ["email missing", { email: undefined }, "email is required"],
      ["email null", { email: null }, "email is required"],
      ["email empty", { email: "" }, "email is required"],
      ["email a number", { email: 1 }, "email is required"],
      [
        "email with U+0000",
        { email: "a\u0000@example.com" },
        "email must not contain U+0000 or lone surrogates"
      ],
      [
        "email with a lone surrogate",
        { email: "\ud800@example.com" },
        "email must not contain U+0000 or lone surrogates"
      ],
      ["password missing", { password: undefined }, "password is required"],
      ["password null", { password: null }, "password is required"],
      ["password empty", { password: "" }, "password is required"],
      ["password an object", { password: {} }, "password is required"]
    ]
    for (const [what, fields, error] of rows) {
      it.effect(`${what}: 400 ${error}`, () =>
        Effect.gen(function* () {
          const answer = yield* login({ email: newEmail(), password, ...fields })
          expect([answer.status, answer.body]).toStrictEqual([400, { error }])
        })
      )
    }

    const wrong: ReadonlyArray<readonly [string, string]> = [
      ["another", "incorrect horse battery staple"],
      ["in another letter case", password.toUpperCase()],
      ["with a space", `${password} `],
      ["cut short", password.slice(0, -1)],
      ["with U+0000 behind it", `${password}\u0000`],
      ["of one character", "p"],
      ["of 100,000 characters", "p".repeat(100_000)]
    ]
    for (const [what, given] of wrong) {
      it.effect(`a wrong password, ${what}: 401 Invalid email or password`, () =>
        Effect.gen(function* () {
          const { email } = yield* signUp(yield* TestServer)
          const answer = yield* login({ email, password: given })
          expect([answer.status, answer.body]).toStrictEqual([401, { error: "Invalid email or password" }])
          expect(answer.headers.getSetCookie()).toStrictEqual([])
        })
      )
    }

    for (const email of ["unknown@example.com", "   ", "no address", `${"a".repeat(10_000)}@example.com`]) {
      it.effect(
        `an unknown email, ${JSON.stringify(email.slice(0, 20))}: 401 Invalid email or password`,
        () =>
          Effect.gen(function* () {
            const answer = yield* login({ email, password })
            expect([answer.status, answer.body]).toStrictEqual([401, { error: "Invalid email or password" }])
          })
      )
    }

    it.effect("unknown email and wrong password: the same bytes and headers", () =>
      Effect.gen(function* () {
        const { email } = yield* signUp(yield* TestServer)
        const known = yield* login({ email, password: "incorrect horse battery staple" })
        const unknown = yield* login({ email: newEmail(), password })
        expect(unknown.status).toBe(known.status)
        expect(unknown.text).toBe(known.text)
        expect(steadyHeaders(unknown)).toStrictEqual(steadyHeaders(known))
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
