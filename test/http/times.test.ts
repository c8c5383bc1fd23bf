/** contract.md#times: ISO 8601 UTC with milliseconds, `Z`. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createKey, onboard, send } from "../support/client.ts"
import { startServer } from "../support/server.ts"

const iso = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Every field named like a time, wherever it is. */
const times = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([name, inner]) =>
        /(_at|At)$/.test(name) ? [[name, inner] as const] : times(inner)
      )

it.scopedLive("every time in every answer", () =>
  Effect.gen(function* () {
    const server = yield* startServer()
    const { instance, key, member, session } = yield* onboard(server)
    yield* createKey(server, member, { expiresAt: "2030-01-02" })
    yield* createKey(server, member, { expiresAt: "2030-01-02T03:04:05.6789+02:00" })
    const headers = { cookie: member.cookie }
    const body = { token: session.token, keyHash: "a".repeat(64), status: "running" }
    const revoked = yield* createKey(server, member)
    yield* send(server, "POST", `/api/api-keys/${revoked.id}/revoke`, { headers })
    const answers = [
      yield* send(server, "POST", "/api/kyc/public/sessions", {
        headers: { "x-api-key": key.token },
        json: { instanceId: instance.id }
      }),
      yield* send(server, "POST", `${session.path}/progress`, { json: body }),
      yield* send(server, "POST", `${session.path}/dedup-check`, { json: body }),
      yield* send(server, "GET", `${session.path}?token=${session.token}`),
      yield* send(server, "POST", `${session.path}/complete`, { json: { token: session.token } }),
      yield* send(server, "GET", "/api/api-keys", { headers }),
      yield* send(server, "GET", "/api/kyc/instances", { headers }),
      yield* send(server, "GET", "/api/kyc/sessions", { headers }),
      yield* send(server, "GET", `/api/kyc/sessions/${session.id}`, { headers })
    ]
    const found = answers.flatMap(({ body }) => times(body))
    expect([...new Set(found.map(([name]) => name))].sort()).toEqual([
      "completed_at",
      "created_at",
      "disabled_at",
      "expiresAt",
      "expires_at",
      "firstSeenAt",
      "lastSeenAt",
      "last_used_at",
      "redacted_at",
      "revoked_at",
      "started_at",
      "updated_at"
    ])
    for (const [name, value] of found) {
      if (value !== null) expect([name, value]).toEqual([name, expect.stringMatching(iso)])
    }
    expect(found).toContainEqual(["expiresAt", "2030-01-02T00:00:00.000Z"])
    expect(found).toContainEqual(["expiresAt", "2030-01-02T01:04:05.678Z"])
  })
)
