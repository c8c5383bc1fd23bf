/** contract.md#json-bodies: a body over 1 MiB is 413, refused before it is read whole; on every route that takes one. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { HeldBodies } from "../../src/http/runtime/body.ts"
import { bodyBudget } from "../../src/http/runtime/body-budget.ts"
import { onboard, send, signUp } from "../support/client.ts"
import { type ContractRoute, errorOf, named, onEach, routes } from "../support/contract.ts"
import { begin, TestCompany } from "../support/credentials.ts"
import { eventually } from "../support/eventually.ts"
import { open, type RawAnswer } from "../support/http/raw.ts"
import { startServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

const mebibyte = 1_048_576

/** A JSON array, not an object: a route that reads it whole refuses it, and does nothing else. */
const array = (length: number) => `[${" ".repeat(length - 2)}]`

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

const chunked = "Transfer-Encoding: chunked"

/** What is sent, and whether it is refused. The lines belong to the head; the rest follows it. */
const forms: ReadonlyArray<
  readonly [name: string, status: 400 | 413, lines: ReadonlyArray<string>, ...string[]]
> = [
  ["Content-Length 200,000,000: 413 before any of the body is sent", 413, ["Content-Length: 200000000"]],
  ["Content-Length 1 MiB exactly: read", 400, [`Content-Length: ${mebibyte}`], array(mebibyte)],
  [
    "one endless chunk: 413 at the first byte too many",
    413,
    [chunked],
    `7fffffff\r\n${" ".repeat(mebibyte + 1)}`
  ],
  [
    "small chunks without an end: 413 at the first byte too many",
    413,
    [chunked],
    ...Array.from({ length: mebibyte / 8192 + 1 }, () => chunk(" ".repeat(8192)))
  ],
  [
    "chunks of 1 MiB in all: read",
    400,
    [chunked],
    ...(array(mebibyte).match(/.{65536}/g) ?? []).map(chunk),
    "0\r\n\r\n"
  ],
  ["too large and not JSON: 413", 413, ["Content-Type: text/plain", `Content-Length: ${mebibyte + 1}`]]
]

suite(TestCompany.layer)("body size", (it) => {
  const answers = (
    route: ContractRoute,
    status: 400 | 413,
    lines: ReadonlyArray<string>,
    ...written: ReadonlyArray<string>
  ) =>
    Effect.gen(function* () {
      const connection = yield* begin(route, "X-Request-Id: size-test", ...lines)
      for (const bytes of written) connection.write(bytes)
      const answer = yield* connection.answer
      const message = status === 413 ? "Request body is too large" : "Request body must be a JSON object"
      expect([answer.status, JSON.parse(answer.body)]).toEqual([status, errorOf(route, message)])
      expect(answer.headers.get("content-type")).toBe("application/json")
      expect(answer.headers.get("x-request-id")).toBe("size-test")
    }).pipe(Effect.scoped)

  it.effect("more than 1 MiB: 413 on every route, before any of the body is sent", () =>
    onEach(
      routes.filter(({ takesBody }) => takesBody),
      (route) => answers(route, 413, [`Content-Length: ${mebibyte + 1}`])
    )
  )

  // The first reads its body by itself; a large body of the second is parsed in a thread.
  for (const path of ["/subscribe", "/versions"]) {
    const one = named(`POST /api/api-marketplace/apis/:apiId${path}`)
    for (const [name, ...form] of forms) it.effect(`${path}: ${name}`, () => answers(one, ...form))
  }

  it.scoped("a refused body that arrives after all is skipped, and the connection stays open", () =>
    Effect.gen(function* () {
      const { server } = yield* TestCompany
      const connection = yield* open(server)
      connection.write(
        `POST /api/auth/login HTTP/1.1\r\nHost: doorlock.test\r\nContent-Length: ${8 * mebibyte}\r\n\r\n`
      )
      expect((yield* connection.answer).status).toBe(413)
      for (let i = 0; i < 8; i++) connection.write("x".repeat(mebibyte))
      connection.write("GET /healthz HTTP/1.1\r\nHost: doorlock.test\r\n\r\n")
      expect((yield* connection.answer).status).toBe(200)
    })
  )
})

