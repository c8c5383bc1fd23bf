import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { signUp, text } from "../../support/client.ts"
import { refusal, statusAndBody, unknownId } from "../../support/kyc/partner.ts"
import {
  aToken,
  aTokenPrefix,
  marketplaceOn,
  newSubscriber,
  publishApi,
  subscribed
} from "../../support/marketplace/subscriptions.ts"
import { TestServer } from "../../support/server.ts"
import { anId, anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const marketplace = Effect.flatMap(TestServer, marketplaceOn)

/** The whole body of a subscribe that went well. */
const answerFor = (api: { readonly id: string }, planId: string, name: string) => ({
  subscription: { id: anId, api_id: api.id, plan_id: planId, status: "active", created_at: anInstant },
  apiKey: {
    id: anId,
    subscription_id: anId,
    name,
    mode: "live",
    expiresAt: null,
    activeNow: true,
    token_prefix: aTokenPrefix(),
    created_at: anInstant,
    last_used_at: null,
    revoked_at: null,
    rotated_to: null
  },
  token: aToken()
})

const count = "select (select count(*)::int from subscriptions where company_id = $1) as subscriptions"

suite(TestServer.layer)("POST .../apis/:apiId/subscribe", (it) => {
  describe("a first request", () => {
    it.effect("201: the subscription, its first key, and the token", () =>
      Effect.gen(function* () {
        const { api, subscribe } = yield* marketplace
        const name = "n".repeat(200)
        const answer = yield* subscribe(api, { name: ` ${name} ` })
        expect(statusAndBody(answer)).toStrictEqual({
          status: 201,
          body: answerFor(api, api.planId, name)
        })
        expect(answer.headers.get("idempotent-replayed")).toBeNull()
        expect(answer.headers.get("cache-control")).toBe("no-store")
        expect(text(answer.body, "apiKey", "subscription_id")).toBe(text(answer.body, "subscription", "id"))
        expect(text(answer.body, "token").startsWith(text(answer.body, "apiKey", "token_prefix"))).toBe(true)
      })
    )
  })

  describe("Idempotency-Key", () => {
    it.effect("400 Idempotency-Key header must be a UUID, before the body and the API", () =>
      Effect.gen(function* () {
        const { api, ask, list } = yield* marketplace
        const body = { planId: api.planId, name: "n" }
        for (const key of [
          undefined,
          "",
          "order-1",
          unknownId.replaceAll("-", ""),
          `{${unknownId}}`,
          `${unknownId}0`,
          `"${unknownId}`,
          `${unknownId}, ${unknownId}`
        ]) {
          const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key }
          const answer = yield* ask("POST", `/apis/${api.id}/subscribe`, body, headers)
          expect(statusAndBody(answer), key).toStrictEqual(
            refusal(400, "Idempotency-Key header must be a UUID")
          )
        }
        expect(statusAndBody(yield* ask("POST", "/apis/x/subscribe", { planId: 1 }))).toStrictEqual(
          refusal(400, "Idempotency-Key header must be a UUID")
        )
        expect((yield* list).body).toStrictEqual({ subscriptions: [] })
      })
    )
  })

  describe("the same key and the same request again", () => {
    it.effect("the same 201 with the same token, plus Idempotent-Replayed: true, as often as asked", () =>
      Effect.gen(function* () {
        const { api, list, member, sql, subscribe } = yield* marketplace
        const key = crypto.randomUUID()
        const first = yield* subscribe(api, { name: "n" }, key)
        for (const same of [key, key.toUpperCase(), `"${key}"`]) {
          // An untrimmed name, an id in upper case and an unknown field make no other request.
          for (const fields of [{ name: "n" }, { name: " n\t", planId: api.planId.toUpperCase(), else: 1 }]) {
            const again = yield* subscribe(api, fields, same)
            expect([again.status, again.text]).toStrictEqual([201, first.text])
            expect(again.headers.get("idempotent-replayed")).toBe("true")
          }
        }
        expect((yield* list).body).toMatchObject({ subscriptions: [{ id: subscribed(first).id }] })
        expect(yield* sql(count, [member.companyId])).toStrictEqual([{ subscriptions: 1 }])
      })
    )

    it.effect("also after a revocation of the key, a cancellation, or the unpublishing of the API", () =>
      Effect.gen(function* () {
        const { api, cancel, revoke, sql, subscribe } = yield* marketplace
        const key = crypto.randomUUID()
        const first = yield* subscribe(api, {}, key)
        const { id, keyId } = subscribed(first)
        for (const change of [
          revoke(keyId),
          cancel(id),
          sql("update apis set status = 'draft' where id = $1", [api.id])
        ]) {
          yield* change
          const again = yield* subscribe(api, {}, key)
          expect([again.status, again.text]).toStrictEqual([201, first.text])
          expect(again.headers.get("idempotent-replayed")).toBe("true")
        }
      })
    )

    it.effect("for 24 hours by the database's clock; then it is a new request", () =>
      Effect.gen(function* () {
        const { api, cancel, member, sql, subscribe } = yield* marketplace
        const key = crypto.randomUUID()
        const age = (interval: string) =>
          sql("update idempotent_answers set created_at = now() - $2::interval where company_id = $1", [
            member.companyId,
            interval
          ])
        const first = yield* subscribe(api, {}, key)
        yield* age("23 hours 50 minutes")
        expect((yield* subscribe(api, {}, key)).text).toBe(first.text)
        yield* age("24 hours 1 minute")
        expect(statusAndBody(yield* subscribe(api, {}, key))).toStrictEqual(
          refusal(409, "Already subscribed to this API")
        )
        yield* cancel(subscribed(first).id)
        const second = yield* subscribe(api, { name: "second" }, key)
        expect(statusAndBody(second)).toStrictEqual({
          status: 201,
          body: answerFor(api, api.planId, "second")
        })
        expect(second.headers.get("idempotent-replayed")).toBeNull()
        expect(subscribed(second).token).not.toBe(subscribed(first).token)
        // It took the place of the old one, and is kept as long.
        const again = yield* subscribe(api, { name: "second" }, key)
        expect([again.status, again.text]).toStrictEqual([201, second.text])
      })
    )

    it.effect("another company's key of the same value is another key", () =>
      Effect.gen(function* () {
        const { api, subscribe } = yield* marketplace
        const other = yield* newSubscriber(yield* TestServer)
        const key = crypto.randomUUID()
        const mine = yield* subscribe(api, {}, key)
        const theirs = yield* other.subscribe(api, { name: "theirs" }, key)
        expect(statusAndBody(theirs)).toStrictEqual({
          status: 201,
          body: answerFor(api, api.planId, "theirs")
        })
        expect(theirs.headers.get("idempotent-replayed")).toBeNull()
        expect(subscribed(theirs).token).not.toBe(subscribed(mine).token)
      })
    )
  })

  describe("the same key, another request: 422 Idempotency-Key was used with a different request", () => {
    const different = refusal(422, "Idempotency-Key was used with a different request")

    it.effect("another name, plan or API, known or not", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const { api, member, sql, subscribe } = yield* marketplace
        const otherApi = yield* publishApi(server, yield* signUp(server))
        const key = crypto.randomUUID()
        const first = yield* subscribe(api, {}, key)
        for (const [which, fields] of [
          [api, { name: "second" }],
          [api, { name: "First" }],
          [api, { planId: api.unlimitedPlanId }],
          [api, { planId: unknownId }],
          [api, { planId: "x" }],
          [otherApi, {}],
          [{ ...api, id: unknownId }, {}],
          [{ ...api, id: "x" }, {}]
        ] as const) {
          const answer = yield* subscribe(which, fields, key)
          expect(statusAndBody(answer)).toStrictEqual(different)
          expect(answer.headers.get("idempotent-replayed")).toBeNull()
        }
        expect(yield* sql(count, [member.companyId])).toStrictEqual([{ subscriptions: 1 }])
        expect((yield* subscribe(api, {}, key)).text).toBe(first.text)
      })
    )
  })

  describe("errors are not stored: the Idempotency-Key stays unused", () => {
    it.effect("400, 404 and 409, then a valid request succeeds", () =>
      Effect.gen(function* () {
        const { api, cancel, subscribe } = yield* marketplace
        const earlier = subscribed(yield* subscribe(api))
        const key = crypto.randomUUID()
        expect(statusAndBody(yield* subscribe(api, { name: 1 }, key))).toStrictEqual(
          refusal(400, "name is required")
        )
        expect(statusAndBody(yield* subscribe({ ...api, id: unknownId }, {}, key))).toStrictEqual(
          refusal(404, "API not found")
        )
        expect(statusAndBody(yield* subscribe(api, { planId: unknownId }, key))).toStrictEqual(
          refusal(404, "Plan not found")
        )
        expect(statusAndBody(yield* subscribe(api, {}, key))).toStrictEqual(
          refusal(409, "Already subscribed to this API")
        )
        yield* cancel(earlier.id)
        const answer = yield* subscribe(api, {}, key)
        expect(statusAndBody(answer)).toStrictEqual({
          status: 201,
          body: answerFor(api, api.planId, "first")
        })
        expect(answer.headers.get("idempotent-replayed")).toBeNull()
      })
    )
  })

  describe("the fields", () => {
    it.effect("400 names the rule", () =>
      Effect.gen(function* () {
        const { api, list, subscribe } = yield* marketplace
        for (const [fields, error] of [
          [{ planId: null }, "planId is required"],
          [{ planId: 1, name: undefined }, "planId is required"],
          [{ name: undefined }, "name is required"],
          [{ name: " \t\n" }, "name is required"],
          [{ name: "n".repeat(201) }, "name must be at most 200 characters"],
          [{ name: "\ud800" }, "name must not contain U+0000 or lone surrogates"],
          [{ name: "a\nb" }, "name must not contain control characters or marks of text direction"]
        ] as const) {
          expect(statusAndBody(yield* subscribe(api, fields))).toStrictEqual(refusal(400, error))
        }
        expect((yield* list).body).toStrictEqual({ subscriptions: [] })
      })
    )

    it.effect("404 Plan not found: unknown, not a UUID, or another API's", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const { api, list, subscribe } = yield* marketplace
        const other = yield* publishApi(server, yield* signUp(server))
        for (const planId of [unknownId, "x", "\u0000", other.planId, `${api.planId} `]) {
          expect(statusAndBody(yield* subscribe(api, { planId }))).toStrictEqual(
            refusal(404, "Plan not found")
          )
        }
        expect((yield* list).body).toStrictEqual({ subscriptions: [] })
      })
    )
  })

  describe("the API", () => {
    it.effect("404 API not found: unknown, not a UUID, or a draft, even the company's own", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const { member, subscribe } = yield* newSubscriber(server)
        const api = yield* publishApi(server, member, "draft")
        for (const id of [api.id, unknownId, "%00", "__proto__"]) {
          expect(statusAndBody(yield* subscribe({ ...api, id }))).toStrictEqual(refusal(404, "API not found"))
        }
      })
    )
  })

  describe("409 Already subscribed to this API", () => {
    it.effect("under any plan; another API or another company is not affected", () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const { api, member, sql, subscribe } = yield* marketplace
        yield* subscribe(api)
        for (const planId of [api.planId, api.unlimitedPlanId]) {
          expect(statusAndBody(yield* subscribe(api, { planId }))).toStrictEqual(
            refusal(409, "Already subscribed to this API")
          )
        }
        const another = yield* publishApi(server, yield* signUp(server))
        expect((yield* subscribe(another)).status).toBe(201)
        expect((yield* (yield* newSubscriber(server)).subscribe(api)).status).toBe(201)
        expect(yield* sql(count, [member.companyId])).toStrictEqual([{ subscriptions: 2 }])
      })
    )
  })
})
