/** Clients that send many requests on one connection. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { createSession, onboard } from "../client.ts"
import { eventually } from "../eventually.ts"
import { callableApi } from "../marketplace/callable-api.ts"
import type { RunningServer } from "../server.ts"
import { open } from "./raw.ts"

/** The number of responses that each client of a program has received. */
const answered = new WeakMap<object, Array<() => number>>()

/** The statuses that a keep-alive client gets until the server announces the close. */
export const client = (program: Pick<RunningServer, "url">, request: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* open(program)
      const statuses: Array<number> = []
      answered.set(program, [...(answered.get(program) ?? []), () => statuses.length])
      for (;;) {
        connection.write(request)
        // Dies if the connection ends without a response.
        const answer = yield* connection.answer
        statuses.push(answer.status)
        if (answer.headers.get("connection") === "close") {
          yield* connection.closed
          return statuses
        }
      }
    })
  )

/** Waits until this many clients of the program have each had several responses. */
export const allWork = (program: Pick<RunningServer, "url">, clients: number) =>
  eventually(
    "the clients are at work",
    () => (answered.get(program) ?? []).filter((count) => count() > 2).length >= clients
  )

/** A raw request with this body. */
const withBody = (line: string, headers: string, body: string) =>
  `${line} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** Clients of a new company: reads, creations, gateway calls, uploads and sign-ins. */
export const usualRequests = (server: RunningServer) =>
  Effect.gen(function* () {
    const { instance, key, member, session } = yield* onboard(server)
    const api = yield* callableApi(server, member)
    const sessions = yield* Effect.replicateEffect(createSession(server, key.token, instance.id), 4)
    const read = `GET ${session.path}?token=${session.token} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    const create = withBody(
      "POST /api/kyc/public/sessions",
      `X-Api-Key: ${key.token}\r\n`,
      JSON.stringify({ instanceId: instance.id })
    )
    const call = withBody(`POST ${api.path}`, `X-Api-Key: ${api.token}\r\n`, "x".repeat(10_000))
    const uploads = sessions.map(({ path, token }) =>
      withBody(`POST ${path}/files`, `Authorization: Bearer ${token}\r\n`, `%PDF-1.7\n${"x".repeat(50_000)}`)
    )
    // Each hashes for some tenths of a second, so some are always in flight.
    const login = withBody(
      "POST /api/auth/login",
      "",
      JSON.stringify({ email: member.email, password: member.password })
    )
    return [
      ...Array<string>(8).fill(read),
      ...Array<string>(8).fill(create),
      ...Array<string>(4).fill(call),
      ...uploads,
      login,
      login
    ]
  })

/** Every request got a good response. */
export const allWell = (statuses: ReadonlyArray<number>) => {
  // 429 is for a session's 41st file.
  expect([200, 201, 429]).toEqual(expect.arrayContaining([...new Set(statuses)]))
  expect(statuses).toEqual(expect.arrayContaining([200, 201]))
}
