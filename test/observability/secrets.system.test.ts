/**
 * contract.md#secrets: the logs contain no token, key, password or cookie, nor 12 characters of one. Also what they do
 * contain.
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { newToken, randomBase62 } from "../../src/secrets/token.ts"
import { createInstance, createKey, createSession, field, send, text } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { exchange } from "../support/http/raw.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { databasePid, embeddedUrl, runUntilReady } from "../support/program.ts"
import type { RunningServer } from "../support/server.ts"

const ours = /^(?:dlk|kyc_sess|kyc_hand|dls)_/

const read = (file: string) => Effect.promise(() => readFile(file, "utf8"))

/**
 * Makes valid and invalid requests of all kinds, with every secret in every place. Returns the secrets.
 *
 * @param known secrets that the service was started with
 * @param withoutDatabase runs an effect while the database is down
 */
const wholeFlow = (
  server: RunningServer,
  known: ReadonlyArray<string>,
  withoutDatabase: (during: Effect.Effect<void>) => Effect.Effect<void, Error>
) =>
  Effect.gen(function* () {
    const password = `pass-${randomBase62(24)}`
    const wrong = `wrong-${randomBase62(24)}`
    const signup = { companyName: "Acme", email: "me@example.com", password }
    const post = (path: string, json: object, headers: Readonly<Record<string, string>> = {}) =>
      send(server, "POST", path, { json, headers })

    const signedUp = yield* post("/api/auth/signup", signup)
    const cookie = (signedUp.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? ""
    const dashboard = cookie.slice(cookie.indexOf("=") + 1)
    const member = {
      cookie,
      email: signup.email,
      password,
      userId: text(signedUp.body, "user", "id"),
      companyId: text(signedUp.body, "company", "id")
    }
    const key = yield* createKey(server, member)
    const instance = yield* createInstance(server, member)
    const session = yield* createSession(server, key.token, instance.id)
    const made = { key: newToken("dlk_"), session: newToken("kyc_sess_"), dashboard: newToken("dls_") }
    const handedOff = yield* post(`${session.path}/handoffs`, { token: session.token })
    const handoffUrl = text(handedOff.body, "url")
    const handoff = handoffUrl.slice(handoffUrl.indexOf("kyc_hand_"))
    const handoffs = [handoff, newToken("kyc_hand_")]
    const captchaToken = `${randomBase62(30)}.${randomBase62(60)}.${randomBase62(43)}`
    const keyHash = "0123456789abcdef".repeat(4)
    const all = [
      ...known,
      ...[password, wrong, key.token, session.token, dashboard],
      ...[made.key, made.session, made.dashboard, captchaToken, keyHash, ...handoffs]
    ]

    const round = Effect.gen(function* () {
      yield* post("/api/auth/signup", signup)
      yield* post("/api/auth/login", { email: signup.email, password })
      yield* post("/api/auth/login", { email: signup.email, password: wrong })
      yield* post("/api/kyc/public/sessions", { instanceId: instance.id }, { "x-api-key": key.token })
      yield* post(
        "/api/kyc/public/sessions",
        { instanceId: instance.id },
        { authorization: `Bearer ${key.token}` }
      )
      yield* post("/api/api-keys", { name: "x" }, { authorization: `Bearer ${dashboard}` })
      yield* post("/api/api-keys", { name: 1 }, { cookie: `dashboard_session=${made.dashboard}` })
      for (const token of [session.token, made.session]) {
        yield* send(server, "GET", `${session.path}?token=${token}`)
        yield* post(`${session.path}/progress`, { token, progress: { answer: token } })
        yield* post(`${session.path}/dedup-check`, { token, keyHash })
        yield* post(`${session.path}/captcha/verify`, { token, captchaToken, siteKey: token })
        yield* post(`${session.path}/files/${token}/reading`, { token })
        yield* send(server, "GET", `${session.path}/files/${token}/reading?token=${token}`)
      }
      for (const secret of handoffs) {
        yield* post(`${session.path}/handoffs`, { token: session.token, carry: { secret } })
        yield* post(`${session.path}/handoff-links/inspect`, { secret })
        yield* post(`${session.path}/handoff-links/claim`, { secret, receipt: "r".repeat(32) })
        yield* post(`${session.path}/handoff-links/confirm`, { secret, receipt: "r".repeat(32), code: "10" })
      }
      for (const secret of all) {
        const encoded = `%${secret.charCodeAt(0).toString(16)}${secret.slice(1)}`
        for (const path of [
          `/api/api-keys/${secret}/revoke`,
          `/api/kyc/sessions/${encoded}`,
          `/x${secret}`,
          `/nope?${secret}&a=${secret}&limit=1&token=${encoded}`,
          `/nope;token=${secret}`,
          `/nope#${secret}`
        ]) {
          yield* exchange(server, `GET ${path}`, [`Cookie: ${cookie}`])
          yield* exchange(server, `POST ${path}`, [
            `X-Api-Key: ${secret}`,
            // Its prefix tells a secret of doorlock's from a request id. A secret without a prefix would count as an id.
            `X-Request-Id: ${ours.test(secret) ? secret : "odd"}`
          ])
        }
        for (const body of [`{"token":"${secret}"`, `"${secret}"`, `{"token":{"x":"${secret}\\ud800"}}`]) {
          yield* send(server, "POST", `${session.path}/progress`, { body: Buffer.from(body) })
          yield* send(server, "POST", "/api/auth/login", { body: Buffer.from(body) })
        }
        yield* send(server, "GET", "/api/kyc/sessions", {
          headers: { "x-api-key": secret, "user-agent": secret, referer: `https://x.test/?token=${secret}` }
        })
      }
    })
    yield* round
    // The database answers, but has no tables: every statement fails, with its parameters.
    yield* execute(server.databaseUrl, "alter schema public rename to elsewhere")
    const failing = yield* send(server, "GET", `${session.path}?token=${session.token}`, {
      headers: { "x-request-id": "failing-request" }
    })
    expect([failing.status, field(failing.body, "error")]).toEqual([500, "Failed to get session"])
    yield* round
    yield* execute(server.databaseUrl, "alter schema elsewhere rename to public")
    // Then the database is down for a moment.
    yield* withoutDatabase(round)
    return all
  })

/** Every 12-character piece of a secret in the text. */
const leaks = (output: string, secrets: ReadonlyArray<string>) =>
  secrets.flatMap((secret) =>
    Array.from({ length: secret.length - 11 }, (_, at) => secret.slice(at, at + 12)).filter((piece) =>
      output.includes(piece)
    )
  )

/** Sends a last request, and waits for its log line. */
const untilLogged = (server: Pick<RunningServer, "url">, output: () => string) =>
  Effect.gen(function* () {
    const last = yield* exchange(server, "GET /healthz", ["X-Request-Id: the-last-request"])
    expect(last.status).toBe(200)
    yield* eventually("the last request is logged", () => output().includes("the-last-request"))
  })

/** Runs the flow in its own process, with its own database. Returns all output of the process. */
const outputOfProcess = Effect.gen(function* () {
  const dataDir = yield* temporaryFolder
  const adminPassword = `admin-${randomBase62(24)}`
  const program = yield* runUntilReady({
    DATA_DIR: dataDir,
    // A server on loopback with its own database accepts no other host.
    BASE_URL: "http://doorlock.test",
    LOG_FORMAT: "json",
    LOG_LEVEL: "trace",
    ADMIN_PASSWORD: adminPassword
  })
  const secretKey = yield* read(join(dataDir, "secret-key"))
  const url = yield* embeddedUrl(dataDir)
  const { password } = new URL(Redacted.value(url))
  const kill = Effect.map(databasePid(dataDir), (pid) => void process.kill(pid, "SIGKILL"))
  const secrets = yield* wholeFlow(
    { ...program, databaseUrl: url },
    [adminPassword, password, secretKey],
    (during) => Effect.zipRight(kill, during)
  )
  yield* untilLogged(program, program.stdout)
  program.signal("SIGTERM")
  expect(yield* program.exited).toBe(0)
  expect(leaks(program.stdout() + program.stderr(), secrets)).toEqual([])
  expect(program.stderr()).toBe("")
  return program.stdout().trimEnd().split("\n")
})

it.scopedLive(
  "json at trace: no secret, every line JSON, requests and failures with their id",
  () =>
    Effect.gen(function* () {
      const lines = (yield* outputOfProcess).map((line): unknown => JSON.parse(line))
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      for (const line of lines) {
        expect(line).toMatchObject({
          timestamp: time,
          level: expect.any(String),
          message: expect.any(String)
        })
      }
      expect(lines).toContainEqual({
        timestamp: time,
        level: "INFO",
        message: "request",
        method: "GET",
        route: "/api/kyc/public/sessions/:sessionId",
        url: expect.stringMatching(/^\/api\/kyc\/public\/sessions\/[0-9a-f-]{36}\?token=\[redacted\]$/),
        status: 500,
        durationMs: expect.any(Number),
        requestId: "failing-request",
        clientAddress: "127.0.0.1"
      })
      expect(lines).toContainEqual({
        timestamp: time,
        level: "ERROR",
        message: "Request failed",
        requestId: "failing-request",
        route: "/api/kyc/public/sessions/:sessionId",
        cause: expect.stringContaining('relation "kyc_sessions" does not exist')
      })
    }),
  90_000
)
