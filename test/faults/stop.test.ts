/** The program stops under load: it answers every request it received, and leaves no database running. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, type Duration, Effect, Exit, Fiber, Redacted, Scope } from "effect"
import { onboard, send } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { allWell, allWork, client, usualRequests } from "../support/http/keep-alive.ts"
import { open } from "../support/http/raw.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { databasePid, isAlive, productionProgram, runUntilReady } from "../support/program.ts"
import { startServer } from "../support/server.ts"
import { stoppedClock } from "../support/stopped-clock.ts"

const waitingClients = join(import.meta.dirname, "../support/http/waiting-clients-program.ts")

/** The test reaches the database only over HTTP. */
const nowhere = Redacted.make("")

const settings = { SEED_DEMO: "false", LOG_LEVEL: "warning" }

describe.concurrent("a process under load", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it.scopedLive(
      `${signal}: responds to every request, closes connections, exits with 0 and leaves no database`,
      () =>
        Effect.gen(function* () {
          const dataDir = yield* temporaryFolder
          const program = yield* runUntilReady({ ...settings, DATA_DIR: dataDir })
          const requests = yield* usualRequests({ ...program, databaseUrl: nowhere })
          const pid = yield* databasePid(dataDir)
          const clients = yield* Effect.forEach(requests, (request) => Effect.fork(client(program, request)))
          const balancer = yield* Effect.fork(
            client(program, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
          )
          yield* allWork(program, clients.length)
          program.signal(signal)
          const statuses = yield* Effect.forEach(clients, (fiber) => fiber.await)
          for (const exit of statuses)
            expect(exit, "a client had no answer to what it had sent").toMatchObject({ _tag: "Success" })
          const seen = statuses.flatMap((exit) => (exit._tag === "Success" ? exit.value : []))
          allWell(seen)
          const readiness = yield* balancer.await
          expect(readiness, "/readyz answers until its client is told to go").toMatchObject({
            _tag: "Success"
          })
          const ready = readiness._tag === "Success" ? readiness.value : []
          // On a busy machine, a slow database makes it 503 before the signal, too.
          expect([200, 503], "what /readyz may say").toEqual(expect.arrayContaining([...new Set(ready)]))
          expect(yield* program.exited).toBe(0)
          expect(program.stderr()).toBe("")
          expect(yield* isAlive(pid), "the embedded database still runs").toBe(false)
        })
    )
  }

  it.scopedLive("SIGTERM with a body that never ends: its client gets 408, and the process still stops", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const program = yield* runUntilReady({ ...settings, DATA_DIR: dataDir }, productionProgram)
      const connection = yield* open(program)
      connection.write("POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
      yield* send(program, "GET", "/healthz")
      const pid = yield* databasePid(dataDir)
      program.signal("SIGTERM")
      // An exit code, not a signal: the process ended by itself.
      expect(yield* program.exited).toBe(0)
      // Told so by the deadline for bodies: who is cut off at the end of the stop has no answer.
      const { body, status } = yield* connection.answer
      expect([status, body]).toStrictEqual([408, '{"error":"Request body took too long"}'])
      expect(yield* isAlive(pid), "the embedded database still runs").toBe(false)
    })
  )
})

/** A server in this process. When it is told to stop, it goes on accepting connections until `stopListening`. */
const stoppable = Effect.gen(function* () {
  const { clock } = stoppedClock()
  // From the signal on, every sleep in the process lasts until the test ends it.
  const over = yield* Deferred.make<void>()
  let held: Effect.Effect<void> = Effect.void
  const sleep = (duration: Duration.Duration) =>
    Effect.zipRight(
      clock.sleep(duration),
      Effect.suspend(() => held)
    )
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  const server = yield* Scope.extend(Effect.withClock(startServer(), { ...clock, sleep }), scope)
  /** On a new connection. */
  const get = (path: string) =>
    Effect.scoped(
      Effect.gen(function* () {
        const connection = yield* open(server)
        connection.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
        return yield* connection.answer
      })
    )
  const stopListening = Deferred.succeed(over, undefined)
  /** Until it says that it is not ready. */
  const beginStop = Effect.gen(function* () {
    held = Deferred.await(over)
    const stopping = yield* Effect.fork(Scope.close(scope, Exit.void))
    yield* Effect.addFinalizer(() => stopListening)
    yield* eventually(
      "a new connection is told that the process is not ready",
      Effect.map(get("/readyz"), ({ body, status }) => status === 503 && body === '{"error":"Not ready"}')
    )
    return stopping
  })
  return { server, get, beginStop, stopListening }
})

it.scopedLive(
  "a stopping process still accepts connections for a while: /readyz answers 503 Not ready, and other requests succeed with `close`",
  () =>
    Effect.gen(function* () {
      const { beginStop, get, server, stopListening } = yield* stoppable
      const { session } = yield* onboard(server)
      expect((yield* get("/readyz")).status).toBe(200)

      const stopping = yield* beginStop
      const read = yield* get(`${session.path}?token=${session.token}`)
      expect([read.status, read.headers.get("connection")]).toEqual([200, "close"])

      yield* stopListening
      yield* Fiber.join(stopping)
      expect((yield* Effect.exit(get("/readyz")))._tag).toBe("Failure")
    })
)

it.scopedLive(
  "when it stops listening, all get answers who have connected by then, also those whom a busy process has not accepted yet",
  () =>
    Effect.gen(function* () {
      const { beginStop, server, stopListening } = yield* stoppable
      const stopping = yield* beginStop
      const file = join(yield* temporaryFolder, "all-have-connected")
      const clients = Bun.spawn([process.execPath, waitingClients, server.url, "300", file], {
        stdout: "pipe"
      })
      // This process, and with it the server, stands still until the kernel has taken all connections in its place.
      for (const began = performance.now(); !existsSync(file); Bun.sleepSync(1)) {
        if (performance.now() - began > 60_000) throw new Error("The clients do not connect")
      }
      yield* stopListening
      yield* Fiber.join(stopping)
      expect(yield* Effect.promise(() => new Response(clients.stdout).json())).toEqual({ 200: 300 })
    })
)
