import { expect } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Config } from "../../../src/config.ts"
import * as database from "../../../src/db/database.ts"
import { SessionKeyRepo } from "../../../src/kyc/sessions/keys-repo.ts"
import { SessionKeys } from "../../../src/kyc/sessions/keys-service.ts"
import { SessionRepo } from "../../../src/kyc/sessions/repo.ts"
import { Sessions } from "../../../src/kyc/sessions/service.ts"
import { SecretKey } from "../../../src/secrets/secret-key.ts"
import { testKey } from "../../support/audit/audited.ts"
import { createSession, field, onboard, send, text } from "../../support/client.ts"
import { refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { temporaryFolder } from "../../support/postgres.ts"
import { TestServer } from "../../support/server.ts"
import { suite } from "../../support/suite.ts"

/** A JSON text with a number of five bytes that Postgres writes with 309. */
const inflated = (numbers: number) => `[${Array.from({ length: numbers }, () => "1e308").join(",")}]`

const json = { "content-type": "application/json" }

suite(TestServer.layer)("Stored values have a maximum size", (it) => {
  it.effect("result 1 MiB, metadata 16 KiB in Postgres' notation, even if the body was shorter", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { instance, key, session } = yield* onboard(server)
      const complete = (result: string) =>
        send(server, "POST", `${session.path}/complete`, {
          headers: json,
          body: `{"token":"${session.token}","result":${result}}`
        })
      const create = (numbers: number) =>
        send(server, "POST", "/api/kyc/public/sessions", {
          headers: { ...json, "x-api-key": key.token },
          body: `{"instanceId":"${instance.id}","metadata":{"a":${inflated(numbers)}}}`
        })
      expect(statusAndBody(yield* complete(inflated(3500)))).toEqual(refusal(400, "result is too large"))
      expect((yield* complete(inflated(3000))).status).toBe(200)
      expect(statusAndBody(yield* create(60))).toEqual(refusal(400, "metadata is too large"))
      expect((yield* create(50)).status).toBe(201)
    })
  )

  it.scoped(
    "progress: 64 KiB in Postgres' notation, in which it is printed only for holders of the token",
    () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const { instance, key, session } = yield* onboard(server)
        const { token: another } = yield* createSession(server, key.token, instance.id)
        const update = (token: string, numbers: number) =>
          send(server, "POST", `${session.path}/progress`, {
            headers: json,
            body: `{"token":"${token}","progress":{"a":${inflated(numbers)}}}`
          })
        const [stranger, holder] = [yield* update(another, 100_000), yield* update(session.token, 250)]
        expect(statusAndBody(stranger)).toEqual(refusal(404, "Session not found"))
        expect(statusAndBody(holder)).toEqual(refusal(413, "progress is too large"))
        expect((yield* update(session.token, 200)).status).toBe(200)

        // No request can tell what is printed. An object that notes it can.
        let read = 0
        const progress = new Proxy(
          {},
          {
            ownKeys: () => {
              read += 1
              return []
            }
          }
        )
        const refused = yield* Effect.flatMap(Sessions, (sessions) =>
          Effect.flip(sessions.update({ sessionId: session.id, token: another }, { progress }))
        ).pipe(
          Effect.provide(
            Sessions.Default.pipe(
              Layer.provide(
                Layer.provideMerge(
                  SessionKeys.Default,
                  Layer.merge(SessionRepo.Default, SessionKeyRepo.Default)
                )
              ),
              Layer.provide(database.layer({ url: server.databaseUrl, maxConnections: 2 })),
              Layer.provide(SecretKey.layer(Redacted.make(testKey))),
              Layer.provide(Config.layer({ DATA_DIR: yield* temporaryFolder }))
            )
          )
        )
        expect([refused._tag, read]).toEqual(["SessionNotFound", 0])
      })
  )

  it.effect("the partner's list: pages of large sessions are short, and omit none", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { instance, key, session } = yield* onboard(server)
      const headers = { "x-api-key": key.token }
      const more = yield* Effect.replicateEffect(createSession(server, key.token, instance.id), 11)
      const result = "x".repeat(1_000_000)
      for (const { path, token } of [session, ...more]) {
        const done = yield* send(server, "POST", `${path}/complete`, { json: { token, result } })
        expect(done.status).toBe(200)
      }
      const first = yield* send(server, "GET", "/api/kyc/sessions?limit=100", { headers })
      const second = yield* send(
        server,
        "GET",
        `/api/kyc/sessions?limit=100&cursor=${text(first.body, "next_cursor")}`,
        { headers }
      )
      expect(field(second.body, "next_cursor")).toBe(null)
      const ids = [first, second].map(({ body }) =>
        [field(body, "sessions")].flat().map((listed) => text(listed, "id"))
      )
      expect(ids.map(({ length }) => length)).toStrictEqual([7, 5])
      expect(ids.flat()).toStrictEqual([...more.map(({ id }) => id).reverse(), session.id])
    })
  )
})
