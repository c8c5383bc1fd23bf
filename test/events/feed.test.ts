import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { writeFeedCursor } from "../../src/events/cursor-model.ts"
import { field, send } from "../support/client.ts"
import { companyOn, Partner, refusal, statusAndBody } from "../support/kyc/partner.ts"
import { anInstant } from "../support/shapes.ts"
import { suite } from "../support/suite.ts"

const anEventId: unknown = expect.stringMatching(/^evt_[0-9a-f]{32}$/)
const aCursor: unknown = expect.stringMatching(/^[\w-]+$/)

/** A company of its own, and its feed. */
const reading = Effect.gen(function* () {
  const { server } = yield* Partner
  const company = yield* companyOn(server)
  const feed = (query: Record<string, string> = {}) =>
    send(server, "GET", `/api/events?${new URLSearchParams(query)}`, {
      headers: { "x-api-key": company.key.token }
    })
  return { company, feed }
})

suite(Partner.layer)("The feed (contract.md#event-feed)", (it) => {
  it.effect("has every status of a session, once each, oldest first", () =>
    Effect.gen(function* () {
      const { company, feed } = yield* reading
      const session = yield* company.newSession()
      for (const progress of [{ s_a: 1 }, { s_b: 1 }]) {
        yield* company.progress(session, { status: "running", progress })
      }
      yield* company.complete(session, {})
      yield* company.complete(session, {})
      expect(statusAndBody(yield* feed())).toStrictEqual({
        status: 200,
        body: {
          events: [
            "api_key.created",
            "kyc.session.created",
            "kyc.session.started",
            "kyc.session.completed"
          ].map((type) => ({ id: anEventId, type, timestamp: anInstant, data: expect.any(Object) })),
          next_cursor: aCursor,
          has_more: false
        }
      })
    })
  )

  it.effect("lists the newest first, and the events of one resource", () =>
    Effect.gen(function* () {
      const { company, feed } = yield* reading
      const sessions = yield* Effect.replicateEffect(company.newSession(), 3)
      const [first] = sessions
      if (first !== undefined) yield* company.complete(first, {})
      const ids = (body: unknown) =>
        (field(body, "events") as ReadonlyArray<unknown>).map((event) => field(event, "data", "id"))
      const newest = [first, ...sessions.toReversed()].map((session) => session?.id)
      for (const type of ["kyc.*", undefined]) {
        const query = { order: "newest", limit: "3", ...(type === undefined ? {} : { type }) }
        const page = yield* feed(query)
        expect(ids(page.body)).toStrictEqual(newest.slice(0, 3))
        expect(field(page.body, "has_more")).toBe(true)
        const rest = yield* feed({ ...query, after: String(field(page.body, "next_cursor")) })
        // Without a filter, the oldest is that of the key.
        expect(ids(rest.body)).toStrictEqual([newest[3], ...(type === undefined ? [company.key.id] : [])])
        expect(field(rest.body, "has_more")).toBe(false)
      }
      const { body } = yield* feed({ resource: String(first?.id), type: "kyc.session.*" })
      expect(ids(body)).toStrictEqual([first?.id, first?.id])
      for (const resource of ["no id", "\0", sessions[1]?.id ?? ""]) {
        const { body, status } = yield* feed({ resource, type: "kyc.session.completed" })
        expect([status, field(body, "events")]).toStrictEqual([200, []])
      }
    })
  )

  it.effect(
    "answers 410 to a cursor from after a restored backup, but not to one with no events after it",
    () =>
      Effect.gen(function* () {
        const { feed } = yield* reading
        const after = writeFeedCursor({ position: 10 ** 14, at: Date.now() })
        expect(statusAndBody(yield* feed({ after }))).toStrictEqual(refusal(410, "Cursor is too old"))
        const { body } = yield* feed({ order: "newest", type: "webhook.*" })
        const empty = yield* feed({ after: String(field(body, "next_cursor")), type: "webhook.*" })
        expect(empty).toMatchObject({ status: 200, body: { events: [] } })
      })
  )

  it.effect("answers 410 to a cursor of more than 30 days ago", () =>
    Effect.gen(function* () {
      const { feed } = yield* reading
      const after = Buffer.from(`0.${Date.now() - 31 * 86_400_000}`).toString("base64url")
      expect(statusAndBody(yield* feed({ after }))).toStrictEqual(refusal(410, "Cursor is too old"))
    })
  )
})
