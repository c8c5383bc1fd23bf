/**
 * Every type of event is recorded by each act that reaches it, for exactly the companies that it concerns, and its data is as the schema
 * says. A type without a row here does not compile. One table of all types, so it has more than 250 lines.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it as plainIt } from "@effect/vitest"
import Ajv from "ajv/dist/2020.js"
import { Effect, Schema } from "effect"
import { Api } from "../../src/api.ts"
import { exampleEvent } from "../../src/events/examples.ts"
import { eventSchema } from "../../src/events/model.ts"
import { allEventTypes, type EventType, eventTypes } from "../../src/events/types-model.ts"
import { describe as describeApi } from "../../src/http/contract/openapi.ts"
import { ageKeys, expireSessions } from "../support/ageing.ts"
import { cli, onDatabase } from "../support/cli.ts"
import { createKey, field, type Member, send, text } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { looked } from "../support/kyc/checks.ts"
import { samples, upload } from "../support/kyc/files.ts"
import { type Company, companyOn } from "../support/kyc/partner.ts"
import { reviewerOf, reviewingCompany, waitingSession } from "../support/kyc/reviews.ts"
import { okUpstream } from "../support/marketplace/callable-api.ts"
import {
  addPlan,
  addVersion,
  becomePublisher,
  publish,
  publishedApi,
  type TestApi
} from "../support/marketplace/publisher.ts"
import { createdKey, newSubscriber, subscribed } from "../support/marketplace/subscriptions.ts"
import { execute } from "../support/postgres.ts"
import { type OwnServer, TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"
import { startReceiver } from "../support/webhooks/receiver.ts"

/** All events of the act's type that a company then has, by their data, oldest first. */
interface Expected {
  readonly reader: Member
  readonly data: ReadonlyArray<object>
  /** The status at the events' `url`, by default 200. */
  readonly status?: 404
}

type Acts = Readonly<
  Record<string, (server: OwnServer) => Effect.Effect<ReadonlyArray<Expected>, unknown, never>>
>

const sql = (server: OwnServer, statement: string, values: ReadonlyArray<unknown> = []) =>
  Effect.orDie(execute(server.databaseUrl, statement, values))

/** The session's event, for its company. */
const sessionEvent = (
  { instance, member }: Company,
  { id }: { readonly id: string },
  status: string,
  more: object = {}
): ReadonlyArray<Expected> => [
  {
    reader: member,
    data: [{ id, instance_id: instance.id, status, mode: "prod", ...more, url: `/api/kyc/sessions/${id}` }]
  }
]

/** A session whose status changes by one of the routes of the end user's browser. */
const bySession =
  (by: "complete" | "progress", status: string, fields: Readonly<Record<string, unknown>> = { status }) =>
  (server: OwnServer) =>
    Effect.gen(function* () {
      const company = yield* companyOn(server)
      const session = yield* company.newSession({ externalReference: "customer 42" })
      expect((yield* company[by](session, fields)).status).toBe(200)
      // A repetition changes nothing.
      yield* company[by](session, fields)
      return sessionEvent(company, session, status, { external_reference: "customer 42" })
    })

const redacted = (status: "cancelled" | "completed") => (server: OwnServer) =>
  Effect.gen(function* () {
    const company = yield* companyOn(server)
    const session = yield* company.newSession()
    if (status === "completed") yield* company.complete(session)
    for (let i = 0; i < 2; i++) {
      const answer = yield* company.asMember("POST", `/api/kyc/sessions/${session.id}/redact`)
      expect(answer.status).toBe(200)
    }
    return sessionEvent(company, session, status)
  })

const apiKeyEvent = (reader: Member, ids: ReadonlyArray<string>, status: string): ReadonlyArray<Expected> => [
  { reader, data: ids.map((id) => ({ id, status, url: "/api/api-keys" })) }
]

/** A company with a published API, and a subscriber. The first call of `server` and the API decide the upstream. */
const market = (server: OwnServer, plan: object = {}) =>
  Effect.gen(function* () {
    const company = yield* companyOn(server)
    const publisher = yield* becomePublisher(server, company.member)
    const api = yield* publisher.newApi()
    yield* addVersion(publisher, api)
    const planId = yield* addPlan(publisher, api, plan)
    yield* publish(publisher, api)
    const subscriber = yield* newSubscriber(server)
    const subscription = subscribed(yield* subscriber.subscribe({ id: api.id, planId }))
    return { publisher, api, planId, subscriber, subscription }
  })
