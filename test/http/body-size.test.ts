/** Decisions 1: a body over 1 MiB is 413, refused before it is read whole; on every route that takes one. */
import { describe, expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { send } from "../support/client.ts"
import { type ContractRoute, errorOf, routes } from "../support/contract.ts"
import { begin, TestCompany } from "../support/credentials.ts"
import { eventually } from "../support/eventually.ts"
import { open, type RawAnswer } from "../support/raw.ts"

const mebibyte = 1_048_576

/** No object, so that whoever has read it whole says so and nothing else happens. */
const array = (length: number) => `[${" ".repeat(length - 2)}]`

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

const isTooLarge = (route: ContractRoute, answer: RawAnswer) => {
  expect(answer.status).toBe(413)
  expect(JSON.parse(answer.body)).toEqual(errorOf(route, "Request body is too large"))
  expect(answer.headers.get("content-type")).toBe("application/json")
  expect(answer.headers.get("x-request-id")).toBe("size-test")
}

const wasRead = (route: ContractRoute, answer: RawAnswer) => {
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.body)).toEqual(errorOf(route, "Request body must be a JSON object"))
}

layer(TestCompany.layer, { excludeTestServices: true })("body size", (it) => {
  for (const route of routes.filter(({ takesBody }) => takesBody)) {
    const most = route.answers?.maxBodyBytes ?? mebibyte
    describe(route.name, () => {
      const beginning = (...lines: ReadonlyArray<string>) => begin(route, "X-Request-Id: size-test", ...lines)

      for (const length of [most + 1, 200_000_000]) {
        it.scoped(`Content-Length ${length}: 413 while nothing of the body is sent`, () =>
          Effect.gen(function* () {
            const connection = yield* beginning(`Content-Length: ${length}`)
            isTooLarge(route, yield* connection.answer)
          })
        )
      }
      it.scoped(`Content-Length ${most} exactly: read`, () =>
        Effect.gen(function* () {
          const connection = yield* beginning(`Content-Length: ${most}`)
          connection.write(array(most))
          wasRead(route, yield* connection.answer)
        })
      )
      it.scoped("one endless chunk: 413 at the first byte too many", () =>
        Effect.gen(function* () {
          const connection = yield* beginning("Transfer-Encoding: chunked")
          connection.write(`7fffffff\r\n${" ".repeat(most + 1)}`)
          isTooLarge(route, yield* connection.answer)
        })
      )
      it.scoped("small chunks without an end: 413 at the first byte too many", () =>
        Effect.gen(function* () {
          const connection = yield* beginning("Transfer-Encoding: chunked")
          for (let sent = 0; sent <= most; sent += 8192) connection.write(chunk(" ".repeat(8192)))
          isTooLarge(route, yield* connection.answer)
        })
      )
      it.scoped(`chunks of ${most} in all: read`, () =>
        Effect.gen(function* () {
          const connection = yield* beginning("Transfer-Encoding: chunked")
          const text = array(most)
          for (let at = 0; at < most; at += 8_192) connection.write(chunk(text.slice(at, at + 8_192)))
          connection.write("0\r\n\r\n")
          wasRead(route, yield* connection.answer)
        })
      )
      it.scoped("too large and not JSON: 413", () =>
        Effect.gen(function* () {
          const connection = yield* beginning("Content-Type: text/plain", `Content-Length: ${most + 1}`)
          isTooLarge(route, yield* connection.answer)
        })
      )
    })
  }

  it.effect("before a sign-in, a sign-up or an acceptance of an invitation it is 16 KiB", () =>
    Effect.sync(() => {
      const small = routes.filter(({ answers }) => answers?.maxBodyBytes !== undefined)
      expect(small.map(({ answers, name }) => [name, answers?.maxBodyBytes])).toEqual(
        expect.arrayContaining(
          [
            "POST /api/auth/signup",
            "POST /api/auth/login",
            "POST /api/auth/invitation",
            "POST /api/auth/invitation/accept"
          ].map((name) => [name, 16_384])
        )
      )
    })
  )

  it.scoped("bodies without a credential are held up to 64 MiB in all, then 429; who has one is let in", () =>
    Effect.gen(function* () {
      const company = yield* TestCompany
      const { server } = company
      const begun = (length: number) =>
        Effect.gen(function* () {
          const connection = yield* open(server)
          connection.write(
            `POST /api/kyc/public/sessions/${crypto.randomUUID()}/complete HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`
          )
          return connection
        })
      const held = yield* Effect.scoped(
        Effect.gen(function* () {
          // Each lacks its last byte, and so is held.
          const connections = yield* Effect.forEach(Array.from({ length: 64 }), () => begun(mebibyte))
          for (const connection of connections) connection.write(" ".repeat(mebibyte - 1))
          const login = Effect.map(
            send(server, "POST", "/api/auth/login", {
              json: { email: "a@example.com", password: "wrong".repeat(40) }
            }),
            ({ body, headers, status }) => ({ body, retryAfter: headers.get("retry-after"), status })
          )
          // Sixty-four bytes are left, and a login has more.
          yield* eventually(
            "a login finds no place",
            30_000,
            Effect.map(login, ({ status }) => status === 429)
          )
          const me = yield* send(server, "POST", "/api/api-keys", {
            headers: { cookie: company.member.cookie },
            json: { name: "let in" }
          })
          return { login: yield* login, me }
        })
      )
      expect(held.login).toEqual({ body: { error: "Too many requests" }, retryAfter: "1", status: 429 })
      expect(held.me.status).toBe(201)
      // They are gone, and so is what they held.
      yield* eventually(
        "a login is looked at again",
        30_000,
        Effect.map(
          send(server, "POST", "/api/auth/login", {
            json: { email: "a@example.com", password: "wrong".repeat(40) }
          }),
          ({ status }) => status === 401
        )
      )
    })
  )

  it.scoped("a refused body that comes after all is skipped, and the connection goes on", () =>
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

  it.scoped("a client that goes away in the middle of its body harms nobody", () =>
    Effect.gen(function* () {
      const { server } = yield* TestCompany
      for (const framing of ["Content-Length: 100", "Transfer-Encoding: chunked"]) {
        yield* Effect.scoped(
          Effect.map(open(server), (connection) =>
            connection.write(`POST /api/auth/login HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n5\r\n{"ema`)
          )
        )
      }
      const connection = yield* open(server)
      connection.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
      expect((yield* connection.answer).status).toBe(200)
    })
  )
})
