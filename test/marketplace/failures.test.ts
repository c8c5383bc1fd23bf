import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { layer as databaseLayer } from "../../src/db/database.ts"
import { IdempotencyRepo } from "../../src/marketplace/subscriptions/idempotency-repo.ts"
import { withoutTable } from "../support/database/outage.ts"
import { refusal, statusAndBody } from "../support/kyc/partner.ts"
import { freshSlug, upstreamUrl } from "../support/marketplace/publisher.ts"
import {
  createdKey,
  marketplaceOn,
  newSubscriber,
  subscribed,
  subscription
} from "../support/marketplace/subscriptions.ts"
import { type RunningServer, startServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

type Given = Effect.Effect.Success<ReturnType<typeof subscription>>

type Route = readonly [method: string, path: string, json: object | undefined, error: string]

const name = { name: "x" }

/** The routes that use each table, in an order in which all succeed. */
const routesOf: Readonly<Record<string, (given: Given) => ReadonlyArray<Route>>> = {
  subscriptions: ({ id }) => [
    ["GET", "/subscriptions", undefined, "Failed to list subscriptions"],
    ["GET", `/subscriptions/${id}`, undefined, "Failed to get subscription"],
    ["POST", `/subscriptions/${id}/cancel`, undefined, "Failed to cancel subscription"]
  ],
  marketplace_keys: ({ id, keyId }) => [
    ["GET", `/subscriptions/${id}/keys`, undefined, "Failed to list API keys"],
    ["POST", `/subscriptions/${id}/keys`, name, "Failed to create API key"],
    ["POST", `/keys/${keyId}/rotate`, {}, "Failed to rotate key"],
    ["POST", `/keys/${keyId}/revoke`, undefined, "Failed to revoke key"]
  ],
  apis: ({ api: { id } }) => [
    ["GET", "/apis", undefined, "Failed to list APIs"],
    ["GET", "/openapi.json", undefined, "Failed to describe APIs"],
    ["GET", `/apis/${id}`, undefined, "Failed to get API"],
    ["GET", `/apis/${id}/openapi.json`, undefined, "Failed to describe API"],
    ["GET", "/publisher/apis", undefined, "Failed to list APIs"],
    ["POST", "/apis", { slug: freshSlug(), name: "x" }, "Failed to create API"],
    ["POST", `/apis/${id}/versions`, { version: "9", upstreamUrl }, "Failed to create version"],
    ["PATCH", `/apis/${id}`, name, "Failed to change API"],
    ["POST", `/apis/${id}/plans`, name, "Failed to create plan"],
    ["POST", `/apis/${id}/publish`, {}, "Failed to publish API"],
    ["POST", `/apis/${id}/unpublish`, {}, "Failed to unpublish API"]
  ],
  api_usage: ({ api, id }) => [
    ["GET", `/apis/${api.id}/usage`, undefined, "Failed to load usage"],
    ["GET", `/subscriptions/${id}/usage`, undefined, "Failed to load usage"]
  ],
  publishers: () => [["GET", "/publisher", undefined, "Failed to get publisher"]]
}

class Failing extends Context.Tag("Failing")<Failing, RunningServer>() {
  static readonly layer = Layer.scoped(Failing, Effect.orDie(startServer()))
}

suite(Failing.layer)((it) => {
  for (const [table, routes] of Object.entries(routesOf)) {
    it.scoped(`${table} cannot be read: each route's own 500, then recovery`, () =>
      Effect.gen(function* () {
        const server = yield* Failing
        const given = yield* subscription(server)
        const asked = routes(given)
        const ask = Effect.forEach(asked, ([method, path, json]) => given.ask(method, path, json))
        expect((yield* withoutTable(server, table, ask)).map(statusAndBody)).toStrictEqual(
          asked.map(([, , , error]) => refusal(500, error))
        )
        for (const { status } of yield* ask) expect(status).toBeLessThan(300)
      })
    )
  }

  it.scoped("a company that cannot become a publisher: its own 500", () =>
    Effect.gen(function* () {
      const server = yield* Failing
      const { ask } = yield* newSubscriber(server)
      const become = ask("POST", "/publishers", { slug: freshSlug(), name: "x" })
      expect(statusAndBody(yield* withoutTable(server, "publishers", become))).toStrictEqual(
        refusal(500, "Failed to create publisher")
      )
      expect((yield* become).status).toBe(201)
    })
  )
})

it.scopedLive(
  "a subscribe that fails at its last step leaves nothing, and a retry with the same Idempotency-Key succeeds",
  () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const { api, sql, subscribe } = yield* marketplaceOn(server)
      const key = crypto.randomUUID()
      const made = sql(
        "select (select count(*)::int from subscriptions) as subscriptions, (select count(*)::int from marketplace_keys) as keys"
      )
      for (const table of ["subscriptions", "marketplace_keys", "idempotent_answers"]) {
        yield* sql(`
        create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
        create trigger refuse before insert on ${table} for each row execute function refuse()`)
        expect(statusAndBody(yield* subscribe(api, {}, key))).toStrictEqual(
          refusal(500, "Failed to subscribe")
        )
        expect(yield* made).toStrictEqual([{ subscriptions: 0, keys: 0 }])
        yield* sql("drop function refuse cascade")
      }
      const answer = yield* subscribe(api, {}, key)
      expect([answer.status, answer.headers.get("idempotent-replayed")]).toStrictEqual([201, null])
      expect(yield* made).toStrictEqual([{ subscriptions: 1, keys: 1 }])
    })
)

it.scopedLive("housekeeping deletes exactly the stored responses older than 24 hours", () =>
  Effect.gen(function* () {
    const server = yield* startServer()
    const { api, sql, subscribe } = yield* marketplaceOn(server)
    const other = yield* newSubscriber(server)
    const key = crypto.randomUUID()
    const kept = yield* other.subscribe(api, {}, key)
    const old = subscribed(yield* subscribe(api, {}, key))
    yield* sql(
      `update idempotent_answers set created_at = now() -
         case when company_id = $1 then interval '23 hours 59 minutes' else interval '24 hours 1 minute' end`,
      [other.member.companyId]
    )
    // More than are deleted at once.
    yield* sql(
      `insert into idempotent_answers (company_id, route, key_hash, fingerprint, answer, created_at)
         select company_id, 'old', int4send(i), fingerprint, answer, now() - interval '25 hours'
         from idempotent_answers, generate_series(1, 10001) as i where company_id = $1`,
      [other.member.companyId]
    )
    yield* Effect.flatMap(IdempotencyRepo, ({ deleteOldAnswers }) => deleteOldAnswers).pipe(
      Effect.provide(
        IdempotencyRepo.Default.pipe(
          Layer.provide(databaseLayer({ url: server.databaseUrl, maxConnections: 1 }))
        )
      )
    )
    expect(yield* sql("select company_id from idempotent_answers")).toStrictEqual([
      { company_id: other.member.companyId }
    ])
    expect((yield* other.subscribe(api, {}, key)).text).toBe(kept.text)
    expect(createdKey(kept).token).not.toBe(old.token)
  })
)
