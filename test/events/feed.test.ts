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
  /** The types and data of all events so far, of KYC sessions only. */
  const sessionEvents = Effect.map(feed({ type: "kyc.*", limit: "100" }), ({ body }) =>
    (field(body, "events") as ReadonlyArray<{ type: string; data: object }>).map(({ data, type }) => ({
      type,
      data
    }))
  )
  return { company, server, feed, sessionEvents }
})

suite(Partner.layer)("The feed (contract.md#event-feed)", (it) => {
  it.effect("has every status of a session, once each, whoever reads", () =>
    Effect.gen(function* () {
      const { company, feed, sessionEvents } = yield* reading
      const session = yield* company.newSession({ externalReference: "customer 42" })
      yield* company.progress(session, { progress: { s_a: 1 } })
      yield* company.progress(session, { status: "running" })
      yield* company.progress(session, { status: "running", progress: { s_b: 1 } })
      yield* company.complete(session, {})
      yield* company.complete(session, {})
      const data = (status: string) => ({
        id: session.id,
        instance_id: company.instance.id,
        status,
        mode: "prod",
        external_reference: "customer 42",
        url: `/api/kyc/sessions/${session.id}`
      })
      expect(yield* sessionEvents).toStrictEqual([
        { type: "kyc.session.created", data: data("created") },
        { type: "kyc.session.started", data: data("running") },
        { type: "kyc.session.completed", data: data("completed") }
      ])
      const all = yield* feed()
      expect(statusAndBody(all)).toStrictEqual({
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

  for (const [status, by] of [
    ["failed", "progress"],
    ["cancelled", "complete"]
  ] as const) {
    it.effect(`has kyc.session.${status} by ${by}`, () =>
      Effect.gen(function* () {
        const { company, sessionEvents } = yield* reading
        const session = yield* company.newSession()
        yield* company[by](session, { status })
        expect((yield* sessionEvents).map(({ type }) => type)).toStrictEqual([
          "kyc.session.created",
          `kyc.session.${status}`
        ])
      })
    )
  }

  it.effect("continues after a cursor, page by page, to the end and beyond it", () =>
    Effect.gen(function* () {
      const { company, feed } = yield* reading
      const sessions = yield* Effect.replicateEffect(company.newSession(), 5)
      const seen: Array<unknown> = []
      let after: string | undefined
      for (let page = 0; page < 3; page++) {
        const { body } = yield* feed({
          type: "kyc.session.created",
          limit: "2",
          ...(after === undefined ? {} : { after })
        })
        seen.push(
          ...(field(body, "events") as ReadonlyArray<unknown>).map((event) => field(event, "data", "id"))
        )
        expect(field(body, "has_more")).toBe(page < 2)
        after = String(field(body, "next_cursor"))
      }
      expect(seen).toStrictEqual(sessions.map(({ id }) => id))
      const last = yield* company.newSession()
      const { body } = yield* feed({ type: "kyc.*", after: after ?? "" })
      expect(
        (field(body, "events") as ReadonlyArray<unknown>).map((event) => field(event, "data", "id"))
      ).toStrictEqual([last.id])
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
        expect(ids(rest.body)[0]).toBe(newest[3])
        expect(field(rest.body, "has_more")).toBe(false)
      }
      for (const query of [
        { resource: String(first?.id) },
        { resource: String(first?.id), type: "kyc.session.*" }
      ]) {
        const { body } = yield* feed(query)
        expect(ids(body)).toStrictEqual([first?.id, first?.id])
      }
      for (const resource of ["no id", "\0", sessions[1]?.id ?? ""]) {
        const { body, status } = yield* feed({ resource, type: "kyc.session.completed" })
        expect([status, field(body, "events")]).toStrictEqual([200, []])
      }
    })
  )

  it.effect("begins after all events so far if after=now", () =>
    Effect.gen(function* () {
      const { company, feed } = yield* reading
      yield* company.newSession()
      const { body } = yield* feed({ after: "now" })
      expect(field(body, "events")).toStrictEqual([])
      const last = yield* company.newSession()
      const { body: next } = yield* feed({ after: String(field(body, "next_cursor")) })
      expect(field(next, "events")).toMatchObject([{ data: { id: last.id } }])
    })
  )

  it.effect("answers 400 to a query that it does not know", () =>
    Effect.gen(function* () {
      const { feed } = yield* reading
      const type = "type must be an event type such as kyc.session.completed, or a prefix such as kyc.*"
      for (const [query, message] of [
        [{ type: "kyc" }, type],
        [{ after: "x" }, "after must be the next_cursor of another page"],
        [{ order: "newer" }, "order must be oldest or newest"],
        [{ limit: "0" }, "limit must be a whole number from 1 to 100"],
        [{ limit: "101" }, "limit must be a whole number from 1 to 100"]
      ] as const) {
        expect(statusAndBody(yield* feed(query))).toStrictEqual(refusal(400, message))
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
