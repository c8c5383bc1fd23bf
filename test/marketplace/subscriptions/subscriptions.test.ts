import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { createKey as createPlatformKey, signUp } from "../../support/client.ts"
import { refusal, statusAndBody, unknownId } from "../../support/kyc/partner.ts"
import {
  marketplaceOn,
  newSubscriber,
  type PublishedApi,
  publishApi,
  subscribed,
  subscription
} from "../../support/marketplace/subscriptions.ts"
import { execute } from "../../support/postgres.ts"
import { TestServer } from "../../support/server.ts"
import { anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

/** What a subscription says of its API. */
const toldOf = ({ id, publisherSlug, slug }: PublishedApi) => ({
  id,
  publisher_slug: publisherSlug,
  publisher_name: "Publisher",
  slug,
  name: "Weather",
  published: true
})

const free = ({ planId }: PublishedApi) => ({
  id: planId,
  name: "Free",
  requests_per_minute: 60,
  requests_per_month: 10_000
})

suite(TestServer.layer)("subscriptions", (it) => {
  describe("GET /api/api-marketplace/subscriptions", () => {
    it.effect("200: newest first, cancelled ones too, of this company only", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const { api, cancel, list, subscribe } = yield* marketplaceOn(server)
        const other = yield* publishApi(server, yield* signUp(server))
        const stranger = yield* newSubscriber(server)
        yield* stranger.cancel(subscribed(yield* stranger.subscribe(api)).id)
        yield* stranger.subscribe(api)
        const first = subscribed(yield* subscribe(api))
        const second = subscribed(yield* subscribe(other, { planId: other.unlimitedPlanId }))
        yield* cancel(first.id)
        expect(statusAndBody(yield* list)).toStrictEqual({
          status: 200,
          body: {
            subscriptions: [
              {
                id: second.id,
                api_id: other.id,
                plan_id: other.unlimitedPlanId,
                status: "active",
                created_at: anInstant,
                cancelled_at: null,
                api: toldOf(other),
                plan: {
                  id: other.unlimitedPlanId,
                  name: "Unlimited",
                  requests_per_minute: null,
                  requests_per_month: null
                }
              },
              {
                id: first.id,
                api_id: api.id,
                plan_id: api.planId,
                status: "cancelled",
                created_at: anInstant,
                cancelled_at: anInstant,
                api: toldOf(api),
                plan: free(api)
              }
            ]
          }
        })
      })
    )

    it.effect(
      "200: all active ones, however old, and the newest 100 that were cancelled; older ones by id",
      () =>
        Effect.gen(function* () {
          const server = yield* TestServer
          const { api, get, list, subscribe } = yield* marketplaceOn(server)
          const active = subscribed(yield* subscribe(api))
          const sql = (text: string) => execute(server.databaseUrl, text, [active.id])
          yield* sql("update subscriptions set created_at = now() - interval '1 year' where id = $1")
          const [oldest] = yield* sql(
            `insert into subscriptions (id, company_id, api_id, plan_id, status, created_at, cancelled_at)
          select gen_random_uuid(), company_id, api_id, plan_id, 'cancelled', now() - n * interval '1 minute', now()
          from subscriptions, generate_series(150, 1, -1) n where id = $1 returning id`
          )
          const { subscriptions } = Object((yield* list).body)
          expect(subscriptions).toHaveLength(101)
          expect(subscriptions[100]).toMatchObject({ id: active.id, status: "active" })
          const times: ReadonlyArray<string> = subscriptions.map(
            ({ created_at }: { readonly created_at: string }) => created_at
          )
          expect(times).toEqual(times.toSorted().toReversed())
          expect(JSON.stringify(subscriptions)).not.toContain(oldest?.id)
          expect((yield* get(String(oldest?.id))).status).toBe(200)
        })
    )
  })

  describe("GET /api/api-marketplace/subscriptions/:id", () => {
    it.effect("200, also after the API was unpublished", () =>
      Effect.gen(function* () {
        const { api, get, id, sql } = yield* subscription(yield* TestServer)
        yield* sql("update apis set status = 'draft' where id = $1", [api.id])
        expect(statusAndBody(yield* get(id.toUpperCase()))).toStrictEqual({
          status: 200,
          body: {
            subscription: {
              id,
              api_id: api.id,
              plan_id: api.planId,
              status: "active",
              created_at: anInstant,
              cancelled_at: null,
              api: { ...toldOf(api), published: false },
              plan: free(api)
            }
          }
        })
      })
    )
  })

  describe("POST /api/api-marketplace/subscriptions/:id/cancel", () => {
    it.effect("200; a repetition changes nothing", () =>
      Effect.gen(function* () {
        const { cancel, get, id, sql } = yield* subscription(yield* TestServer)
        expect(statusAndBody(yield* cancel(id))).toStrictEqual({ status: 200, body: { ok: true } })
        expect((yield* get(id)).body).toMatchObject({
          subscription: { status: "cancelled", cancelled_at: anInstant }
        })
        yield* sql("update subscriptions set cancelled_at = '2026-01-02T03:04:05.678Z' where id = $1", [id])
        expect(statusAndBody(yield* cancel(id.toUpperCase()))).toStrictEqual({
          status: 200,
          body: { ok: true }
        })
        expect((yield* get(id)).body).toMatchObject({
          subscription: { status: "cancelled", cancelled_at: "2026-01-02T03:04:05.678Z" }
        })
      })
    )
  })

  it.effect("404 names what was not found", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const { cancel, createKey, get, keys, member, revoke, rotate } = yield* newSubscriber(server)
      for (const asked of [get, cancel, keys, createKey]) {
        expect(statusAndBody(yield* asked(unknownId))).toStrictEqual(refusal(404, "Subscription not found"))
      }
      const platformKey = yield* createPlatformKey(server, member)
      for (const asked of [revoke(unknownId), rotate(unknownId), revoke(platformKey.id)]) {
        expect(statusAndBody(yield* asked)).toStrictEqual(refusal(404, "API key not found"))
      }
    })
  )
})
