/** Two partners' whole paths through KYC and the marketplace, with receivers that lose deliveries and miss nothing. */
import { expect } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { allEventTypes, eventSchema } from "../../src/events/model.ts"
import { ageKeys, expireSessions } from "../support/background.ts"
import { createInstance, createKey, field, send } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { looked } from "../support/kyc/checks.ts"
import { samples, upload } from "../support/kyc/files.ts"
import { companyOf, statusAndBody } from "../support/kyc/partner.ts"
import { reviewerOf, reviewingCompanyOf, reviewsAs, waitingSession } from "../support/kyc/reviews.ts"
import { okUpstream } from "../support/marketplace/callable-api.ts"
import { addPlan, addVersion, becomePublisher, publish } from "../support/marketplace/publisher.ts"
import { createdKey, subscribed, subscriberOf } from "../support/marketplace/subscriptions.ts"
import { suite } from "../support/suite.ts"
import { type PartnerEvent, PartnerReceiver } from "../support/webhooks/partner-receiver.ts"
import { hooked, startReceiver, WebhookServer } from "../support/webhooks/receiver.ts"

/** A company that signed up, its key, and its receiver with an endpoint. */
const partner = Effect.gen(function* () {
  const company = yield* hooked
  const { ask, attemptDue, makeDue, member, server } = company
  const key = yield* createKey(server, member)
  const receiver = yield* Effect.acquireRelease(
    Effect.promise(() => PartnerReceiver.start({ doorlock: server.url, apiKey: key.token })),
    (receiver) => Effect.promise(() => receiver[Symbol.asyncDispose]())
  )
  const { body } = yield* ask("GET", "/api/webhook-endpoints")
  const endpoint = `/api/webhook-endpoints/${field(body, "endpoints", 0, "id")}`
  /** Collects the events so far and attempts their deliveries. */
  const deliver = Effect.zipRight(ask("GET", "/api/events"), attemptDue)
  return {
    ...company,
    key,
    receiver,
    endpoint,
    deliver,
    catchUp: Effect.promise(() => receiver.catchUp()),
    /** Attempts the deliveries until the last attempt of each has failed. */
    failForGood: Effect.zipRight(deliver, Effect.repeatN(Effect.zipRight(makeDue, attemptDue), 8)),
    /** The numbers and events of the endpoint's deliveries of these statuses, the first one first. */
    deliveriesThat: (...statuses: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const { body } = yield* ask("GET", `${endpoint}/deliveries?limit=100`)
        const deliveries = field(body, "deliveries") as ReadonlyArray<{
          readonly status: string
          readonly sequence: number
          readonly event_id: string
        }>
        return deliveries.filter(({ status }) => statuses.includes(status)).toReversed()
      }),
    /** Everything in the feed after this event. */
    feedAfter: (id: string) =>
      Effect.gen(function* () {
        const { body } = yield* ask("GET", "/api/events?limit=100")
        expect(field(body, "has_more")).toBe(false)
        const events = field(body, "events") as ReadonlyArray<PartnerEvent>
        return events.slice(events.findIndex(({ data }) => data.id === id) + 1)
      })
  }
})

type Partner = Effect.Effect.Success<typeof partner>

/** The sessions that the end users of a company complete, fail, cancel and forget. */
const walkOf = ({ key, member, server }: Partner) =>
  Effect.map(createInstance(server, member), (instance) => {
    const company = companyOf(server, member, key, instance)
    const session = company.newSession({ externalReference: "customer-42" })
    return {
      reviewed: Effect.gen(function* () {
        const reviewing = yield* reviewingCompanyOf(server, member, key, { fourEyes: true })
        const waiting = yield* waitingSession(reviewing)
        const byMember = reviewsAs(server, member)
        yield* byMember.claim(waiting)
        yield* byMember.release(waiting)
        yield* byMember.decide(waiting, { decision: "approved", note: "Called the customer" })
        yield* (yield* reviewerOf(reviewing)).decide(waiting, { decision: "approved" })
      }),
      completed: Effect.gen(function* () {
        const one = yield* session
        yield* company.progress(one, { status: "running" })
        yield* company.complete(one)
      }),
      checked: Effect.gen(function* () {
        const checking = yield* createInstance(server, member, { config: { v: 1, checks: { photos: true } } })
        const checked = companyOf(server, member, key, checking)
        const one = yield* checked.newSession()
        yield* upload(server, one, samples.png)
        yield* checked.complete(one)
        yield* looked(server, one)
      }),
      unfinished: Effect.gen(function* () {
        yield* company.progress(yield* session, { status: "failed" })
        yield* company.complete(yield* session, { status: "cancelled" })
        yield* expireSessions(server, [(yield* session).id])
      }),
      redacted: Effect.gen(function* () {
        yield* company.asMember("POST", `/api/kyc/sessions/${(yield* session).id}/redact`)
      }),
      resumed: Effect.gen(function* () {
        yield* company.asMember("POST", `/api/kyc/sessions/${(yield* session).id}/resume`)
      }),
      keys: Effect.gen(function* () {
        const expiresAt = new Date(Date.now() + 30 * 86_400_000).toISOString()
        yield* ageKeys(server, [(yield* createKey(server, member, { expiresAt })).id])
        const { id } = yield* createKey(server, member)
        yield* company.asMember("POST", `/api/api-keys/${id}/revoke`)
      })
    }
  })

const typesOf = (events: Iterable<PartnerEvent>) => new Set(Array.from(events, ({ type }) => type))

const byId = (events: Iterable<PartnerEvent>) =>
  [...events].sort((left, right) => (left.id < right.id ? -1 : 1))

