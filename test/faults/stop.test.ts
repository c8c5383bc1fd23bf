/** The program is stopped while clients ask: it answers every request it was sent, and leaves no database behind. */
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Lifecycle } from "../../src/http/lifecycle.ts"
import { onboard, send } from "../support/client.ts"
import { allWell, allWork, client, usualRequests } from "../support/keep-alive.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { databasePid, isAlive, runUntilReady } from "../support/program.ts"
import { open } from "../support/raw.ts"
import { startServer } from "../support/server.ts"

/** The database is reached over HTTP only. */
const nowhere = Redacted.make("")

const settings = { SEED_DEMO: "false", LOG_LEVEL: "warning" }

describe.concurrent("a process under load", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it.scopedLive(`${signal}: answers all it was sent, says close, exits with 0 and leaves no database`, () =>
      Effect.gen(function* () {
        const dataDir = yield* temporaryFolder
        const program = yield* runUntilReady({ ...settings, DATA_DIR: dataDir })
        const requests = yield* usualRequests({ ...program, databaseUrl: nowhere })
        const pid = yield* databasePid(dataDir)
        const clients = yield* Effect.forEach(requests, (request) => Effect.fork(client(program, request)))
        const balancer = yield* Effect.fork(client(program, "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n"))
        yield* allWork(program, clients.length)
        program.signal(signal)
        const statuses = yield* Effect.forEach(clients, (fiber) => fiber.await)
        for (const exit of statuses)
          expect(exit, "a client had no answer to what it had sent").toMatchObject({ _tag: "Success" })
        const seen = statuses.flatMap((exit) => (exit._tag === "Success" ? exit.value : []))
        allWell(seen)
        const readiness = yield* balancer.await
        expect(readiness, "/readyz answers until its client is told to go").toMatchObject({ _tag: "Success" })
        const ready = readiness._tag === "Success" ? readiness.value : []
        expect(ready.join(" "), "/readyz: 200, and nothing but 503 from the signal on").toMatch(
          /^200( 200)*( 503)*$/
        )
        expect(yield* program.exited).toBe(0)
        expect(program.stderr()).toBe("")
        expect(yield* isAlive(pid), "the embedded database still runs").toBe(false)
      })
    )
  }

  it.scopedLive(
    "SIGTERM with a body that never ends: its client is answered 408, and the process stops all the same",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* temporaryFolder
        const program = yield* runUntilReady({ ...settings, DATA_DIR: dataDir })
        const connection = yield* open(program)
        connection.write("POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        yield* send(program, "GET", "/healthz")
        const pid = yield* databasePid(dataDir)
        program.signal("SIGTERM")
        // A code and not a signal: it ended by itself.
        expect(yield* program.exited).toBe(0)
        // Told so by the deadline for bodies: who is cut off at the end of the stop has no answer.
        const { body, status } = yield* connection.answer
        expect([status, body]).toStrictEqual([408, '{"error":"Request body took too long"}'])
        expect(yield* isAlive(pid), "the embedded database still runs").toBe(false)
      })
  )
})

it.scopedLive(
  "a process that has begun to stop: /readyz says 503 Not ready, and all else is still answered, with close",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const { session } = yield* onboard(server)
      yield* Context.get(server.services, Lifecycle).startDraining
      const ready = yield* send(server, "GET", "/readyz")
      expect([ready.status, ready.body]).toEqual([503, { error: "Not ready" }])
      const read = yield* send(server, "GET", `${session.path}?token=${session.token}`)
      expect([read.status, read.headers.get("connection")]).toEqual([200, "close"])
    })
)