type Market = Effect.Effect.Success<ReturnType<typeof market>>

const subscriptionEvents = (
  { api, planId, publisher, subscriber, subscription }: Market,
  status: string
): ReadonlyArray<Expected> => {
  const data = { id: subscription.id, api_id: api.id, plan_id: planId, status }
  return [
    {
      reader: subscriber.member,
      data: [{ ...data, url: `/api/api-marketplace/subscriptions/${subscription.id}` }]
    },
    { reader: publisher.member, data: [{ ...data, url: "/api/api-marketplace/publisher/apis" }] }
  ]
}

/** The subscriber's event of a marketplace key. The publisher has none. */
const marketplaceKeyEvent = (
  { publisher, subscriber, subscription }: Market,
  ids: ReadonlyArray<string>,
  status: string
): ReadonlyArray<Expected> => [
  {
    reader: subscriber.member,
    data: ids.map((id) => ({
      id,
      subscription_id: subscription.id,
      mode: "live",
      status,
      url: `/api/api-marketplace/subscriptions/${subscription.id}/keys`
    }))
  },
  { reader: publisher.member, data: [] }
]

/** The event of an API, at the path where the reader finds it. */
const apiEvent = (
  reader: Member,
  { id }: TestApi,
  status: string,
  path: string,
  more: object = {}
): Expected => ({
  reader,
  data: [{ id, status, ...more, url: `/api/api-marketplace/${path}` }]
})

/** The events of an API that was published, for publisher and subscriber. */
const unpublishedEvents = ({ api, publisher, subscriber }: Market): ReadonlyArray<Expected> => [
  apiEvent(publisher.member, api, "draft", "publisher/apis"),
  { ...apiEvent(subscriber.member, api, "draft", `apis/${api.id}`), status: 404 }
]

/** Calls the API, by default with the subscription's live key, and returns the status of each answer. */
const callTimes = ({ api, publisher, subscription }: Market, times: number, server: OwnServer) =>
  Effect.replicateEffect(
    Effect.map(
      send(server, "GET", `/gateway/${publisher.slug}/${api.slug}/v/2/any`, {
        headers: { "x-api-key": subscription.token }
      }),
      ({ status }) => status
    ),
    times
  )

const withUpstream = (given: Market) =>
  Effect.flatMap(okUpstream, (upstreamUrl) =>
    addVersion(given.publisher, given.api, {
      version: "2",
      upstreamUrl,
      sandboxUpstreamUrl: `${upstreamUrl}/sandbox`
    })
  )

/** What of its month the subscriber has been told so far, such as `live 80`. */
const quotaOf = (given: Market, server: OwnServer) =>
  Effect.map(feedOf(server, given.subscriber.member, "marketplace.quota.reached"), (events) =>
    events.map((event) => `${field(event, "data", "mode")} ${field(event, "data", "percent")}`)
  )

/** An endpoint of the company, whose receiver answers with this status. */
const newEndpoint = ({ asMember }: Company, status: number) =>
  Effect.gen(function* () {
    const receiver = yield* startReceiver
    receiver.answer = () => new Response(null, { status })
    const { body } = yield* asMember("POST", "/api/webhook-endpoints", { url: receiver.url })
    return { id: text(body, "endpoint", "id"), received: receiver.received }
  })

/** The same, after a test of it was requested. */
const testEndpoint = (company: Company, status: number) =>
  Effect.tap(newEndpoint(company, status), ({ id }) =>
    Effect.map(company.asMember("POST", `/api/webhook-endpoints/${id}/test`), (answer) =>
      expect(answer.status).toBe(202)
    )
  )

/** A company, a reviewer of it and a session that waits for a decision. */
const review = (server: OwnServer, config: object = {}) =>
  Effect.gen(function* () {
    const company = yield* reviewingCompany(server, config)
    const reviewer = yield* reviewerOf(company)
    const session = yield* waitingSession(company)
    return {
      company,
      reviewer,
      session,
      event: (more: object) =>
        sessionEvent(company, session, "completed", { by: reviewer.user.userId, ...more })
    }
  })

