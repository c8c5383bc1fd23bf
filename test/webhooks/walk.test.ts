/** A partner's receiver loses deliveries, and misses nothing. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { createInstance, createKey, field } from "../support/client.ts"
import { companyOf, statusAndBody } from "../support/kyc/partner.ts"
import { suite } from "../support/suite.ts"
import { type PartnerEvent, PartnerReceiver } from "../support/webhooks/partner-receiver.ts"
import { hooked, WebhookServer } from "../support/webhooks/receiver.ts"

/** A company that signed up, its key, and its receiver with an endpoint. */
const partner = Effect.gen(function* () {
  const company = yield* hooked
  const { ask, attemptDue, member, server } = company
  const key = yield* createKey(server, member)
  const receiver = yield* Effect.acquireRelease(
    Effect.promise(() => PartnerReceiver.start({ doorlock: server.url, apiKey: key.token })),
    (receiver) => Effect.promise(() => receiver[Symbol.asyncDispose]())
  )
  const { body } = yield* ask("GET", "/api/webhook-endpoints")
  const endpoint = `/api/webhook-endpoints/${field(body, "endpoints", 0, "id")}`
  /** The numbers and events of the endpoint's deliveries of these statuses, the first one first. */
  const deliveriesThat = (...statuses: ReadonlyArray<string>) =>
    Effect.map(ask("GET", `${endpoint}/deliveries?limit=100`), ({ body }) => {
      const deliveries = field(body, "deliveries") as ReadonlyArray<{
        readonly status: string
        readonly sequence: number
        readonly event_id: string
      }>
      return deliveries.filter(({ status }) => statuses.includes(status)).toReversed()
    })
  return {
    ...company,
    key,
    receiver,
    endpoint,
    deliveriesThat,
    kyc: companyOf(server, member, key, yield* createInstance(server, member)),
    /** Collects the events so far and attempts their deliveries. */
    deliver: Effect.zipRight(ask("GET", "/api/events"), attemptDue)
  }
})

suite(WebhookServer.layer)("A receiver that uses only standardwebhooks and the feed", (it) => {
  it.scoped("verifies every delivery, and misses no event that it was not sent", () =>
    Effect.gen(function* () {
      const { ask, attemptDue, deliver, deliveriesThat, endpoint, key, kyc, makeDue, receiver } =
        yield* partner
      const session = kyc.newSession({ externalReference: "customer-42" })
      yield* kyc.complete(yield* session)
      yield* deliver
      // The receiver answers 500 to all ten attempts.
      receiver.isBroken = true
      yield* kyc.complete(yield* session, { status: "cancelled" })
      yield* deliver
      yield* Effect.repeatN(Effect.zipRight(makeDue, attemptDue), 8)
      receiver.isBroken = false
      expect(receiver.missing).toEqual([])
      yield* session
      yield* deliver
      expect(receiver.missing).toEqual([3, 4])

      // The company disables its endpoint for a while.
      yield* ask("PATCH", endpoint, { status: "disabled" })
      yield* session
      yield* deliver
      yield* ask("PATCH", endpoint, { status: "enabled" })
      yield* ask("POST", `${endpoint}/test`)
      yield* deliver

      // The numbers name exactly what was not delivered, and the feed has it.
      const lost = yield* deliveriesThat("failed", "held")
      expect(lost.map(({ status }) => status)).toEqual(["failed", "failed", "held"])
      expect(receiver.missing).toEqual(lost.map(({ sequence }) => sequence))
      const found = yield* Effect.promise(() => receiver.catchUp())
      expect(found.map(({ id }) => id)).toEqual(lost.map(({ event_id }) => event_id))
      expect(receiver.missing).toEqual([])

      // What is sent again later arrives, and takes effect no second time.
      const handled = receiver.handled.size
      const since = new Date(Date.now() - 3_600_000).toISOString()
      expect(statusAndBody(yield* ask("POST", `${endpoint}/recover`, { since }))).toEqual({
        status: 202,
        body: { deliveries: lost.length }
      })
      yield* makeDue
      yield* attemptDue
      expect(receiver.handled.size).toBe(handled)
      expect(yield* deliveriesThat("pending", "failed", "held")).toEqual([])

      const feed = yield* ask("GET", "/api/events?limit=100")
      const events = field(feed.body, "events") as ReadonlyArray<PartnerEvent>
      const ids = events.slice(events.findIndex(({ data }) => data.id === key.id) + 1).map(({ id }) => id)
      expect(receiver.refused).toEqual([])
      expect([...receiver.handled.keys()].sort()).toEqual(ids.sort())
      expect(field((yield* ask("POST", `${endpoint}/drill`)).body, "report", "passed")).toBe(true)
    })
  )
})
