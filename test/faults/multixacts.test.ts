/** Many clients that write at once: no row that they share gets locked by several of them, which would use up MultiXacts. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { startEmbeddedPostgres } from "../../src/db/embedded.ts"
import { createSession, onboard, send } from "../support/client.ts"
import { newKeyHash } from "../support/kyc/dedup.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { startServerOn } from "../support/server.ts"

const clients = 32
const sessionsOfEach = 10

it.scopedLive(
  "32 clients create, start and complete sessions of one instance on two replicas: no MultiXact is used",
  () =>
    Effect.gen(function* () {
      const { adminUrl: url } = yield* startEmbeddedPostgres({ dataDir: yield* temporaryFolder })
      const replicas = [
        yield* startServerOn(url, { DATA_DIR: yield* temporaryFolder }),
        yield* startServerOn(url, { DATA_DIR: yield* temporaryFolder })
      ] as const
      const { instance, key } = yield* onboard(
        replicas[0],
        {},
        {
          config: { review: { mode: "manual" } }
        }
      )
      const next = Effect.map(
        Effect.zipRight(
          execute(url, "checkpoint"),
          execute(url, "select next_multixact_id::text as id from pg_control_checkpoint()")
        ),
        ([row]) => row?.id
      )
      const before = yield* next
      const answers = yield* Effect.forEach(
        Array.from({ length: clients }, (_, number) => replicas[number % 2 === 0 ? 0 : 1]),
        (server) =>
          Effect.replicateEffect(
            Effect.gen(function* () {
              const session = yield* createSession(server, key.token, instance.id)
              const act = (name: string, fields: object = {}) =>
                Effect.map(
                  send(server, "POST", `${session.path}/${name}`, {
                    json: { token: session.token, ...fields }
                  }),
                  ({ status, text }) => (status === 200 ? "ok" : text)
                )
              return [
                yield* act("progress", { status: "running", progress: { step: "one" } }),
                yield* act("dedup-check", { keyHash: newKeyHash() }),
                yield* act("complete")
              ]
            }),
            sessionsOfEach
          ),
        { concurrency: "unbounded" }
      )
      expect(new Set(answers.flat(2))).toEqual(new Set(["ok"]))
      expect(yield* next).toBe(before)
    })
)