const acts: { readonly [Type in EventType]: Acts } = {
  "kyc.session.created": {
    "a platform key": (server) =>
      Effect.gen(function* () {
        const company = yield* companyOn(server)
        const session = yield* company.newSession()
        return sessionEvent(company, session, "created")
      }),
    "a platform key, twice with one Idempotency-Key": (server) =>
      Effect.gen(function* () {
        const company = yield* companyOn(server)
        const create = company.create({}, { "x-api-key": company.key.token, "idempotency-key": "once" })
        const id = text((yield* create).body, "session", "id")
        expect(text((yield* create).body, "session", "id")).toBe(id)
        return sessionEvent(company, { id }, "created")
      }),
    "a test session of the dashboard": (server) =>
      Effect.gen(function* () {
        const company = yield* companyOn(server)
        const made = yield* company.asMember(
          "POST",
          `/api/kyc/instances/${company.instance.id}/test-session`,
          {}
        )
        return sessionEvent(company, { id: text(made.body, "session", "id") }, "created", { mode: "dev" })
      })
  },
  "kyc.session.started": {
    "the first progress that is running, and no later one": (server) =>
      Effect.gen(function* () {
        const company = yield* companyOn(server)
        const session = yield* company.newSession()
        yield* company.progress(session, { progress: { s_a: 1 } })
        for (const status of ["running", "created", "running"]) yield* company.progress(session, { status })
        return sessionEvent(company, session, "running")
      }),
    "one of many at once": (server) =>
      Effect.gen(function* () {
        const company = yield* companyOn(server)
        const session = yield* company.newSession()
        yield* Effect.all(
          Array.from({ length: 8 }, () => company.progress(session, { status: "running" })),
          { concurrency: 8 }
        )
        return sessionEvent(company, session, "running")
      })
  },
  "kyc.session.completed": { complete: bySession("complete", "completed", {}) },
  "kyc.checks.completed": {
    "a completed session with a photo": (server) =>
      Effect.gen(function* () {
        const company = yield* companyOn(server)
        const session = yield* company.newSession()
        yield* upload(server, session, samples.png)
        yield* company.complete(session)
        yield* looked(server, session)
        return sessionEvent(company, session, "completed")
      })
  },
  "kyc.session.failed": {
    progress: bySession("progress", "failed"),
    complete: bySession("complete", "failed")
  },
  "kyc.session.cancelled": {
    progress: bySession("progress", "cancelled"),
    complete: bySession("complete", "cancelled"),
    "the partner's server": (server) =>
      Effect.gen(function* () {
        const company = yield* companyOn(server)
        const session = yield* company.newSession()
        for (const status of [200, 409]) {
          const answer = yield* company.asMember("POST", `/api/kyc/sessions/${session.id}/cancel`)
          expect(answer.status).toBe(status)
        }
        return sessionEvent(company, session, "cancelled")
      })
  },
  "kyc.session.resumed": {
    "the partner's server": (server) =>
      Effect.gen(function* () {
        const company = yield* companyOn(server)
        const session = yield* company.newSession()
        expect((yield* company.asMember("POST", `/api/kyc/sessions/${session.id}/resume`)).status).toBe(200)
        return sessionEvent(company, session, "created")
      })
  },
  "kyc.session.expired": {
    time: (server) =>
      Effect.gen(function* () {
        const company = yield* companyOn(server)
        const [expired, finished] = [yield* company.newSession(), yield* company.newSession()]
        yield* company.complete(finished)
        yield* expireSessions(server, [expired.id, finished.id])
        return sessionEvent(company, expired, "expired")
      })
  },
  "kyc.session.review_claimed": {
    "claim, and no renewal": (server) =>
      Effect.gen(function* () {
        const { event, reviewer, session } = yield* review(server)
        for (let time = 0; time < 2; time++) expect((yield* reviewer.claim(session)).status).toBe(200)
        return event({ review: "pending" })
      })
  },
  "kyc.session.review_released": {
    "release, the first of two times": (server) =>
      Effect.gen(function* () {
        const { event, reviewer, session } = yield* review(server)
        yield* reviewer.claim(session)
        for (let time = 0; time < 2; time++) expect((yield* reviewer.release(session)).status).toBe(200)
        return event({ review: "pending" })
      })
  },
  "kyc.session.review_proposed": {
    "the first decision with four eyes": (server) =>
      Effect.gen(function* () {
        const { event, reviewer, session } = yield* review(server, { fourEyes: true })
        for (let time = 0; time < 2; time++) yield* reviewer.decide(session, { decision: "approved" })
        return event({ review: "proposed", decision: "approved" })
      })
  },
  "kyc.session.reviewed": {
    "a decision": (server) =>
      Effect.gen(function* () {
        const { event, reviewer, session } = yield* review(server)
        for (let time = 0; time < 2; time++) yield* reviewer.decide(session, { decision: "declined" })
        return event({ review: "decided", decision: "declined" })
      }),
    "a resubmission": (server) =>
      Effect.gen(function* () {
        const { event, reviewer, session } = yield* review(server)
        const { body } = yield* reviewer.decide(session, { decision: "resubmission", steps: ["person"] })
        return event({
          review: "decided",
          decision: "resubmission",
          next_session_id: text(body, "review", "next_session_id")
        })
      }),
    "the same decision by another person, by a platform key": (server) =>
      Effect.gen(function* () {
        const { company, event, reviewer, session } = yield* review(server, { fourEyes: true })
        yield* reviewer.decide(session, { decision: "declined" })
        yield* send(server, "POST", `/api/kyc/sessions/${session.id}/review`, {
          headers: { "x-api-key": company.key.token },
          json: { decision: "declined" }
        })
        return event({ by: "api", review: "decided", decision: "declined" })
      })
  },
  "kyc.session.noted": {
    "a note": (server) =>
      Effect.gen(function* () {
        const { event, reviewer, session } = yield* review(server)
        yield* reviewer.ask("POST", `/api/kyc/sessions/${session.id}/notes`, { text: "Called Ada" })
        return event({})
      }),
    "a decision with a note": (server) =>
      Effect.gen(function* () {
        const { event, reviewer, session } = yield* review(server)
        yield* reviewer.decide(session, { decision: "approved", note: "Called Ada" })
        return event({})
      })
  },
  "kyc.session.redacted": {
    "a redaction of a session that has ended, and no later one": redacted("completed"),
    "a redaction of a session that is open": redacted("cancelled")
  },
  "api_key.created": {
    "the dashboard": (server) =>
      Effect.gen(function* () {
        const { key, member } = yield* companyOn(server)
        const second = yield* createKey(server, member)
        return apiKeyEvent(member, [key.id, second.id], "active")
      })
  },
  "api_key.revoked": {
    "the dashboard, the first of two times": (server) =>
      Effect.gen(function* () {
        const { asMember, key, member } = yield* companyOn(server)
        for (let time = 0; time < 2; time++) {
          expect((yield* asMember("POST", `/api/api-keys/${key.id}/revoke`)).status).toBe(200)
        }
        return apiKeyEvent(member, [key.id], "revoked")
      })
  },
  "api_key.expiring": {
    "time, once, for keys that still work and were not created with less time left": (server) =>
      Effect.gen(function* () {
        const { asMember, member } = yield* companyOn(server)
        const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
        const keyUntil = (days: number) => createKey(server, member, { expiresAt: inDays(days) })
        const [due, revoked, over] = [yield* keyUntil(30), yield* keyUntil(30), yield* keyUntil(30)]
        // Created with less time left, and due later.
        yield* keyUntil(6)
        yield* keyUntil(30)
        yield* asMember("POST", `/api/api-keys/${revoked.id}/revoke`)
        // Its end passed while the service was down.
        yield* sql(server, "update api_keys set expires_at = expires_at - interval '7 days' where id = $1", [
          over.id
        ])
        yield* ageKeys(server, [due.id, revoked.id, over.id])
        return apiKeyEvent(member, [due.id], "active")
      })
  },
  "marketplace.subscription.created": {
    subscribe: (server) => Effect.map(market(server), (given) => subscriptionEvents(given, "active"))
  },
  "marketplace.subscription.cancelled": {
    "cancel, the first of two times": (server) =>
      Effect.gen(function* () {
        const given = yield* market(server)
        yield* Effect.repeatN(given.subscriber.cancel(given.subscription.id), 1)
        return subscriptionEvents(given, "cancelled")
      })
  },
  "marketplace.key.created": {
    "subscribe, and another key": (server) =>
      Effect.gen(function* () {
        const given = yield* market(server)
        const another = createdKey(yield* given.subscriber.createKey(given.subscription.id))
        return marketplaceKeyEvent(given, [given.subscription.keyId, another.id], "active")
      })
  },
  "marketplace.key.rotated": {
    rotate: (server) =>
      Effect.gen(function* () {
        const given = yield* market(server)
        createdKey(yield* given.subscriber.rotate(given.subscription.keyId))
        return marketplaceKeyEvent(given, [given.subscription.keyId], "replaced")
      })
  },
  "marketplace.key.revoked": {
    "revoke, the first of two times": (server) =>
      Effect.gen(function* () {
        const given = yield* market(server)
        yield* Effect.repeatN(given.subscriber.revoke(given.subscription.keyId), 1)
        return marketplaceKeyEvent(given, [given.subscription.keyId], "revoked")
      })
  },
  "marketplace.quota.reached": {
    "the calls of a month, at 80 and at 100 percent": (server) =>
      Effect.scoped(
        Effect.gen(function* () {
          const given = yield* market(server, { requestsPerMonth: 5 })
          yield* withUpstream(given)
          expect(yield* callTimes(given, 3, server)).toEqual([200, 200, 200])
          expect(yield* callTimes(given, 1, server)).toEqual([200])
          yield* server.run("marketplace.usage")
          expect(yield* quotaOf(given, server)).toEqual(["live 80"])
          expect(yield* callTimes(given, 3, server)).toEqual([200, 429, 429])
          yield* server.run("marketplace.usage")
          expect(yield* quotaOf(given, server)).toEqual(["live 80", "live 100"])
          const { api, planId, publisher, subscriber, subscription } = given
          return [
            {
              reader: subscriber.member,
              data: [80, 100].map((percent) => ({
                id: subscription.id,
                api_id: api.id,
                plan_id: planId,
                mode: "live",
                percent,
                month: expect.stringMatching(/^\d{4}-\d{2}$/),
                url: `/api/api-marketplace/subscriptions/${subscription.id}/usage`
              }))
            },
            { reader: publisher.member, data: [] }
          ]
        })
      )
  },
  "marketplace.api.published": {
    "publish, the first of two times": (server) =>
      Effect.gen(function* () {
        const { member } = yield* companyOn(server)
        const publisher = yield* becomePublisher(server, member)
        const api = yield* publishedApi(publisher)
        yield* publish(publisher, api)
        return [apiEvent(member, api, "published", "publisher/apis")]
      }),
    "publish again, for the subscriber": (server) =>
      Effect.gen(function* () {
        const { api, publisher, subscriber } = yield* market(server)
        yield* publisher.ask("POST", `/apis/${api.id}/unpublish`)
        yield* publish(publisher, api)
        return [apiEvent(subscriber.member, api, "published", `apis/${api.id}`)]
      })
  },
  "marketplace.api.unpublished": {
    "unpublish, the first of two times": (server) =>
      Effect.gen(function* () {
        const given = yield* market(server)
        yield* Effect.repeatN(given.publisher.ask("POST", `/apis/${given.api.id}/unpublish`), 1)
        return unpublishedEvents(given)
      }),
    "the operator's takedown": (server) =>
      Effect.gen(function* () {
        const given = yield* market(server)
        const ran = yield* cli(
          ["api", "unpublish", `${given.publisher.slug}/${given.api.slug}`, "--reason", "Breaks the terms"],
          onDatabase(server.databaseUrl)
        )
        expect(ran.stderr).toBe("")
        return unpublishedEvents(given)
      })
  },
  "marketplace.api.version_added": {
    "a version of a draft, and one of a published API": (server) =>
      Effect.gen(function* () {
        const { api, publisher, subscriber } = yield* market(server)
        yield* addVersion(publisher, api, { version: "2" })
        const added = (reader: Member, path: string, status: string, version: string) =>
          apiEvent(reader, api, status, path, { version }).data
        return [
          {
            reader: publisher.member,
            data: [
              ...added(publisher.member, "publisher/apis", "draft", "1"),
              ...added(publisher.member, "publisher/apis", "published", "2")
            ]
          },
          {
            reader: subscriber.member,
            data: added(subscriber.member, `apis/${api.id}`, "published", "2")
          }
        ]
      })
  },
  "webhook.endpoint.disabled": {
    "an answer 410, and no other refusal": (server) =>
      Effect.scoped(
        Effect.gen(function* () {
          const company = yield* companyOn(server)
          const refused = yield* testEndpoint(company, 400)
          const gone = yield* testEndpoint(company, 410)
          yield* eventually(
            "both have been attempted, and the event is recorded",
            Effect.gen(function* () {
              for (const { received } of [refused, gone]) if (received.length === 0) return false
              return (yield* feedOf(server, company.member, "webhook.endpoint.disabled")).length > 0
            })
          )
          const data = { id: gone.id, status: "disabled", reason: "gone", url: "/api/webhook-endpoints" }
          return [{ reader: company.member, data: [data] }]
        })
      )
  },
  "webhook.test": {
    "a test of one endpoint of two": (server) =>
      Effect.scoped(
        Effect.gen(function* () {
          const company = yield* companyOn(server)
          yield* newEndpoint(company, 204)
          const { id } = yield* testEndpoint(company, 204)
          return [{ reader: company.member, data: [{ id, url: "/api/webhook-endpoints" }] }]
        })
      )
  }
}