it.scopedLive(
  "100 unfinished bodies without a credential: as many are held as fit, and sign-ins are answered",
  () =>
    Effect.gen(function* () {
      // The first 1,000 bytes of a body do not count. Ten bodies of this length fit.
      const [length, free] = [20_000, 1_000]
      const budget = bodyBudget(10 * (length - free), 10 * (length - free), free)
      const server = yield* Effect.provideService(
        startServer({ TRUSTED_PROXIES: "127.0.0.1" }),
        HeldBodies,
        budget
      )
      const { email, password } = yield* signUp(server)
      const login = (from: string) =>
        `POST /api/auth/login HTTP/1.1\r\nHost: doorlock.test\r\nX-Forwarded-For: ${from}\r\nContent-Length: ${length}\r\n\r\n`
      const dropped: Array<RawAnswer> = []
      // Each lacks its last byte.
      for (const connection of yield* Effect.forEach(Array.from({ length: 100 }), () => open(server))) {
        connection.write(login("203.0.113.1") + " ".repeat(length - 1))
        yield* Effect.forkScoped(Effect.map(connection.answer, (answer) => dropped.push(answer)))
      }
      yield* eventually("the others are dropped", () => dropped.length === 90)
      for (const { body, headers, status } of dropped) {
        expect([status, JSON.parse(body)]).toEqual([429, { error: "Too many requests" }])
        expect([headers.get("retry-after"), headers.get("doorlock-error")]).toEqual([
          "1",
          "too-many-requests"
        ])
      }
      expect((yield* send(server, "POST", "/api/auth/login", { json: { email, password } })).status).toBe(200)
      const large = yield* open(server)
      large.write(login("192.0.2.1") + array(length))
      expect((yield* large.answer).status).toBe(400)
    })
)

it.scopedLive("a company's sessions and keys share a limit for bodies, also chunked; others are served", () =>
  Effect.gen(function* () {
    const [length, free] = [20_000, 1_000]
    const budget = bodyBudget(20 * (length - free), 10 * (length - free), free)
    const server = yield* Effect.provideService(startServer(), HeldBodies, budget)
    const { key, member } = yield* onboard(server)
    const dropped: Array<RawAnswer> = []
    const framings = [
      `Content-Length: ${length}\r\n\r\n`,
      `Transfer-Encoding: chunked\r\n\r\n${(length).toString(16)}\r\n`
    ]
    const targets = [
      `POST /api/kyc/instances HTTP/1.1\r\nCookie: ${member.cookie}`,
      `POST /api/kyc/public/sessions HTTP/1.1\r\nx-api-key: ${key.token}`
    ]
    for (let i = 0; i < 40; i++) {
      const connection = yield* open(server)
      const head = `${targets[i % 2]}\r\nHost: doorlock.test\r\n${framings[Math.floor(i / 2) % 2]}`
      connection.write(head + " ".repeat(length - 1))
      yield* Effect.forkScoped(Effect.map(connection.answer, (answer) => dropped.push(answer)))
    }
    yield* eventually("the others are dropped", () => dropped.length === 30)
    for (const { headers, status } of dropped) {
      expect([status, headers.get("retry-after"), headers.get("doorlock-error")]).toEqual([
        429,
        "1",
        "too-many-requests"
      ])
    }
    const other = yield* signUp(server)
    const large = yield* open(server)
    large.write(
      `POST /api/kyc/instances HTTP/1.1\r\nCookie: ${other.cookie}\r\nHost: doorlock.test\r\nContent-Length: ${length}\r\n\r\n${array(length)}`
    )
    expect((yield* large.answer).status).toBe(400)
  })
)

it.scopedLive("a made-up KYC session token is not a credential: its bodies count for the network", () =>
  Effect.gen(function* () {
    const [length, free] = [20_000, 1_000]
    const budget = bodyBudget(20 * (length - free), 10 * (length - free), free)
    const server = yield* Effect.provideService(
      startServer({ TRUSTED_PROXIES: "127.0.0.1" }),
      HeldBodies,
      budget
    )
    const dropped: Array<RawAnswer> = []
    for (let i = 0; i < 20; i++) {
      const connection = yield* open(server)
      connection.write(
        `POST /api/kyc/public/sessions/${crypto.randomUUID()}/progress HTTP/1.1\r\nAuthorization: Bearer kst_${i}\r\nX-Forwarded-For: 203.0.113.${i}\r\nHost: doorlock.test\r\nContent-Length: ${length}\r\n\r\n${" ".repeat(length - 1)}`
      )
      yield* Effect.forkScoped(Effect.map(connection.answer, (answer) => dropped.push(answer)))
    }
    yield* eventually("the others are dropped", () => dropped.length === 10)
    expect(new Set(dropped.map(({ status }) => status))).toEqual(new Set([429]))
  })
)
