/** Where the service is for this machine alone, a page of another site cannot be of its origin (DNS rebinding). */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { open } from "../support/http/raw.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { runUntilReady } from "../support/program.ts"
import { startServer } from "../support/server.ts"

const signUp = (server: { readonly url: string }, host: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const email = `${crypto.randomUUID()}@example.com`
      const body = JSON.stringify({ companyName: "Example", email, password: "correct horse battery staple" })
      const connection = yield* open(server)
      connection.write(
        `POST /api/auth/signup HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      )
      const { body: answered, headers, status } = yield* connection.answer
      return [status, status === 421 ? answered : "", headers.get("doorlock-error")]
    })
  )

it.scopedLive(
  "with the embedded database on loopback, a foreign host is 421; on other addresses, or with DATABASE_URL, it is not",
  () =>
    Effect.gen(function* () {
      const settings = {
        DATA_DIR: yield* temporaryFolder,
        SEED_DEMO: "false",
        BASE_URL: "http://mine.example"
      }
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { url } = yield* runUntilReady({ ...settings, HOST: "" })
          const server = { url: url.replace("localhost", "127.0.0.1") }
          expect(yield* signUp(server, "attacker.example:4101")).toEqual([
            421,
            '{"error":"Host is not one of this service"}',
            "host-not-served"
          ])
          expect(yield* signUp(server, "localhost:4101")).toEqual([201, "", undefined])
        })
      )
      yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* runUntilReady({ ...settings, HOST: "127.0.0.1" })
          expect((yield* signUp(server, "attacker.example:4101"))[0]).toBe(421)
        })
      )
      const everywhere = yield* runUntilReady({ ...settings, HOST: "0.0.0.0", SIGNUP: "open" })
      expect((yield* signUp(everywhere, "other.example"))[0]).toBe(201)
      expect((yield* signUp(yield* startServer(), "other.example"))[0]).toBe(201)
    })
)
