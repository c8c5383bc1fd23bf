import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { layer as databaseLayer } from "../../src/db/database.ts"
import { IdempotencyRepo } from "../../src/marketplace/subscriptions/idempotency-repo.ts"
import type { Answer } from "../support/client.ts"
import { withoutDatabase, withoutTable } from "../support/database/outage.ts"
import { eventually } from "../support/eventually.ts"
import { refusal, statusAndBody } from "../support/kyc/partner.ts"
import { freshSlug, publishedApi, publisherOn, upstreamUrl } from "../support/marketplace/publisher.ts"
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

interface Route {
  readonly error: string
  readonly well: number
  readonly ask: (given: Given) => Effect.Effect<Answer>
}

const ofSubscriptions: ReadonlyArray<Route> = [
  { error: "Failed to list subscriptions", well: 200, ask: ({ list }) => list },
  { error: "Failed to get subscription", well: 200, ask: ({ get, id }) => get(id) },
  // Already subscribed: that is known only when all is well.
  { error: "Failed to subscribe", well: 409, ask: ({ api, subscribe }) => subscribe(api) }
]

const ofKeys: ReadonlyArray<Route> = [
  { error: "Failed to list API keys", well: 200, ask: ({ id, keys }) => keys(id) },
  { error: "Failed to create API key", well: 201, ask: ({ createKey, id }) => createKey(id) },
  { error: "Failed to rotate key", well: 201, ask: ({ keyId, rotate }) => rotate(keyId) },
  { error: "Failed to revoke key", well: 200, ask: ({ keyId, revoke }) => revoke(keyId) }
]

const cancel: Route = {
  error: "Failed to cancel subscription",
  well: 200,
  ask: ({ cancel, id }) => cancel(id)
}

type PublisherRoute = readonly [method: string, path: string, json: object | undefined, error: string]

/** Routes of a publisher and of the catalog, which read `apis`. */
const ofApis = (id: string): ReadonlyArray<PublisherRoute> => [
  ["GET", "/apis", undefined, "Failed to list APIs"],
  ["GET", "/openapi.json", undefined, "Failed to describe APIs"],
  ["GET", `/apis/${id}`, undefined, "Failed to get API"],
  ["GET", `/apis/${id}/openapi.json`, undefined, "Failed to describe API"],
  ["GET", "/publisher/apis", undefined, "Failed to list APIs"],
  ["POST", "/apis", { slug: freshSlug(), name: "x" }, "Failed to create API"],
  ["POST", `/apis/${id}/versions`, { version: "9", upstreamUrl }, "Failed to create version"],
  ["PATCH", `/apis/${id}`, { name: "x" }, "Failed to change API"],
  ["POST", `/apis/${id}/plans`, { name: "x" }, "Failed to create plan"],
  ["POST", `/apis/${id}/publish`, {}, "Failed to publish API"],
  ["POST", `/apis/${id}/unpublish`, {}, "Failed to unpublish API"]
]

const ofPublishers: ReadonlyArray<PublisherRoute> = [
  ["GET", "/publisher", undefined, "Failed to get publisher"],
  ["POST", "/publishers", { slug: "x", name: "x" }, "Failed to create publisher"]
]

class Failing extends Context.Tag("Failing")<Failing, RunningServer>() {
  static readonly layer = Layer.scoped(Failing, Effect.orDie(startServer()))
}

suite(Failing.layer)((it) => {
  for (const [table, routes] of [
    ["subscriptions", [...ofSubscriptions, cancel]],
    ["marketplace_keys", ofKeys],
    ["idempotent_answers", ofSubscriptions.slice(-1)]
  ] as const) {
    it.scoped(`${table} cannot be read: each route's own 500, then recovery`, () =>
      Effect.gen(function* () {
        const server = yield* Failing
        const given = yield* subscription(server)
        for (const { ask, error } of routes) {
          expect(statusAndBody(yield* withoutTable(server, table, ask(given)))).toStrictEqual(
            refusal(500, error)
          )
        }
        for (const { ask, error, well } of routes) {
          expect({ error, status: (yield* ask(given)).status }).toStrictEqual({ error, status: well })
        }
      })
    )
  }

  for (const [table, routesOf] of [
    ["apis", ofApis],
    [
      "api_usage",
      (id: string): ReadonlyArray<PublisherRoute> => [
        ["GET", `/apis/${id}/usage`, undefined, "Failed to load usage"]
      ]
    ],
    ["publishers", () => ofPublishers]
  ] as const) {
    it.scoped(`${table} cannot be read: each route's own 500, then recovery`, () =>
      Effect.gen(function* () {
        const server = yield* Failing
        const publisher = yield* publisherOn(server)
        const { id } = yield* publishedApi(publisher)
        const asked = routesOf(id)
        const failed = yield* withoutTable(
          server,
          table,
          Effect.forEach(asked, ([method, path, json]) => publisher.ask(method, path, json))
        )
        expect(failed.map(statusAndBody)).toStrictEqual(asked.map(([, , , error]) => refusal(500, error)))
        for (const [method, path, json] of asked) {
          if (table !== "publishers")
            expect((yield* publisher.ask(method, path, json)).status).toBeLessThan(300)
        }
      })
    )
  }

  it.scoped("the database is down: cached descriptions are not served, and return with it", () =>
    Effect.gen(function* () {
      const server = yield* Failing
      const publisher = yield* publisherOn(server)
      const api = yield* publishedApi(publisher)
      const ask = publisher.ask("GET", `/apis/${api.id}/openapi.json`)
      const before = yield* ask
      expect(before.status).toBe(200)
      yield* withoutDatabase(
        server,
        eventually(
          "it is not answered from memory",
          Effect.map(ask, ({ status }) => status === 500)
        )
      )
      yield* eventually(
        "it is answered again",
        Effect.map(ask, ({ status, text }) => status === 200 && text === before.text)
      )
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
