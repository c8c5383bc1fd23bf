/** Keys at rest, in logs, and in each other's place. */
import { createHash } from "node:crypto"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "../support/client.ts"
import { withoutTable } from "../support/database/outage.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { createdKey, marketplaceOn, subscribed } from "../support/marketplace/subscriptions.ts"
import { execute } from "../support/postgres.ts"
import { startHere } from "../support/program-here.ts"
import { type RunningServer, startServer } from "../support/server.ts"

/** Every row of every table as Postgres writes it as text: bytes are in hex there. */
const dump = ({ databaseUrl }: RunningServer) =>
  Effect.gen(function* () {
    const tables = yield* execute(
      databaseUrl,
      "select format('%I', tablename) as name from pg_tables where schemaname = 'public' order by 1"
    )
    const dumped = yield* Effect.all(
      tables.map(({ name }) => execute(databaseUrl, `select t::text as line from ${name} t`))
    )
    return dumped.flat().map(({ line }) => String(line))
  })

const pieces = (text: string, length: number) =>
  Array.from({ length: text.length - length + 1 }, (_, at) => text.slice(at, at + length))

it.scopedLive(
  "a dump of the whole database contains no token, no 12 characters of one, and no Idempotency-Key",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const { api, createKey: newKey, rotate, subscribe } = yield* marketplaceOn(server)
      const idempotencyKey = crypto.randomUUID()
      const first = subscribed(yield* subscribe(api, {}, idempotencyKey))
      expect(subscribed(yield* subscribe(api, {}, idempotencyKey)).token).toBe(first.token)
      const live = createdKey(yield* newKey(first.id))
      const test = createdKey(yield* newKey(first.id, { name: "t", mode: "test" }))
      const rotated = createdKey(yield* rotate(live.id))

      const lines = (yield* dump(server)).join("\n")
      for (const { token } of [first, live, test, rotated]) {
        // The search finds what is there.
        expect(lines).toContain(createHash("sha256").update(token).digest("hex"))
        expect(lines).toContain(token.slice(0, 12))
        for (const piece of pieces(token.slice("dk_live_".length), 12)) {
          for (const form of [piece, Buffer.from(piece).toString("hex")]) expect(lines).not.toContain(form)
        }
      }
      const bytes = Buffer.from(idempotencyKey.replaceAll("-", ""), "hex")
      expect(lines).toContain(createHash("sha256").update(idempotencyKey).digest("hex"))
      for (const form of [
        idempotencyKey,
        Buffer.from(idempotencyKey).toString("hex"),
        bytes.toString("hex")
      ]) {
        expect(lines).not.toContain(form)
      }
    })
)

it.scopedLive("tokens and Idempotency-Keys are never in the output, even when things fail", () =>
  Effect.gen(function* () {
    const program = yield* startHere(yield* freshDatabase, {
      SIGNUP: "open",
      SEED_DEMO: "false",
      LOG_LEVEL: "trace",
      LOG_FORMAT: "json"
    })
    const { api, createKey: newKey, rotate, subscribe } = yield* marketplaceOn(program)
    const key = crypto.randomUUID()
    const first = subscribed(yield* subscribe(api, {}, key))
    const second = createdKey(yield* rotate(first.keyId))
    const failing = yield* withoutTable(
      program,
      "marketplace_keys",
      Effect.all([newKey(first.id), rotate(second.id)])
    )
    const lost = yield* withoutTable(program, "idempotent_answers", subscribe(api, {}, key))
    for (const { status } of [...failing, lost]) expect(status).toBe(500)
    yield* send(program, "GET", `/api/api-keys?key=${first.token}`, {
      headers: { "x-api-key": second.token }
    })
    yield* send(program, "GET", "/healthz", { headers: { "x-request-id": "the-last-one" } })
    yield* eventually("the last request is logged", () => program.output().includes("the-last-one"))
    expect(program.output().split("Request failed").length).toBe(4)
    for (const secret of [first.token, second.token, key]) expect(program.output()).not.toContain(secret)
  })
)
