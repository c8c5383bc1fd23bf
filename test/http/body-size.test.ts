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
import { type RunningServer, startServer } from "../support/server.ts"
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

/** The length of a body, of which the first 1,000 bytes do not count. */
const [length, free] = [20_000, 1_000]

/** A server that holds this many bodies, ten of them for one holder. */
const serverHolding = (count: number) =>
  Effect.provideService(
    startServer({ TRUSTED_PROXIES: "127.0.0.1" }),
    HeldBodies,
    bodyBudget(count * (length - free), 10 * (length - free), free)
  )

const headOf = (line: string, ...lines: ReadonlyArray<string>) =>
  [`${line} HTTP/1.1`, "Host: doorlock.test", ...lines, ""].join("\r\n")

const announced = `Content-Length: ${length}\r\n\r\n`

/** Sends bodies that lack their last byte. All but ten are refused. */
const onlyTenAreHeld = (server: RunningServer, heads: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const dropped: Array<RawAnswer> = []
    for (const head of heads) {
      const connection = yield* open(server)
      connection.write(head + " ".repeat(length - 1))
      yield* Effect.forkScoped(Effect.map(connection.answer, (answer) => dropped.push(answer)))
    }
    yield* eventually("the others are dropped", () => dropped.length === heads.length - 10)
    for (const { body, headers, status } of dropped) {
      expect([status, JSON.parse(body), headers.get("retry-after"), headers.get("doorlock-error")]).toEqual([
        429,
        { error: "Too many requests" },
        "1",
        "too-many-requests"
      ])
    }
  })

/** A whole body is read: it is refused only because it is no object. */
const isServed = (server: RunningServer, head: string) =>
  Effect.gen(function* () {
    const connection = yield* open(server)
    connection.write(head + announced + array(length))
    expect((yield* connection.answer).status).toBe(400)
  })

it.scopedLive(
  "100 unfinished bodies without a credential: as many are held as fit, and sign-ins are answered",
  () =>
    Effect.gen(function* () {
      const server = yield* serverHolding(10)
      const { email, password } = yield* signUp(server)
      const login = (from: string) => headOf("POST /api/auth/login", `X-Forwarded-For: ${from}`)
      yield* onlyTenAreHeld(server, Array(100).fill(login("203.0.113.1") + announced))
      expect((yield* send(server, "POST", "/api/auth/login", { json: { email, password } })).status).toBe(200)
      yield* isServed(server, login("192.0.2.1"))
    })
)

it.scopedLive("a company's sessions and keys share a limit for bodies, also chunked; others are served", () =>
  Effect.gen(function* () {
    const server = yield* serverHolding(20)
    const { key, member } = yield* onboard(server)
    const instances = (cookie: string) => headOf("POST /api/kyc/instances", `Cookie: ${cookie}`)
    const heads = [
      instances(member.cookie),
      headOf("POST /api/kyc/public/sessions", `x-api-key: ${key.token}`)
    ].flatMap((head) => [
      head + announced,
      `${head}Transfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n`
    ])
    yield* onlyTenAreHeld(server, Array(10).fill(heads).flat())
    yield* isServed(server, instances((yield* signUp(server)).cookie))
  })
)

it.scopedLive("a made-up KYC session token is not a credential: its bodies count for the network", () =>
  Effect.gen(function* () {
    const server = yield* serverHolding(20)
    const heads = Array.from({ length: 20 }, (_, i) =>
      headOf(
        `POST /api/kyc/public/sessions/${crypto.randomUUID()}/progress`,
        `Authorization: Bearer kst_${i}`,
        `X-Forwarded-For: 203.0.113.${i}`
      )
    )
    yield* onlyTenAreHeld(
      server,
      heads.map((head) => head + announced)
    )
  })
)