suite(WebhookServer.layer)("A receiver that uses only standardwebhooks and the feed", (it) => {
  it.scoped("verifies every delivery of two companies' walks, and misses no event that it was not sent", () =>
    Effect.gen(function* () {
      const publishing = yield* partner
      const subscribing = yield* partner
      const { member, receiver, server } = publishing
      const sessions = yield* walkOf(publishing)
      yield* sessions.completed
      yield* publishing.deliver

      // The receiver answers 500 to all ten attempts.
      receiver.isBroken = true
      yield* sessions.unfinished
      yield* publishing.failForGood
      receiver.isBroken = false
      expect(receiver.missing).toEqual([])
      yield* sessions.resumed
      yield* sessions.redacted
      yield* sessions.keys
      yield* sessions.reviewed
      yield* sessions.checked
      yield* publishing.deliver
      expect(receiver.missing).toEqual([4, 5, 6, 7, 8, 9])

      const publisher = yield* becomePublisher(server, member)
      const api = yield* publisher.newApi()
      const planId = yield* addPlan(publisher, api, { requestsPerMonth: 5 })
      const upstreamUrl = yield* okUpstream
      yield* addVersion(publisher, api, { upstreamUrl })
      yield* publish(publisher, api)
      const subscriber = subscriberOf(server, subscribing.member)
      const subscription = subscribed(yield* subscriber.subscribe({ id: api.id, planId }))
      yield* addVersion(publisher, api, { version: "2", upstreamUrl })
      const called = yield* Effect.replicateEffect(
        send(server, "GET", `/gateway/${publisher.slug}/${api.slug}/v/2/any`, {
          headers: { "x-api-key": subscription.token }
        }),
        6
      )
      expect(called.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
      const percents = () =>
        [...subscribing.receiver.handled.values()]
          .filter(({ type }) => type === "marketplace.quota.reached")
          .map(({ data }) => data.percent)
      yield* eventually(
        "80 and 100 percent are delivered",
        Effect.map(subscribing.deliver, () => percents().length === 2)
      )
      expect(percents().sort()).toEqual([100, 80])
      const rotated = createdKey(yield* subscriber.rotate(subscription.keyId))
      yield* subscriber.revoke(rotated.id)
      yield* publishing.deliver

      // The company disables its endpoint for a while; the other one replaces its own.
      yield* publishing.ask("PATCH", publishing.endpoint, { status: "disabled" })
      yield* subscribing.deliver
      yield* subscribing.ask("POST", `${subscribing.endpoint}/remove`)
      yield* publisher.ask("POST", `/apis/${api.id}/unpublish`)
      yield* publish(publisher, api)
      yield* subscribing.ask("GET", "/api/events")
      const replacement = yield* Effect.promise(() => subscribing.receiver.register())
      yield* subscriber.cancel(subscription.id)
      yield* subscribing.deliver
      yield* publishing.ask("PATCH", publishing.endpoint, { status: "enabled" })
      const gone = yield* startReceiver
      gone.answer = () => new Response(null, { status: 410 })
      const other = yield* publishing.add(gone.url, { eventTypes: [] })
      yield* publishing.ask("POST", `${other.path}/test`)
      yield* publishing.deliver
      yield* publishing.ask("POST", `${publishing.endpoint}/test`)
      yield* publishing.deliver

      // The numbers name exactly what was not delivered, and the feed has it.
      const lost = yield* publishing.deliveriesThat("failed", "held")
      expect(lost.map(({ status }) => status)).toEqual([...Array(6).fill("failed"), ...Array(3).fill("held")])
      expect(receiver.missing).toEqual(lost.map(({ sequence }) => sequence))
      const found = yield* publishing.catchUp
      expect(found.map(({ id, type }) => (type === "webhook.test" ? "the test of the other" : id))).toEqual([
        ...lost.map(({ event_id }) => event_id),
        "the test of the other"
      ])
      expect(receiver.missing).toEqual([])
      expect([...typesOf(yield* subscribing.catchUp)]).toEqual([
        "marketplace.api.unpublished",
        "marketplace.api.published"
      ])

      // What is sent again later arrives, and takes effect no second time.
      const handled = receiver.handled.size
      const since = new Date(Date.now() - 3_600_000).toISOString()
      expect(
        statusAndBody(yield* publishing.ask("POST", `${publishing.endpoint}/recover`, { since }))
      ).toEqual({ status: 202, body: { deliveries: lost.length } })
      yield* publishing.makeDue
      yield* publishing.attemptDue
      expect(receiver.handled.size).toBe(handled)
      expect(yield* publishing.deliveriesThat("pending", "failed", "held")).toEqual([])

      for (const { feedAfter, key, receiver } of [publishing, subscribing]) {
        expect(receiver.refused).toEqual([])
        expect(byId(receiver.handled.values())).toEqual(byId(yield* feedAfter(key.id)))
      }
      const delivered = [publishing, subscribing].flatMap(({ receiver }) => receiver.delivered)
      for (const body of delivered) {
        const event = JSON.parse(body)
        Schema.decodeUnknownSync(eventSchema(event.type))(event, { onExcessProperty: "error" })
      }
      expect(typesOf(delivered.map((body) => JSON.parse(body)))).toEqual(new Set(allEventTypes))

      for (const [{ ask }, path] of [
        [publishing, publishing.endpoint],
        [subscribing, replacement]
      ] as const) {
        expect(field((yield* ask("POST", `${path}/drill`)).body, "report", "passed")).toBe(true)
      }
    })
  )
})
