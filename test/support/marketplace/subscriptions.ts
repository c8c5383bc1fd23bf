/** Helpers for tests with subscriptions: a published API and a company that subscribes to it. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, type Member, send, signUp, text } from "../client.ts"
import { execute } from "../postgres.ts"
import type { RunningServer } from "../server.ts"
import { addPlan, addVersion, becomePublisher, publish } from "./publisher.ts"

export interface PublishedApi {
  readonly publisherSlug: string
  readonly slug: string
  readonly id: string
  /** 60 requests a minute, 10,000 a month. */
  readonly planId: string
  /** Without limits. */
  readonly unlimitedPlanId: string
}

/** Publishes an API of the member's company, which becomes a publisher, with a version `1` and two plans. */
export const publishApi = (
  server: RunningServer,
  member: Member,
  status: "published" | "draft" = "published"
): Effect.Effect<PublishedApi> =>
  Effect.gen(function* () {
    const publisher = yield* becomePublisher(server, member, { name: "Publisher" })
    const api = yield* publisher.newApi({ slug: "weather", name: "Weather", description: "Of tomorrow" })
    yield* addVersion(publisher, api, {
      upstreamUrl: "https://upstream.example/v1",
      sandboxUpstreamUrl: "https://sandbox.example"
    })
    const planId = yield* addPlan(publisher, api, {
      name: "Free",
      requestsPerMinute: 60,
      requestsPerMonth: 10_000
    })
    const unlimitedPlanId = yield* addPlan(publisher, api, { name: "Unlimited" })
    if (status === "published") yield* publish(publisher, api)
    return {
      publisherSlug: publisher.slug,
      slug: api.slug,
      id: api.id,
      planId,
      unlimitedPlanId
    }
  })

/** Sends requests to `/api/api-marketplace` as a signed-in member. */
export const subscriberOf = (server: RunningServer, member: Member) => {
  const ask = (method: string, path: string, json?: unknown, headers: Record<string, string> = {}) =>
    send(server, method, `/api/api-marketplace${path}`, {
      headers: { cookie: member.cookie, ...headers },
      ...(json === undefined ? {} : { json })
    })
  return {
    server,
    member,
    ask,
    subscribe: (
      api: Pick<PublishedApi, "id" | "planId">,
      fields: object = {},
      idempotencyKey: string = crypto.randomUUID()
    ) =>
      ask(
        "POST",
        `/apis/${api.id}/subscribe`,
        { planId: api.planId, name: "first", ...fields },
        { "idempotency-key": idempotencyKey }
      ),
    list: ask("GET", "/subscriptions"),
    get: (id: string) => ask("GET", `/subscriptions/${id}`),
    cancel: (id: string) => ask("POST", `/subscriptions/${id}/cancel`),
    keys: (id: string) => ask("GET", `/subscriptions/${id}/keys`),
    createKey: (id: string, fields: object = { name: "another" }) =>
      ask("POST", `/subscriptions/${id}/keys`, fields),
    revoke: (keyId: string) => ask("POST", `/keys/${keyId}/revoke`),
    rotate: (keyId: string, fields: object = {}) => ask("POST", `/keys/${keyId}/rotate`, fields),
    sql: (statement: string, values: ReadonlyArray<unknown> = []) =>
      Effect.orDie(execute(server.databaseUrl, statement, values))
  }
}

/** A new company that can subscribe. */
export const newSubscriber = (server: RunningServer) =>
  Effect.suspend(() => Effect.map(signUp(server), (member) => subscriberOf(server, member)))

/** A company with an API that it may subscribe to itself. */
export const marketplaceOn = (server: RunningServer) =>
  Effect.gen(function* () {
    const subscriber = yield* newSubscriber(server)
    return { ...subscriber, api: yield* publishApi(server, subscriber.member) }
  })

/** The parts of a successful subscribe response that tests need. */
export const subscribed = (answer: Answer) => {
  if (answer.status !== 201) throw new Error(`Expected 201, got ${answer.status} ${answer.text}`)
  return {
    id: text(answer.body, "subscription", "id"),
    keyId: text(answer.body, "apiKey", "id"),
    token: text(answer.body, "token")
  }
}

/** A company with a subscription and its first key. */
export const subscription = (server: RunningServer) =>
  Effect.gen(function* () {
    const marketplace = yield* marketplaceOn(server)
    const first = subscribed(yield* marketplace.subscribe(marketplace.api))
    return { ...marketplace, ...first }
  })

/** The key in the response to a rotation or a creation. */
export const createdKey = (answer: Answer) => {
  if (answer.status !== 201) throw new Error(`Expected 201, got ${answer.status} ${answer.text}`)
  return { id: text(answer.body, "apiKey", "id"), token: text(answer.body, "token") }
}

export const aToken = (mode: "live" | "test" = "live"): unknown =>
  expect.stringMatching(new RegExp(`^dk_${mode}_[0-9A-Za-z]{49}$`))

export const aTokenPrefix = (mode: "live" | "test" = "live"): unknown =>
  expect.stringMatching(new RegExp(`^dk_${mode}_[0-9A-Za-z]{4}$`))
