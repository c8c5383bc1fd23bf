/** The program's end: nothing in flight is lost, nothing is left behind, nothing answered is forgotten. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { send } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { allWell, client, usualRequests } from "../support/keep-alive.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { databasePid, isAlive, runUntilReady } from "../support/program.ts"
import { open } from "../support/raw.ts"

/** The database is reached over HTTP only. */
const nowhere = Redacted.make("")

const settings = { SEED_DEMO: "false", LOG_LEVEL: "warning" }

describe("a process under load", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it.scopedLive(
      `${signal}: answers all it was sent, says close, exits with 0 and leaves no database`,
      () =>
        Effect.gen(function* () {
          const dataDir = yield* temporaryFolder
          const program = yield* runUntilReady({ ...settings, DATA_DIR: dataDir })
          const requests = yield* usualRequests({ ...program, databaseUrl: nowhere })
          const pid = yield* databasePid(dataDir)
          const clients = yield* Effect.forEach(requests, (request) => Effect.fork(client(program, request)))
          yield* Effect.sleep("300 millis")
          program.signal(signal)
          const drained = yield* Effect.fork(
            eventually(
              "/readyz says 503 while the process stops",
              5_000,
              Effect.map(send(program, "GET", "/readyz"), ({ status, text }) => {
                if (status === 200) return false
                expect([status, text]).toEqual([503, '{"error":"Not ready"}'])
                return true
              })
            )
          )
          const statuses = yield* Effect.forEach(clients, (fiber) => fiber.await)
          for (const exit of statuses) expect(exit).toMatchObject({ _tag: "Success" })
          const seen = statuses.flatMap((exit) => (exit._tag === "Success" ? exit.value : []))
          allWell(seen)
          expect(seen.length).toBeGreaterThan(clients.length)
          yield* drained
          expect(yield* program.exited).toBe(0)
          expect(program.stderr()).toBe("")
          expect(yield* isAlive(pid)).toBe(false)
        }),
      60_000
    )
  }

  it.scopedLive(
    "SIGTERM with a body that never ends: stops all the same",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* temporaryFolder
        const program = yield* runUntilReady({ ...settings, DATA_DIR: dataDir })
        const connection = yield* open(program)
        connection.write("POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        yield* send(program, "GET", "/healthz")
        const pid = yield* databasePid(dataDir)
        program.signal("SIGTERM")
        const [elapsed, code] = yield* Effect.timed(program.exited)
        expect(code).toBe(0)
        // The body's own deadline comes before that of the drain.
        expect(Duration.toSeconds(elapsed)).toBeLessThan(22)
        const { body, status } = yield* connection.answer
        expect([status, body]).toStrictEqual([408, '{"error":"Request body took too long"}'])
        expect(yield* isAlive(pid)).toBe(false)
      }),
    60_000
  )
})
