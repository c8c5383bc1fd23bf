import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newToken } from "../../src/secrets/token.ts"
import { type Answer, type Member, send, signUp } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { execute } from "../support/postgres.ts"
import { type RunningServer, startServer, startServerOn, TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

type Headers = Readonly<Record<string, string>>

const tokenOf = ({ cookie }: Member) => cookie.replace("dashboard_session=", "")

const me = (server: RunningServer, headers: Headers) => send(server, "GET", "/api/auth/me", { headers })

const logout = (server: RunningServer, headers: Headers) =>
  send(server, "POST", "/api/auth/logout", { headers })

const isFresh = ({ userId }: Member, { databaseUrl }: RunningServer) =>
  Effect.map(
    execute(
      databaseUrl,
      "select last_seen_at > now() - interval '1 minute' as fresh from dashboard_sessions where user_id = $1",
      [userId]
    ),
    ([session]) => session?.fresh === true
  )

const summary = ({ body, status }: Answer) => [status, body]

const unauthorized = [401, { error: "Unauthorized" }]
const crossSite = [403, { error: "Cross-site request refused" }]

const account = ({ companyId, email, userId }: Member) => ({
  user: { id: userId, email, role: "owner" },
  company: { id: companyId, name: "Acme" }
})

suite(TestServer.layer)("dashboard session", (it) => {
  const signedUp = Effect.flatMap(TestServer, (server) =>
    Effect.map(signUp(server), (member) => ({ server, member, token: tokenOf(member) }))
  )

  describe("GET /api/auth/me", () => {
    const good: ReadonlyArray<readonly [string, (token: string) => Headers]> = [
      ["the cookie among others", (token) => ({ cookie: `a=b; dashboard_session=${token}; c="d"` })],
      ["Authorization: bearer", (token) => ({ authorization: `bearer ${token}` })],
      [
        "Bearer, over another cookie",
        (token) => ({ authorization: `Bearer ${token}`, cookie: `dashboard_session=${newToken("dls_")}` })
      ],
      [
        "the cookie, beside Basic",
        (token) => ({ authorization: "Basic Og==", cookie: `dashboard_session=${token}` })
      ]
    ]
    it.effect("200 {user, company}", () =>
      Effect.gen(function* () {
        const { member, server, token } = yield* signedUp
        for (const [what, headers] of good) {
          const answer = yield* me(server, headers(token))
          expect([what, ...summary(answer)]).toStrictEqual([what, 200, account(member)])
        }
      })
    )

    const bad: ReadonlyArray<readonly [string, (token: string) => Headers]> = [
      ["no credential", () => ({})],
      ["an unknown token", () => ({ cookie: `dashboard_session=${newToken("dls_")}` })],
      [
        "a bad Bearer over a good cookie",
        (token) => ({ authorization: `Bearer ${newToken("dls_")}`, cookie: `dashboard_session=${token}` })
      ],
      ["a token behind Basic", (token) => ({ authorization: `Basic ${token}` })],
      ["a token in x-api-key", (token) => ({ "x-api-key": token })],
      ["odd bytes in the cookie", () => ({ cookie: "dashboard_session=%00%ff%" })]
    ]
    it.effect("401 Unauthorized", () =>
      Effect.gen(function* () {
        const { server, token } = yield* signedUp
        for (const [what, headers] of bad) {
          const answer = yield* me(server, headers(token))
          expect([what, ...summary(answer)]).toStrictEqual([what, ...unauthorized])
        }
      })
    )
  })

  describe("POST /api/auth/logout", () => {
    it.effect("200 {ok:true}: the cookie is cleared and the session ends at once", () =>
      Effect.gen(function* () {
        const { member, server, token } = yield* signedUp
        const answer = yield* logout(server, { cookie: member.cookie })
        expect(summary(answer)).toStrictEqual([200, { ok: true }])
        expect(answer.headers.getSetCookie()).toStrictEqual([
          "dashboard_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"
        ])
        expect(summary(yield* me(server, { cookie: member.cookie }))).toStrictEqual(unauthorized)
        expect(summary(yield* me(server, { authorization: `Bearer ${token}` }))).toStrictEqual(unauthorized)
      })
    )

    it.effect("another session of the same user lives on", () =>
      Effect.gen(function* () {
        const { member, server } = yield* signedUp
        const { headers } = yield* send(server, "POST", "/api/auth/login", {
          json: { email: member.email, password: member.password }
        })
        const other = headers.get("set-cookie")?.split(";")[0] ?? ""
        yield* logout(server, { cookie: member.cookie })
        expect(summary(yield* me(server, { cookie: other }))).toStrictEqual([200, account(member)])
      })
    )
  })

  describe("Sliding expiry", () => {
    const move = (member: Member, server: RunningServer, column: string, by: string) =>
      execute(
        server.databaseUrl,
        `update dashboard_sessions set ${column} = now() + $2::interval where user_id = $1`,
        [member.userId, by]
      )

    it.effect("a session in use ends after 30 days", () =>
      Effect.gen(function* () {
        const { member, server } = yield* signedUp
        const [session] = yield* execute(
          server.databaseUrl,
          "select expires_at - created_at = interval '30 days' as month from dashboard_sessions where user_id = $1",
          [member.userId]
        )
        expect(session).toStrictEqual({ month: true })
        yield* move(member, server, "expires_at", "1 minute")
        expect((yield* me(server, { cookie: member.cookie })).status).toBe(200)
        yield* move(member, server, "expires_at", "-1 millisecond")
        expect(summary(yield* me(server, { cookie: member.cookie }))).toStrictEqual(unauthorized)
      })
    )

    it.effect("an unused session ends after 7 days", () =>
      Effect.gen(function* () {
        const { member, server } = yield* signedUp
        yield* move(member, server, "last_seen_at", "-7 days -1 second")
        expect(summary(yield* me(server, { cookie: member.cookie }))).toStrictEqual(unauthorized)
      })
    )

    it.effect("each use restarts the 7 days", () =>
      Effect.gen(function* () {
        const { member, server } = yield* signedUp
        for (let week = 0; week < 3; week++) {
          yield* move(member, server, "last_seen_at", "-6 days -23 hours")
          expect((yield* me(server, { cookie: member.cookie })).status).toBe(200)
          yield* server.run("accounts.uses")
          expect(yield* isFresh(member, server)).toBe(true)
        }
      })
    )
  })
})

describe("Sign-out (contract.md#sign-out)", () => {
  it.scopedLive("the session ends at once in another process too", () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const first = yield* startServerOn(databaseUrl)
      const second = yield* startServerOn(databaseUrl)
      const member = yield* signUp(first)
      const headers = { cookie: member.cookie }
      for (const server of [first, second]) {
        expect(summary(yield* me(server, headers))).toStrictEqual([200, account(member)])
      }
      yield* logout(first, headers)
      for (const server of [second, first])
        expect(summary(yield* me(server, headers))).toStrictEqual(unauthorized)
    })
  )
})

