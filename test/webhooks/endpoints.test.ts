/** The routes of webhook endpoints: each status and body once. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, text } from "../support/client.ts"
import { refusal, statusAndBody } from "../support/kyc/partner.ts"
import { execute } from "../support/postgres.ts"
import { anId, anInstant } from "../support/shapes.ts"
import { suite } from "../support/suite.ts"
import { hooked, WebhookServer } from "../support/webhooks/receiver.ts"

const aSecret: unknown = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)
const aPublicKey: unknown = expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/)
const url = "https://hooks.upstream.test/doorlock?a=b"
const path = "/api/webhook-endpoints"

const endpoint = {
  id: anId,
  url,
  description: null,
  event_types: null,
  signing: "v1",
  public_key: null,
  status: "enabled",
  disabled_reason: null,
  created_at: anInstant
}

suite(WebhookServer.layer)("Webhook endpoints (contract.md#webhook-endpoints)", (it) => {
  it.effect("are created with a secret, and listed without it", () =>
    Effect.gen(function* () {
      const { ask } = yield* hooked
      expect(statusAndBody(yield* ask("GET", path))).toStrictEqual({ status: 200, body: { endpoints: [] } })
      expect(statusAndBody(yield* ask("POST", path, { url }))).toStrictEqual({
        status: 201,
        body: { endpoint, secret: aSecret }
      })
      const fields = { description: " All of them ", eventTypes: ["kyc.session.completed", "webhook.test"] }
      expect(statusAndBody(yield* ask("POST", path, { url, ...fields, signing: "v1a" }))).toStrictEqual({
        status: 201,
        body: {
          endpoint: {
            ...endpoint,
            description: "All of them",
            event_types: fields.eventTypes,
            signing: "v1a",
            public_key: aPublicKey
          }
        }
      })
      const listed = yield* ask("GET", path)
      expect(listed.text).not.toContain("whsec_")
      expect(field(listed.body, "endpoints")).toMatchObject([{ signing: "v1" }, { signing: "v1a" }])
    })
  )

  it.effect("are changed field by field", () =>
    Effect.gen(function* () {
      const { add, ask } = yield* hooked
      const at = yield* add(url, { description: "first", eventTypes: ["api_key.created"] })
      const change = (json: object) => Effect.map(ask("PATCH", at.path, json), statusAndBody)
      const changed = (fields: object) => ({
        status: 200,
        body: {
          endpoint: { ...endpoint, description: "first", event_types: ["api_key.created"], ...fields }
        }
      })
      expect(yield* change({})).toStrictEqual(changed({}))
      expect(yield* change({ status: "disabled" })).toStrictEqual(
        changed({ status: "disabled", disabled_reason: "by_user" })
      )
      const moved = { url: "https://other.upstream.test/", description: null, event_types: null }
      expect(
        yield* change({ url: moved.url, description: null, eventTypes: null, status: "enabled" })
      ).toStrictEqual(changed(moved))
      expect(yield* change({ eventTypes: ["api_key.revoked"], description: "x" })).toStrictEqual(
        changed({ ...moved, description: "x", event_types: ["api_key.revoked"] })
      )
    })
  )

  it.effect("are removed, with their secrets", () =>
    Effect.gen(function* () {
      const { add, ask, server } = yield* hooked
      const at = yield* add(url)
      expect(statusAndBody(yield* ask("POST", `${at.path}/remove`))).toStrictEqual({
        status: 200,
        body: { ok: true }
      })
      expect(statusAndBody(yield* ask("GET", path))).toStrictEqual({ status: 200, body: { endpoints: [] } })
      const absent = refusal(404, "Webhook endpoint not found")
      for (const rest of ["/remove", "/test", "/drill", "/secret/rotate"]) {
        expect(statusAndBody(yield* ask("POST", at.path + rest))).toStrictEqual(absent)
      }
      expect(statusAndBody(yield* ask("PATCH", at.path, {}))).toStrictEqual(absent)
      expect(statusAndBody(yield* ask("GET", `${at.path}/deliveries`))).toStrictEqual(absent)
      expect(
        yield* execute(server.databaseUrl, "select from webhook_secrets where endpoint_id = $1", [at.id])
      ).toHaveLength(0)
    })
  )

  it.effect("are 20 at most, even if many are added at once, without those that were removed", () =>
    Effect.gen(function* () {
      const { ask } = yield* hooked
      const answers = yield* Effect.replicateEffect(ask("POST", path, { url }), 30, {
        concurrency: "unbounded"
      })
      const [refused, added] = [409, 201].map((wanted) => answers.filter(({ status }) => status === wanted))
      expect(refused?.map(statusAndBody)).toStrictEqual(
        Array(10).fill(refusal(409, "At most 20 webhook endpoints"))
      )
      expect(added).toHaveLength(20)
      yield* ask("POST", `${path}/${text(added?.[0]?.body, "endpoint", "id")}/remove`)
      expect((yield* ask("POST", path, { url })).status).toBe(201)
    })
  )

  it.effect("get another secret; the old ones stay valid during the overlap, five in all", () =>
    Effect.gen(function* () {
      const { add, ask, server } = yield* hooked
      const at = yield* add(url)
      const rotate = (json?: object) => ask("POST", `${at.path}/secret/rotate`, json)
      const good = Effect.map(
        execute(
          server.databaseUrl,
          "select extract(epoch from expires_at - now())::float8 as left from webhook_secrets where endpoint_id = $1 and (expires_at is null or expires_at > now()) order by created_at desc",
          [at.id]
        ),
        (rows) => rows.map(({ left }) => (left === null ? null : Math.ceil(Number(left) / 60) * 60))
      )
      expect(yield* good).toStrictEqual([null])
      expect(statusAndBody(yield* rotate())).toStrictEqual({ status: 201, body: { secret: aSecret } })
      expect(yield* good).toStrictEqual([null, 86_400])
      yield* rotate({ overlapSeconds: 3_600 })
      expect(yield* good).toStrictEqual([null, 3_600, 86_400])
      yield* rotate({ overlapSeconds: 0 })
      expect(yield* good).toStrictEqual([null, 3_600, 86_400])
      yield* rotate({ overlapSeconds: 60 })
      yield* rotate({ overlapSeconds: 604_800 })
      expect(yield* good).toStrictEqual([null, 604_800, 60, 3_600, 86_400])
      yield* rotate({ overlapSeconds: 120 })
      expect(yield* good).toStrictEqual([null, 120, 604_800, 60, 3_600])
    })
  )

  it.effect("with v1a get another public key", () =>
    Effect.gen(function* () {
      const { add, ask } = yield* hooked
      const at = yield* add(url, { signing: "v1a" })
      const rotated = statusAndBody(yield* ask("POST", `${at.path}/secret/rotate`))
      expect(rotated).toStrictEqual({ status: 201, body: { public_key: aPublicKey } })
      const { body } = yield* ask("GET", path)
      expect(field(body, "endpoints", 0, "public_key")).toBe(field(rotated.body, "public_key"))
      expect(field(body, "endpoints", 0, "public_key")).not.toBe(field(at.body, "endpoint", "public_key"))
    })
  )

  it.effect("rotated by several at once have one secret without an end", () =>
    Effect.gen(function* () {
      const { add, ask, server } = yield* hooked
      const at = yield* add(url)
      yield* Effect.replicateEffect(ask("POST", `${at.path}/secret/rotate`), 4, { concurrency: "unbounded" })
      const [lasting] = yield* execute(
        server.databaseUrl,
        "select count(*)::int as n from webhook_secrets where endpoint_id = $1 and expires_at is null",
        [at.id]
      )
      expect(lasting?.n).toBe(1)
    })
  )
})
