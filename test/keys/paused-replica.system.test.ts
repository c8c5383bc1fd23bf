import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { createInstance, createKey, send, signUp } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { productionProgram, runOn } from "../support/program.ts"
import { startServerOn } from "../support/server.ts"

it.scopedLive("a revoked key is refused in the first response of a process that was paused meanwhile", () =>
  Effect.gen(function* () {
    const databaseUrl = yield* freshDatabase
    const first = yield* startServerOn(databaseUrl)
    const member = yield* signUp(first)
    const instance = yield* createInstance(first, member)
    const key = yield* createKey(first, member)
    // With its real lease, which ends during the pause.
    const second = yield* runOn(databaseUrl, {}, productionProgram)
    const use = send(second, "POST", "/api/kyc/public/sessions", {
      headers: { "x-api-key": key.token },
      json: { instanceId: instance.id }
    })
    for (let i = 0; i < 3; i++) expect((yield* use).status).toBe(201)

    process.kill(second.pid, "SIGSTOP")
    yield* send(first, "POST", `/api/api-keys/${key.id}/revoke`, { headers: { cookie: member.cookie } })
    const answer = yield* Effect.fork(use)
    // A process that stands still reports nothing to wait for: the second that the contract allows passes.
    yield* Effect.sleep("1 second")
    process.kill(second.pid, "SIGCONT")
    const { body, status } = yield* Fiber.join(answer)
    expect([status, body]).toStrictEqual([401, { error: "Invalid API key" }])
  })
)
