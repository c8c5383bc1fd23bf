import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createInstance, createKey, field, send, signUp } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { execute } from "../support/postgres.ts"
import { type OwnServer, type RunningServer, sharedServer, startServerOn } from "../support/server.ts"
import { anInstant } from "../support/shapes.ts"

const company = (server: OwnServer) =>
  Effect.gen(function* () {
    const member = yield* signUp(server)
    const instance = yield* createInstance(server, member)
    return { server, member, key: yield* createKey(server, member), instanceId: instance.id }
  })

const use = (server: RunningServer, token: string, instanceId: string) =>
  Effect.map(
    send(server, "POST", "/api/kyc/public/sessions", {
      headers: { "x-api-key": token },
      json: { instanceId }
    }),
    ({ status }) => expect(status).toBe(201)
  )

const lastUsed = (server: RunningServer, id: string) =>
  Effect.map(
    execute(server.databaseUrl, "select last_used_at::text as at from api_keys where id = $1", [id]),
    ([row]) => {
      if (row === undefined) throw new Error(`There is no key ${id}`)
      return row.at
    }
  )

/** Writes what was used. */
const write = ({ run }: OwnServer) => run("keys.uses")

describe("last_used_at (contract.md#last-used)", () => {
  it.scopedLive("is written soon after the first use, and appears in list and stats", () =>
    Effect.gen(function* () {
      const { instanceId, key, member, server } = yield* company(yield* sharedServer)
      const headers = { cookie: member.cookie }
      expect(yield* lastUsed(server, key.id)).toBeNull()
      const [before] = yield* execute(server.databaseUrl, "select now() as at")
      yield* use(server, key.token, instanceId)
      yield* write(server)

      const [row] = yield* execute(
        server.databaseUrl,
        // The column keeps milliseconds. `shared/batched-uses` tests that the age of the use is subtracted.
        "select last_used_at between $2::timestamptz - interval '1 ms' and now() + interval '1 ms' as within from api_keys where id = $1",
        [key.id, before?.at]
      )
      expect(row).toStrictEqual({ within: true })
      const { body } = yield* send(server, "GET", "/api/api-keys", { headers })
      expect(field(body, "apiKeys", 0, "last_used_at")).toStrictEqual(anInstant)
      expect((yield* send(server, "GET", "/api/api-keys/stats", { headers })).body).toStrictEqual({
        stats: { total: 1, active: 1, revoked_or_disabled: 0, used_last_24h: 1 }
      })
    })
  )

  it.scopedLive("does not change when the key is refused", () =>
    Effect.gen(function* () {
      const { instanceId, key, member, server } = yield* company(yield* sharedServer)
      yield* send(server, "POST", `/api/api-keys/${key.id}/revoke`, { headers: { cookie: member.cookie } })
      const answer = yield* send(server, "POST", "/api/kyc/public/sessions", {
        headers: { "x-api-key": key.token },
        json: { instanceId }
      })
      expect(answer.status).toBe(401)
      yield* write(server)
      expect(yield* lastUsed(server, key.id)).toBeNull()
    })
  )

  it.scopedLive("is flushed when the process ends", () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      for (let round = 0; round < 3; round++) {
        const { key, server } = yield* Effect.scoped(
          Effect.gen(function* () {
            const found = yield* company(yield* startServerOn(databaseUrl))
            yield* use(found.server, found.key.token, found.instanceId)
            return found
          })
        )
        expect(yield* lastUsed(server, key.id)).not.toBeNull()
      }
    })
  )
})