describe("A state-changing request from another site (contract.md#cross-site)", () => {
  const created = 201

  /** The source of a request by its headers, and whether that is another site. */
  const sources: ReadonlyArray<readonly [string, Headers, "own" | "other"]> = [
    ["no Origin, no Sec-Fetch-Site", {}, "own"],
    ["the origin of BASE_URL", { origin: "https://api.example.com" }, "own"],
    ["the origin of APP_URL", { origin: "https://app.example.com:8443" }, "own"],
    ["the origin of Host", { origin: "https://10.1.2.3:3000", host: "10.1.2.3:3000" }, "own"],
    [
      "the origin of Host by http, where BASE_URL is https",
      { origin: "http://10.1.2.3:3000", host: "10.1.2.3:3000" },
      "other"
    ],
    ["another port than Host's", { origin: "https://10.1.2.3", host: "10.1.2.3:3000" }, "other"],
    [
      "the origin of BASE_URL, whatever Host",
      { origin: "https://api.example.com", host: "internal:1" },
      "own"
    ],
    [
      "the origin of APP_URL, Sec-Fetch-Site: same-site",
      { origin: "https://app.example.com:8443", "sec-fetch-site": "same-site" },
      "own"
    ],
    ["Sec-Fetch-Site: same-origin", { "sec-fetch-site": "same-origin" }, "own"],
    ["Sec-Fetch-Site: none", { "sec-fetch-site": "none" }, "own"],
    ["another origin", { origin: "https://evil.example" }, "other"],
    ["a child", { origin: "https://x.api.example.com" }, "other"],
    ["a name that begins alike", { origin: "https://api.example.com.evil.example" }, "other"],
    ["Origin: null", { origin: "null" }, "other"],
    [
      "another origin, Sec-Fetch-Site: same-origin",
      { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
      "other"
    ],
    ["Sec-Fetch-Site: cross-site", { "sec-fetch-site": "cross-site" }, "other"],
    ["Sec-Fetch-Site: same-site", { "sec-fetch-site": "same-site" }, "other"]
  ]

  it.scopedLive("Origin or Sec-Fetch-Site × cookie or Bearer × method", () =>
    Effect.gen(function* () {
      const server = yield* startServer({
        BASE_URL: "https://api.example.com",
        APP_URL: "https://app.example.com:8443"
      })
      const member = yield* signUp(server)
      const cookie = { cookie: member.cookie }
      const bearer = { authorization: `Bearer ${tokenOf(member)}` }
      const post = (headers: Headers) =>
        send(server, "POST", "/api/api-keys", { headers, json: { name: "n" } })
      const { email, password } = member
      const login = (headers: Headers) =>
        send(server, "POST", "/api/auth/login", { headers, json: { email, password } })
      const signup = (headers: Headers) => send(server, "POST", "/api/auth/signup", { headers, json: {} })
      const accept = (headers: Headers) =>
        send(server, "POST", "/api/auth/invitation/accept", {
          headers,
          json: { token: newToken("dli_"), password }
        })

      for (const [what, source, site] of sources) {
        const withCookie = yield* post({ ...source, ...cookie })
        const withBoth = yield* post({ ...source, ...cookie, ...bearer })
        // Uses a spare cookie: a sign-in ends the browser's previous session.
        const [spare = ""] = (yield* login({})).headers.getSetCookie()
        const signIn = yield* login({ ...source, cookie: spare.split(";", 1)[0] ?? "" })
        const signUpAgain = yield* signup({ ...source, ...cookie })
        if (site === "other") {
          for (const answer of [withCookie, withBoth, signIn, signUpAgain]) {
            expect(summary(answer), what).toStrictEqual(crossSite)
            expect(answer.headers.getSetCookie(), what).toStrictEqual([])
          }
          // Nor does the logout end the session.
          expect(summary(yield* logout(server, { ...source, ...cookie })), what).toStrictEqual(crossSite)
        } else {
          expect([withCookie.status, withBoth.status, signIn.status], what).toStrictEqual([
            created,
            created,
            200
          ])
          expect(summary(signUpAgain), what).toStrictEqual([400, { error: "companyName is required" }])
        }
        // No other site can sign in a signed-out browser: its user would work in that site's account.
        const fromSignedOut = [yield* login(source), yield* signup(source), yield* accept(source)]
        expect(fromSignedOut.map(summary), what).toStrictEqual(
          site === "other"
            ? [crossSite, crossSite, crossSite]
            : [
                [200, expect.anything()],
                [400, { error: "companyName is required" }],
                [404, { error: "Invitation not found" }]
              ]
        )
        if (site === "other") expect(fromSignedOut[0]?.headers.getSetCookie(), what).toStrictEqual([])
        // A page of another site cannot send the Bearer header, and a read changes nothing.
        expect((yield* post({ ...source, ...bearer })).status, what).toBe(created)
        for (const credential of [cookie, bearer]) {
          expect((yield* me(server, { ...source, ...credential })).status, what).toBe(200)
        }
        const head = yield* send(server, "HEAD", "/api/auth/me", { headers: { ...source, ...cookie } })
        expect(head.status, what).toBe(200)
        // A request without any credential is simply unauthorized.
        expect(summary(yield* post(source)), what).toStrictEqual(unauthorized)
      }
    })
  )

  it.scopedLive("with an http BASE_URL, http and https pages of the requested Host are same-site", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ BASE_URL: "http://localhost:3000" })
      const { cookie } = yield* signUp(server)
      const rows: ReadonlyArray<readonly [origin: string, host: string, status: number]> = [
        ["http://localhost:3000", "localhost:3000", 201],
        ["http://127.0.0.1:3000", "127.0.0.1:3000", 201],
        ["https://service.example.com", "service.example.com", 201],
        ["http://localhost:3001", "localhost:3000", 403],
        ["https://localhost:3001", "localhost:3000", 403],
        ["http://127.0.0.1:3000", "localhost:3000", 403],
        ["null", "localhost:3000", 403]
      ]
      for (const [origin, host, status] of rows) {
        const answer = yield* send(server, "POST", "/api/api-keys", {
          headers: { cookie, origin, host },
          json: { name: "n" }
        })
        expect([origin, host, answer.status]).toStrictEqual([origin, host, status])
      }
    })
  )
})
