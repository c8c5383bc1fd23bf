/** contract.md#database-failures: without its database, every route answers its own 500, and recovers by itself. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { onboard, send } from "../support/client.ts"
import { onEach } from "../support/contract.ts"
import { ask, onDatabase, ownFailure, recovers } from "../support/database/faulty-database.ts"
import { withoutDatabase } from "../support/database/outage.ts"
import { secret } from "../support/kyc/captcha.ts"
import { startServer } from "../support/server.ts"

it.scopedLive("no database: each route's own 500, with a request id, and recovery once it is back", () =>
  Effect.gen(function* () {
    const server = yield* startServer({ CAPTCHA_JWT_SECRET: secret })
    const company = yield* onboard(server)
    yield* withoutDatabase(
      server,
      Effect.gen(function* () {
        yield* onEach(onDatabase, (route) =>
          Effect.map(ask(server, company, route), ({ body, headers, status }) =>
            expect([status, body, headers.has("x-request-id")]).toEqual([500, ownFailure(route), true])
          )
        )
        expect((yield* send(server, "GET", "/healthz")).status).toBe(200)
        const ready = yield* send(server, "GET", "/readyz")
        expect([ready.status, ready.text]).toEqual([503, '{"error":"Not ready"}'])
      })
    )
    yield* recovers(server, company)
  })
)