const feedOf = (server: Pick<OwnServer, "url">, { cookie }: Member, type: EventType) =>
  Effect.map(
    send(server, "GET", `/api/events?type=${type}`, { headers: { cookie } }),
    ({ body }) => field(body, "events") as ReadonlyArray<unknown>
  )

suite(TestServer.layer)("Types of events (contract.md#event-types)", (it) => {
  for (const type of allEventTypes) {
    for (const [way, act] of Object.entries(acts[type])) {
      it.effect(`${type} by ${way}`, () =>
        Effect.gen(function* () {
          const server = yield* TestServer
          for (const { data, reader, status = 200 } of yield* act(server)) {
            const events = yield* feedOf(server, reader, type)
            const decoded = events.map((event) =>
              Schema.decodeUnknownSync(eventSchema(type))(event, { onExcessProperty: "error" })
            )
            expect(decoded.map((event) => event.data)).toStrictEqual(data)
            for (const event of decoded) {
              const at = String(field(event, "data", "url"))
              const read = yield* send(server, "GET", at, { headers: { cookie: reader.cookie } })
              expect([at, read.status]).toEqual([at, status])
            }
          }
        })
      )
    }
  }
})

const document = describeApi(Api, "https://doorlock.test")

describe("each type", () => {
  const schemas = new Ajv({ strict: false, validateFormats: false })
  schemas.addSchema(document, "doorlock")
  const page = readFileSync(join(import.meta.dirname, "../../docs/guides/webhooks.md"), "utf8")
  const table = page.slice(page.indexOf("## Types"), page.indexOf("## Next"))
  const rows = new Map(
    [...table.matchAll(/^\| `([a-z_.]+)` +\| (.*?) +\|$/gm)].map(([, type = "", when]) => [type, when])
  )

  plainIt("has an example that its schema in the OpenAPI document accepts", () => {
    for (const type of allEventTypes) {
      const accepts = schemas.getSchema(
        `doorlock#/webhooks/${type}/post/requestBody/content/application~1json/schema`
      )
      const example = exampleEvent(type)
      expect([type, accepts?.(example), accepts?.errors]).toEqual([type, true, null])
      expect([type, accepts?.({ ...example, data: { ...example.data, id: 5 } })]).toEqual([type, false])
      expect([type, accepts?.({ ...example, type: "other" })]).toEqual([type, false])
    }
  })

  plainIt("and no other has a row in docs/guides/webhooks.md, which says when it is recorded", () => {
    expect([...rows]).toEqual(allEventTypes.map((type) => [type, eventTypes[type].when]))
  })
})
