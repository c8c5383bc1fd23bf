/** Writers that keep changing all marketplace data. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { send, text } from "../client.ts"
import type { Company } from "../credentials.ts"
import { freshSlug } from "../marketplace/publisher.ts"
import type { Doing, Writer } from "./ledger.ts"
import { bodyOf, dashboard, event, fresh } from "./writing.ts"

const api = "/api/api-marketplace"

/** Publishes an API with a version and a plan, and returns the API's id, the plan's id and the API's path. */
const publishing = (act: Doing, company: Company, publisherSlug: string, upstreamUrl: string) =>
  Effect.gen(function* () {
    const headers = dashboard(company)
    const slug = freshSlug()
    const post = (name: string, path: string, body: object, status: 200 | 201, parts: string) =>
      act({ name: `POST ${api}${name}`, path: `${api}${path}`, headers, body, status, parts, values: [slug] })
    const made = yield* post(
      "/apis",
      "/apis",
      { slug, name: slug },
      201,
      `select exists (select from apis where slug = $1) as made, ${event("api.created")} as told`
    )
    const id = text(bodyOf(made), "api", "id")
    const has = (table: string) =>
      `select exists (select from ${table} t join apis a on a.id = t.api_id where a.slug = $1) as made`
    const told = (action: string) =>
      `exists (select from audit_events e join apis a on a.slug = $1 where e.action = '${action}' and e.details ->> 'api_id' = a.id::text) as told`
    yield* post(
      "/apis/:apiId/versions",
      `/apis/${id}/versions`,
      { version: "1", upstreamUrl },
      201,
      `${has("api_versions")}, ${told("api_version.created")}`
    )
    const plan = yield* post(
      "/apis/:apiId/plans",
      `/apis/${id}/plans`,
      { name: "Starter" },
      201,
      `${has("api_plans")}, ${told("api_plan.created")}`
    )
    yield* post(
      "/apis/:apiId/publish",
      `/apis/${id}/publish`,
      {},
      200,
      `select exists (select from apis where slug = $1 and published_at is not null) as published, ${event("api.published")} as told`
    )
    const description = fresh("description")
    yield* act({
      name: `PATCH ${api}/apis/:apiId`,
      path: `${api}/apis/${id}`,
      headers,
      body: { description },
      status: 200,
      parts: `
        select exists (select from apis where slug = $1 and description = $2) as changed, ${event("api.changed")} as told`,
      values: [slug, description]
    })
    return {
      id,
      slug,
      planId: text(bodyOf(plan), "plan", "id"),
      called: `/gateway/${publisherSlug}/${slug}/v/1/health`
    }
  })

/**
 * APIs with one subscription each, with keys that are rotated and revoked. Every second subscription is
 * cancelled and its API withdrawn.
 */
export const marketplaceWriter =
  (company: Company, publisherSlug: string, upstreamUrl: string): Writer =>
  (act) =>
    Effect.gen(function* () {
      const headers = dashboard(company)
      for (const isCancelled of [true, false]) {
        const published = yield* publishing(act, company, publisherSlug, upstreamUrl)
        const name = fresh("subscription")
        const retried = ["Idempotency-Key", crypto.randomUUID()] as const
        const call = (token: string, status: number) => (server: Parameters<typeof send>[0]) =>
          Effect.map(send(server, "GET", published.called, { headers: { "x-api-key": token } }), (answer) =>
            expect([answer.status, answer.text]).toEqual([status, expect.any(String)])
          )
        const subscribing = {
          path: `${api}/apis/${published.id}/subscribe`,
          body: { planId: published.planId, name }
        }
        const made = `exists (select from marketplace_keys k join subscriptions s on s.id = k.subscription_id where k.name = $1 and s.api_id = $2::uuid)`
        const subscribed = yield* act({
          name: `POST ${api}/apis/:apiId/subscribe`,
          ...subscribing,
          headers: [...headers, retried.join(": ")],
          status: 201,
          parts: `
            select ${made} as made,
              exists (select from idempotent_answers where answer -> 'apiKey' ->> 'name' = $1) as kept,
              exists (select from audit_events where action = 'subscription.created' and details ->> 'api_id' = $2::uuid::text) as told`,
          values: [name, published.id],
          // A retry gets the first response again. If the subscription was not created then, it is created
          // now.
          afterwards: (server, answer) =>
            Effect.map(
              send(server, "POST", subscribing.path, {
                headers: { cookie: company.member.cookie, [retried[0]]: retried[1] },
                json: subscribing.body
              }),
              ({ body, headers, status }) => {
                expect([status, body]).toEqual([
                  201,
                  answer === undefined ? expect.anything() : bodyOf(answer)
                ])
                if (answer !== undefined) expect(headers.get("idempotent-replayed")).toBe("true")
              }
            )
        })
        const subscription = text(bodyOf(subscribed), "subscription", "id")
        const first = {
          id: text(bodyOf(subscribed), "apiKey", "id"),
          token: text(bodyOf(subscribed), "token")
        }
        const second = fresh("key")
        const created = yield* act({
          name: `POST ${api}/subscriptions/:id/keys`,
          path: `${api}/subscriptions/${subscription}/keys`,
          headers,
          body: { name: second },
          status: 201,
          parts: `select (select count(*) = 1 from marketplace_keys where name = $1) as made, ${event("marketplace_key.created")} as told`,
          values: [second]
        })
        yield* act({
          name: `POST ${api}/keys/:id/rotate`,
          path: `${api}/keys/${first.id}/rotate`,
          headers,
          body: { graceSeconds: 0 },
          status: 201,
          parts: `
            select (select rotated_to is not null from marketplace_keys where id = $2) as replaced,
              (select count(*) = 2 from marketplace_keys where name = $1) as made, ${event("marketplace_key.rotated")} as told`,
          values: [name, first.id],
          afterwards: (server, answer) =>
            answer === undefined
              ? Effect.void
              : Effect.zipRight(
                  call(first.token, 401)(server),
                  isCancelled ? Effect.void : call(text(bodyOf(answer), "token"), 200)(server)
                )
        })
        const secondToken = text(bodyOf(created), "token")
        yield* act({
          name: `POST ${api}/keys/:id/revoke`,
          path: `${api}/keys/${text(bodyOf(created), "apiKey", "id")}/revoke`,
          headers,
          body: {},
          status: 200,
          parts: `
            select exists (select from marketplace_keys where name = $1 and revoked_at is not null) as revoked,
              ${event("marketplace_key.revoked")} as told`,
          values: [second],
          afterwards: (server, answer) =>
            answer === undefined ? Effect.void : call(secondToken, 401)(server)
        })
        if (!isCancelled) continue
        yield* act({
          name: `POST ${api}/subscriptions/:id/cancel`,
          path: `${api}/subscriptions/${subscription}/cancel`,
          headers,
          body: {},
          status: 200,
          parts: `
            select exists (select from subscriptions where id = $1 and status = 'cancelled' and cancelled_at is not null) as cancelled,
              exists (select from audit_events where action = 'subscription.cancelled' and resource_id = $1) as told`,
          values: [subscription]
        })
        yield* act({
          name: `POST ${api}/apis/:apiId/unpublish`,
          path: `${api}/apis/${published.id}/unpublish`,
          headers,
          body: {},
          status: 200,
          parts: `
            select exists (select from apis where slug = $1 and status = 'draft') as withdrawn, ${event("api.unpublished")} as told`,
          values: [published.slug]
        })
      }
    }).pipe(Effect.forever)
