import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Layer, Schema, Stream } from "effect"
import { asUser } from "../../accounts/credential.ts"
import { group } from "../../http/runtime/handlers.ts"
import { forActor, forCaller } from "../../keys/credential.ts"
import { Caller } from "../../keys/guards.ts"
import { readCursor } from "../../shared/cursor.ts"
import { ok } from "../../shared/schemas.ts"
import { BrowserSessionsApi } from "./api.ts"
import { SessionCreated, SessionCreationApi, TestSessionsApi } from "./creation-api.ts"
import { SessionCreation } from "./creation-service.ts"
import { presentedSession, SessionGuesses } from "./credential.ts"
import { SessionCsv } from "./csv-service.ts"
import { SessionBearer } from "./guards.ts"
import { PartnerSessionsApi } from "./partner-api.ts"
import { PartnerSessions } from "./partner-service.ts"
import { Sessions } from "./service.ts"

const encodeCreated = Schema.encodeSync(SessionCreated)

const creation = group(SessionCreationApi, (handlers) =>
  Effect.map(SessionCreation, (sessions) =>
    handlers.handle("create", ({ headers, payload }) =>
      Effect.gen(function* () {
        const { companyId } = yield* Caller
        // Empty strings count as missing.
        const request = {
          ...payload,
          instanceId: payload.instanceId || undefined,
          instanceKey: payload.instanceKey || undefined
        }
        const idempotencyKey = headers["idempotency-key"]
        if (idempotencyKey === undefined) return yield* sessions.create(companyId, request)
        const { created, replayed } = yield* forActor((by) =>
          sessions.createOnce(by, request, idempotencyKey)
        )
        return HttpServerResponse.unsafeJson(encodeCreated(created), {
          status: 201,
          headers: replayed ? { "idempotent-replayed": "true" } : {}
        })
      })
    )
  )
)

const testing = group(TestSessionsApi, (handlers) =>
  Effect.map(SessionCreation, (sessions) =>
    handlers.handle("create", ({ path }) => asUser((by) => sessions.createTest(by, path.id)))
  )
)

const browser = group(BrowserSessionsApi, (handlers) =>
  Effect.zipWith(Sessions, SessionGuesses, (sessions, { limiting }) =>
    handlers
      .handle("read", ({ path, urlParams }) =>
        limiting(sessions.read({ ...path, ...urlParams })).pipe(Effect.bindTo("session"))
      )
      .handle("progress", ({ path, payload: { token, ...progress } }) =>
        Effect.map(limiting(sessions.update({ ...path, token }, progress)), (session) => ({ ...ok, session }))
      )
      .handle("complete", ({ path, payload: { token, ...completion } }) =>
        Effect.map(limiting(sessions.complete({ ...path, token }, completion)), (done) => ({
          ...ok,
          ...done
        }))
      )
  )
)

/** An attachment. If the client goes away, no more of it is read. */
const downloaded = (text: Stream.Stream<string>) =>
  HttpServerResponse.raw(Stream.toReadableStream(Stream.encodeText(text)), {
    contentType: "text/csv; charset=utf-8; header=present",
    headers: {
      "content-disposition": 'attachment; filename="sessions.csv"',
      "x-content-type-options": "nosniff"
    }
  })

const partner = group(PartnerSessionsApi, (handlers) =>
  Effect.zipWith(PartnerSessions, SessionCsv, (sessions, csv) =>
    handlers
      .handle("list", ({ urlParams: { cursor, ...query } }) =>
        forCaller((companyId) => sessions.list(companyId, { ...query, cursor: readCursor(cursor) }))
      )
      .handle("csv", ({ urlParams }) =>
        Effect.map(
          forCaller((companyId) => csv.all(companyId, urlParams)),
          downloaded
        )
      )
      .handle("get", ({ path }) =>
        forCaller((companyId) => sessions.get(companyId, path.id)).pipe(Effect.bindTo("session"))
      )
  )
)

export const layer = Layer.mergeAll(creation, testing, browser, partner)

export const credentials = Layer.succeed(SessionBearer, presentedSession)
