/** What the log keeps of tries that were refused, and that nobody can write into it what did not happen. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newToken } from "../../src/secrets/token.ts"
import { createKey, createSession, join, onboard, send } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { exchange } from "../support/http/raw.ts"
import { startHere } from "../support/program-here.ts"

/** A program that logs in this format, behind a proxy, and what it has written once the last request is logged. */
const logged = (format: "json" | "pretty") =>
  Effect.gen(function* () {
    const program = yield* startHere(yield* freshDatabase, {
      LOG_FORMAT: format,
      LOG_LEVEL: "info",
      SEED_DEMO: "false",
      SIGNUP: "open",
      TRUSTED_PROXIES: "127.0.0.1"
    })
    const lines = Effect.gen(function* () {
      yield* exchange(program, "GET /healthz", ["X-Request-Id: the-last-one"])
      yield* eventually("the last request is logged", () => program.output().includes("the-last-one"))
      return program.output().trimEnd().split("\n")
    })
    return { program, lines }
  })

it.scopedLive("each refused credential or permission is logged: when, what, from where, with which id", () =>
  Effect.gen(function* () {
    const { lines, program } = yield* logged("json")
    const { instance, key, member, session } = yield* onboard(program)
    const viewer = yield* join(program, member, "viewer")
    const limited = yield* createKey(program, member, { scopes: [] })
    const other = yield* onboard(program)
    const json = { instanceId: instance.id }
    const create = "/api/kyc/public/sessions"
    const ofOther = `/api/kyc/sessions/${session.id}`
    const gateway = "/gateway/:publisher/:api/v/:version/*"
    yield* createSession(program, key.token, instance.id)
    const refused: ReadonlyArray<
      readonly [
        status: number,
        ask: string,
        headers?: Record<string, string>,
        json?: object | undefined,
        route?: string
      ]
    > = [
      [401, "POST /api/auth/login", {}, { email: member.email, password: "wrong password" }],
      [401, "POST /api/auth/login", {}, { email: "nobody@example.com", password: "x" }],
      [401, "GET /api/auth/me", { cookie: `dashboard_session=${newToken("dls_")}` }],
      [401, `POST ${create}`, { "x-api-key": newToken("dlk_") }, json],
      [403, `POST ${create}`, { "x-api-key": limited.token }, json],
      [403, `POST ${create}`, { "x-api-key": other.key.token }, json],
      [403, "POST /api/api-keys", { cookie: viewer.cookie }, { name: "x" }],
      [403, "POST /api/api-keys", { cookie: member.cookie, origin: "https://evil.example" }, { name: "x" }],
      [404, `GET ${session.path}?token=${newToken("kyc_sess_")}`, {}, undefined, `${create}/:sessionId`],
      [404, `GET ${ofOther}`, { "x-api-key": other.key.token }, undefined, "/api/kyc/sessions/:id"],
      [405, "DELETE /api/auth/login"],
      [404, "GET /no/such/path", {}, undefined, "unknown"],
      [401, `GET /gateway/a/b/v/1/x`, { "x-api-key": newToken("dk_live_") }, undefined, gateway]
    ]
    for (const [i, [status, asked, headers, json]] of refused.entries()) {
      const [method = "", path = ""] = asked.split(" ")
      const answer = yield* send(program, method, path, {
        headers: { ...headers, "x-request-id": `refused-${i}`, "x-forwarded-for": `203.0.113.${i}` },
        ...(json === undefined ? {} : { json })
      })
      expect([path, answer.status]).toStrictEqual([path, status])
    }
    const entries = (yield* lines).map((line): unknown => JSON.parse(line))
    for (const [i, [status, asked, , , route]] of refused.entries()) {
      const [method, path] = asked.split(" ")
      expect(entries).toContainEqual({
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: "INFO",
        message: "request",
        method,
        route: route ?? path,
        url: expect.stringMatching(/^\//),
        status,
        durationMs: expect.any(Number),
        requestId: `refused-${i}`,
        clientAddress: `203.0.113.${i}`
      })
    }
  })
)

/** Line ends, quotes, escapes of terminals and of JSON, wherever a client has a say. */
const hostile = [
  '%0a{"level":"ERROR","message":"forged"}',
  "%0d%0aforged",
  "%1b%5b31mforged",
  '"},{"forged":1',
  "\\u000aforged",
  "\u009b31mforged",
  "\u2028forged",
  "<script>forged</script>"
]

for (const format of ["json", "pretty"] as const) {
  it.scopedLive(`${format}: client input never breaks a line or contains terminal control characters`, () =>
    Effect.gen(function* () {
      const { lines, program } = yield* logged(format)
      for (const [i, text] of hostile.entries()) {
        const raw = Buffer.from(text).toString("latin1")
        yield* exchange(program, `GET /x/${raw}?a=${raw}&${raw}=1&limit=${raw}`, [
          `X-Request-Id: ${text.replaceAll(/[^ -~]/g, "?")}`,
          `User-Agent: ${text.replaceAll(/[^ -~]/g, "?")}`,
          `X-Forwarded-For: ${text.replaceAll(/[^ -~]/g, "?")}`,
          `Referer: ${text.replaceAll(/[^ -~]/g, "?")}`
        ])
        yield* exchange(program, `POST /api/auth/login`, [`X-Request-Id: marked-${i}`])
      }
      const written = yield* lines
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
      const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/
      const begin = format === "json" ? /^\{"timestamp":"/ : /^(?:\d\d:\d\d:\d\d\.\d{3} |doorlock listens)/
      for (const line of written) {
        expect(line).not.toMatch(control)
        expect(line).toMatch(begin)
      }
      if (format === "json") {
        const messages = new Set(written.map((line) => Reflect.get(JSON.parse(line), "message")))
        expect(messages).not.toContain("forged")
        expect(written.map((line) => Reflect.get(JSON.parse(line), "level"))).not.toContain("ERROR")
      }
      for (const i of hostile.keys()) {
        expect(written.filter((line) => line.includes(`marked-${i}`))).toHaveLength(1)
      }
    })
  )
}
