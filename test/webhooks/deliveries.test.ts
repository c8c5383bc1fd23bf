/** What endpoints are sent, and what becomes of it. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { auditEvents, eventsOf } from "../support/audit/trail.ts"
import { cli, onDatabase } from "../support/cli.ts"
import { createInstance, field, text } from "../support/client.ts"
import { refusal, statusAndBody } from "../support/kyc/partner.ts"
import { execute } from "../support/postgres.ts"
import { anId, anInstant } from "../support/shapes.ts"
import { suite } from "../support/suite.ts"
import { hooked, type Received, startReceiver, WebhookServer } from "../support/webhooks/receiver.ts"

type Listed = ReadonlyArray<{
  readonly id: string
  readonly event_id: string
  readonly event_type: string
  readonly sequence: number
  readonly status: string
  readonly attempts: number
  readonly next_attempt_at: string | null
}>

/** A company with one endpoint, which answers as the test says. */
const receiving = (fields: object = {}) =>
  Effect.gen(function* () {
    const company = yield* hooked
    const receiver = yield* startReceiver
    const { body, id, path } = yield* company.add(receiver.url, fields)
    const list = (query = "") =>
      Effect.map(company.ask("GET", `${path}/deliveries${query}`), (answer) => {
        expect(answer.status).toBe(200)
        return field(answer.body, "deliveries") as Listed
      })
    /** Moves events from the outbox to the log, as reading the feed does. */
    const collect = company.ask("GET", "/api/events")
    /** Records events, and attempts all deliveries that are due. */
    const deliver = (events = 1) =>
      Effect.replicateEffect(company.happen, events).pipe(
        Effect.zipLeft(collect),
        Effect.zipLeft(company.attemptDue)
      )
    return { ...company, deliver, receiver, id, path, secret: field(body, "secret"), list, collect }
  })

const number = ({ headers }: Received) => Number(headers["doorlock-sequence"])

/** Fails unless the request is as Standard Webhooks says, and its sequence is signed. */
const verified = (secret: unknown, { body, headers }: Received) => {
  const webhook = new Webhook(String(secret))
  const signed = {
    "webhook-id": headers["webhook-id"] ?? "",
    "webhook-timestamp": headers["webhook-timestamp"] ?? "",
    "webhook-signature": headers["webhook-signature"] ?? ""
  }
  const sequence = headers["doorlock-sequence"] ?? ""
  expect(
    webhook.verify(sequence, {
      ...signed,
      "webhook-signature": headers["doorlock-sequence-signature"] ?? ""
    })
  ).toBe(Number(sequence))
  return { sequence: Number(sequence), event: webhook.verify(body, signed) as Record<string, unknown> }
}

suite(WebhookServer.layer)("Deliveries (contract.md#webhook-delivery)", (it) => {
  it.scoped("are signed, counted, and have the bytes of the feed", () =>
    Effect.gen(function* () {
      const { ask, deliver, list, receiver, secret } = yield* receiving()
      const keys = yield* deliver(3)
      const feed = yield* ask("GET", "/api/events")
      // Several are under way at once, so they may arrive in another order.
      receiver.received.sort((one, other) => number(one) - number(other))
      expect(receiver.received.map(({ method, path }) => [method, path])).toStrictEqual(
        keys.map(() => ["POST", "/hooks"])
      )
      for (const [index, request] of receiver.received.entries()) {
        const { event, sequence } = verified(secret, request)
        expect(sequence).toBe(index + 1)
        expect(field(event, "data", "id")).toBe(keys[index])
        expect(event.id).toBe(request.headers["webhook-id"])
        expect(feed.text).toContain(request.body)
        expect(request.headers).toMatchObject({
          "content-type": "application/json",
          "user-agent": expect.stringMatching(/^doorlock\/\d+\.\d+\.\d+$/)
        })
      }
      const id = receiver.received[0]?.headers["webhook-id"]
      const { body: one } = yield* ask("GET", `/api/events/${id}`)
      expect(JSON.stringify(field(one, "event"))).toBe(receiver.received[0]?.body)
      expect(yield* list()).toStrictEqual(
        [3, 2, 1].map((sequence) => ({
          id: anId,
          event_id: receiver.received[sequence - 1]?.headers["webhook-id"],
          event_type: "api_key.created",
          sequence,
          status: "succeeded",
          attempts: 1,
          next_attempt_at: null,
          created_at: anInstant
        }))
      )
    })
  )

  it.scoped("are only of the types that the endpoint wants, and only of its company", () =>
    Effect.gen(function* () {
      const another = yield* receiving()
      const { ask, collect, happen, list, path } = yield* receiving({ eventTypes: ["api_key.revoked"] })
      const key = yield* happen
      yield* ask("POST", `/api/api-keys/${key}/revoke`)
      yield* ask("POST", `${path}/test`)
      yield* collect
      expect(yield* list()).toMatchObject([
        { event_type: "webhook.test", sequence: 2 },
        { event_type: "api_key.revoked", sequence: 1 }
      ])
      expect(yield* another.list()).toStrictEqual([])
    })
  )

  it.scoped("have numbers without gaps, in the order of the feed, however many happen at once", () =>
    Effect.gen(function* () {
      const { ask, collect, happen, list } = yield* receiving()
      yield* Effect.all(
        [
          Effect.replicateEffect(happen, 60, { concurrency: 12 }),
          Effect.replicateEffect(collect, 40, { concurrency: 4 })
        ],
        { concurrency: 2 }
      )
      yield* collect
      const { body } = yield* ask("GET", "/api/events?limit=100")
      const events = field(body, "events") as ReadonlyArray<{ id: string }>
      const deliveries = yield* list("?limit=100")
      expect(deliveries.map(({ sequence }) => sequence)).toStrictEqual(
        Array.from({ length: 60 }, (_, at) => 60 - at)
      )
      expect(deliveries.map(({ event_id }) => event_id).reverse()).toStrictEqual(events.map(({ id }) => id))
    })
  )

  it.scoped("are listed page by page, and by status", () =>
    Effect.gen(function* () {
      const { ask, deliver, list, path, receiver } = yield* receiving()
      receiver.answer = ({ headers }) =>
        new Response(null, { status: Number(headers["doorlock-sequence"]) % 2 === 0 ? 500 : 200 })
      yield* deliver(5)
      const seen: Array<unknown> = []
      let cursor = ""
      for (let page = 0; page < 3; page++) {
        const { body } = yield* ask("GET", `${path}/deliveries?limit=2${cursor && `&cursor=${cursor}`}`)
        seen.push(...(field(body, "deliveries") as Listed).map(({ sequence }) => sequence))
        cursor = page < 2 ? text(body, "next_cursor") : ""
        if (page === 2) expect(field(body, "next_cursor")).toBeNull()
      }
      expect(seen).toStrictEqual([5, 4, 3, 2, 1])
      const sequences = (status: string) =>
        Effect.map(list(`?status=${status}`), (found) => found.map(({ sequence }) => sequence))
      expect(yield* sequences("succeeded")).toStrictEqual([5, 3, 1])
      const listed = Effect.map(ask("GET", "/api/webhook-endpoints"), ({ body }) =>
        field(body, "endpoints", 0)
      )
      expect(field(yield* listed, "last_day")).toStrictEqual({ pending: 2, succeeded: 3, failed: 0, held: 0 })
      expect(yield* sequences("pending")).toStrictEqual([4, 2])
      expect(yield* sequences("failed")).toStrictEqual([])
    })
  )

  it.scoped("keep no body of a 2xx, seal the others, and lose those about a session with its data", () =>
    Effect.gen(function* () {
      const { ask, attemptDue, collect, deliver, list, member, receiver, server } = yield* receiving()
      const word = "Zoltana, born 1990"
      receiver.answer = ({ body }) =>
        new Response(word, { status: body.includes("kyc.session.resumed") ? 202 : 422 })
      const { id: instanceId } = yield* createInstance(server, member)
      const { body } = yield* ask("POST", `/api/kyc/instances/${instanceId}/test-session`)
      const session = text(body, "session", "id")
      yield* ask("POST", `/api/kyc/sessions/${session}/resume`)
      yield* deliver()
      const answers = Effect.gen(function* () {
        const shown: Record<string, unknown> = {}
        for (const { event_type, id } of yield* list()) {
          const { body } = yield* ask("GET", `/api/webhook-deliveries/${id}`)
          shown[event_type] = field(body, "delivery", "tried", 0, "answer")
        }
        return shown
      })
      const stored = Effect.map(
        execute(server.databaseUrl, "select string_agg(answer, ' ') as all from webhook_attempts"),
        ([row]) => String(row?.all)
      )
      expect(yield* answers).toStrictEqual({
        "kyc.session.created": word,
        "kyc.session.resumed": null,
        "api_key.created": word
      })
      expect(yield* stored).not.toContain("Zoltana")
      expect((yield* ask("POST", `/api/kyc/sessions/${session}/redact`)).status).toBe(200)
      yield* collect
      yield* attemptDue
      expect(yield* answers).toMatchObject({
        "kyc.session.created": null,
        "kyc.session.redacted": null,
        "api_key.created": word
      })
      expect(yield* stored).not.toContain("Zoltana")
    })
  )

  it.scoped("show their event and attempts", () =>
    Effect.gen(function* () {
      const { ask, deliver, id, list, receiver } = yield* receiving()
      receiver.answer = () => new Response("<b>no\0t yet</b>", { status: 500 })
      const [key] = yield* deliver()
      const [{ id: delivery = "" } = {}] = yield* list()
      expect(statusAndBody(yield* ask("GET", `/api/webhook-deliveries/${delivery}`))).toStrictEqual({
        status: 200,
        body: {
          delivery: {
            id: delivery,
            endpoint_id: id,
            event_id: receiver.received[0]?.headers["webhook-id"],
            event_type: "api_key.created",
            sequence: 1,
            status: "pending",
            attempts: 1,
            next_attempt_at: anInstant,
            created_at: anInstant,
            event: {
              id: receiver.received[0]?.headers["webhook-id"],
              type: "api_key.created",
              timestamp: anInstant,
              data: { id: key, status: "active", url: "/api/api-keys" }
            },
            tried: [
              {
                at: anInstant,
                milliseconds: expect.any(Number),
                status: 500,
                reason: "The endpoint answered 500.",
                answer: "<b>no\ufffdt yet</b>"
              }
            ]
          }
        }
      })
    })
  )

  it.scoped("fail after ten attempts, with the same id and bytes and a new signature each time", () =>
    Effect.gen(function* () {
      const { ask, attemptDue, collect, happen, list, makeDue, receiver, secret } = yield* receiving()
      yield* happen
      receiver.answer = () => new Response(null, { status: 503, headers: { "retry-after": "9" } })
      yield* collect
      for (let tries = 1; tries <= 10; tries++) {
        yield* attemptDue
        expect(receiver.received).toHaveLength(tries)
        const listed = yield* list()
        expect(listed).toMatchObject([{ status: tries < 10 ? "pending" : "failed", attempts: tries }])
        const next = Date.parse(listed[0]?.next_attempt_at ?? "")
        if (tries === 1) {
          const { body } = yield* ask("GET", `/api/webhook-deliveries/${listed[0]?.id}`)
          const attempt = field(body, "delivery", "tried", 0)
          const ended = Date.parse(text(attempt, "at")) + Number(field(attempt, "milliseconds"))
          // Retry-After asks for 9 seconds; that is no more than twice the first delay, which is 4 to 6.
          expect(next - ended).toBeGreaterThanOrEqual(8_000)
          expect(next - ended).toBeLessThanOrEqual(9_000)
        }
        yield* makeDue
      }
      yield* attemptDue
      expect(receiver.received).toHaveLength(10)
      expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
      for (const request of receiver.received) expect(verified(secret, request).sequence).toBe(1)
    })
  )

  it.scoped("are sent again at once on request, whatever their status", () =>
    Effect.gen(function* () {
      const { ask, attemptDue, deliver, list, makeDue, receiver } = yield* receiving()
      receiver.answer = () => new Response(null, { status: 500 })
      yield* deliver()
      const [{ id = "" } = {}] = yield* list()
      const retry = ask("POST", `/api/webhook-deliveries/${id}/retry`)
      receiver.answer = () => new Response(null, { status: 200 })
      expect(statusAndBody(yield* retry)).toStrictEqual({ status: 202, body: { ok: true } })
      yield* attemptDue
      expect(yield* list()).toMatchObject([{ status: "succeeded", attempts: 2 }])
      // The job of the first round still waits, and finds that another round has begun.
      expect(yield* makeDue).toHaveLength(1)
      yield* attemptDue
      expect(receiver.received).toHaveLength(2)
      yield* retry
      yield* attemptDue
      expect(yield* list()).toMatchObject([{ status: "succeeded", attempts: 3, sequence: 1 }])
      expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1)
    })
  )

  it.scoped("of a test go to the tested endpoint alone", () =>
    Effect.gen(function* () {
      const { add, ask, attemptDue, id, path, receiver, secret } = yield* receiving()
      const other = yield* startReceiver
      yield* add(other.url)
      expect(statusAndBody(yield* ask("POST", `${path}/test`))).toStrictEqual({
        status: 202,
        body: {
          delivery: {
            id: anId,
            event_id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
            event_type: "webhook.test",
            sequence: 1,
            status: "pending",
            attempts: 0,
            next_attempt_at: anInstant,
            created_at: anInstant
          }
        }
      })
      yield* attemptDue
      expect(other.received).toHaveLength(0)
      const [request] = receiver.received
      expect(request && verified(secret, request).event).toMatchObject({ type: "webhook.test", data: { id } })
    })
  )

  it.scoped("are held while the endpoint is disabled, and paced when they are recovered", () =>
    Effect.gen(function* () {
      const { ask, attemptDue, collect, deliver, happen, list, makeDue, path, receiver, server } =
        yield* receiving()
      receiver.answer = () => new Response(null, { status: 500 })
      yield* deliver()
      yield* ask("PATCH", path, { status: "disabled" })
      yield* Effect.replicateEffect(happen, 3)
      yield* collect
      yield* makeDue
      yield* attemptDue
      expect(receiver.received.splice(0)).toHaveLength(1)
      expect((yield* list()).map(({ sequence, status }) => [sequence, status])).toStrictEqual(
        [4, 3, 2, 1].map((sequence) => [sequence, "held"])
      )
      const since = new Date(Date.now() - 3_600_000).toISOString()
      const disabled = refusal(409, "Webhook endpoint is disabled")
      expect(statusAndBody(yield* ask("POST", `${path}/recover`, { since }))).toStrictEqual(disabled)
      expect(statusAndBody(yield* ask("POST", `${path}/test`))).toStrictEqual(disabled)
      const [{ id = "" } = {}] = yield* list()
      expect(statusAndBody(yield* ask("POST", `/api/webhook-deliveries/${id}/retry`))).toStrictEqual(disabled)

      yield* ask("PATCH", path, { status: "enabled" })
      // Until the times have been read, none succeeds.
      const gate = Promise.withResolvers<void>()
      receiver.answer = () => gate.promise.then(() => new Response(null, { status: 200 }))
      const recover = ask("POST", `${path}/recover`, { since })
      expect(statusAndBody(yield* recover)).toStrictEqual({ status: 202, body: { deliveries: 4 } })
      expect(statusAndBody(yield* recover)).toStrictEqual({ status: 202, body: { deliveries: 0 } })
      const times = yield* execute(
        server.databaseUrl,
        "select extract(milliseconds from next_attempt_at - min(next_attempt_at) over ())::int as ms from webhook_deliveries where endpoint_id = $1 and status = 'pending' order by sequence",
        [path.split("/").at(-1)]
      )
      expect(times.map(({ ms }) => ms)).toStrictEqual([0, 50, 100, 150])
      gate.resolve()
      yield* makeDue
      yield* attemptDue
      expect(
        receiver.received.map(({ headers }) => Number(headers["doorlock-sequence"])).sort()
      ).toStrictEqual([1, 2, 3, 4])
      expect((yield* list()).map(({ status }) => status)).toStrictEqual(Array(4).fill("succeeded"))
    })
  )

  it.scoped("end when their endpoint is removed", () =>
    Effect.gen(function* () {
      const { ask, attemptDue, collect, deliver, happen, makeDue, path, receiver } = yield* receiving()
      receiver.answer = () => new Response(null, { status: 500 })
      yield* deliver()
      yield* ask("POST", `${path}/remove`)
      yield* happen
      yield* collect
      expect(yield* makeDue).toHaveLength(1)
      yield* attemptDue
      expect(receiver.received).toHaveLength(1)
    })
  )

  it.scoped("end if the endpoint answers 410, and an event and the audit trail say so", () =>
    Effect.gen(function* () {
      const { add, ask, attemptDue, collect, deliver, id, member, receiver, server } = yield* receiving()
      const other = yield* startReceiver
      yield* add(other.url, { eventTypes: ["webhook.endpoint.disabled"] })
      // All are answered at once, and disable it once.
      receiver.answer = () => new Response(null, { status: 410 })
      yield* deliver(10)
      const { body } = yield* ask("GET", "/api/webhook-endpoints")
      expect(field(body, "endpoints")).toMatchObject([
        { status: "disabled", disabled_reason: "gone" },
        { status: "enabled", disabled_reason: null }
      ])
      yield* collect
      yield* attemptDue
      expect(other.received.map((request) => JSON.parse(request.body))).toMatchObject([
        {
          type: "webhook.endpoint.disabled",
          data: { status: "disabled", reason: "gone", url: "/api/webhook-endpoints" }
        }
      ])
      expect(
        eventsOf(yield* auditEvents(server, member, { action: "webhook_endpoint.disabled" }))
      ).toMatchObject([
        {
          actor: { kind: "operator", id: null, name: "doorlock" },
          resource: { kind: "webhook_endpoint", id, name: new URL(receiver.url).host },
          details: { reason: "gone" }
        }
      ])
    })
  )

  it.scoped("whose job was set aside fail when the operator drops it, and are recovered", () =>
    Effect.gen(function* () {
      const { ask, attemptDue, deliver, list, makeDue, member, path, receiver, server } = yield* receiving()
      const lane = `${member.companyId}/${path.split("/").at(-1)}`
      receiver.answer = () => new Response(null, { status: 500 })
      yield* deliver()
      const [job] = yield* execute(
        server.databaseUrl,
        `with moved as (delete from work_jobs where lane = $1 returning *)
         insert into work_poison (number, kind, lane, attempt, payload, reason)
         select number, kind, lane, 1, payload, 'a fault' from moved returning number::text as id`,
        [lane]
      )
      yield* cli(["work", "drop", String(job?.id)], onDatabase(server.databaseUrl))
      expect(yield* list()).toMatchObject([{ status: "failed", attempts: 1, next_attempt_at: null }])
      receiver.answer = () => new Response(null, { status: 204 })
      const since = new Date(Date.now() - 3_600_000).toISOString()
      expect(statusAndBody(yield* ask("POST", `${path}/recover`, { since }))).toStrictEqual({
        status: 202,
        body: { deliveries: 1 }
      })
      yield* makeDue
      yield* attemptDue
      expect(yield* list("?status=succeeded")).toMatchObject([{ sequence: 1, attempts: 2 }])
    })
  )

  it.scoped(
    "that fail for five days, at least ten times, disable the endpoint; a success resets the count",
    () =>
      Effect.gen(function* () {
        const { ask, deliver, id, receiver, server } = yield* receiving()
        const status = Effect.map(ask("GET", "/api/webhook-endpoints"), ({ body }) => [
          field(body, "endpoints", 0, "status"),
          field(body, "endpoints", 0, "disabled_reason")
        ])
        const failingSince = Effect.map(ask("GET", "/api/webhook-endpoints"), ({ body }) =>
          field(body, "endpoints", 0, "failing_since")
        )
        const fail = (times: number) =>
          Effect.gen(function* () {
            receiver.answer = () => new Response(null, { status: 500 })
            yield* deliver(times)
          })
        const fiveDaysLater = execute(
          server.databaseUrl,
          "update webhook_endpoints set failing_since = failing_since - interval '5 days' where id = $1",
          [id]
        )
        yield* fail(8)
        yield* fiveDaysLater
        yield* fail(1)
        expect(yield* status).toStrictEqual(["enabled", null])
        receiver.answer = () => new Response(null, { status: 200 })
        expect(yield* failingSince).toStrictEqual(anInstant)
        yield* deliver()
        expect(yield* failingSince).toBeNull()
        yield* fail(9)
        expect(yield* status).toStrictEqual(["enabled", null])
        yield* fiveDaysLater
        yield* fail(1)
        expect(yield* status).toStrictEqual(["disabled", "failing"])
        yield* ask("PATCH", `/api/webhook-endpoints/${id}`, { status: "enabled" })
        yield* fail(1)
        expect(yield* status).toStrictEqual(["enabled", null])
      })
  )

  it.scoped("are signed by each valid secret", () =>
    Effect.gen(function* () {
      const { ask, deliver, path, receiver, secret } = yield* receiving()
      const rotate = (overlapSeconds: number) =>
        Effect.map(ask("POST", `${path}/secret/rotate`, { overlapSeconds }), ({ body }) =>
          text(body, "secret")
        )
      const second = yield* rotate(3_600)
      const third = yield* rotate(3_600)
      yield* deliver()
      const fourth = yield* rotate(0)
      yield* deliver()
      const [first, last] = receiver.received
      if (first === undefined || last === undefined) throw new Error("Two requests are expected")
      for (const known of [secret, second, third]) expect(verified(known, first).sequence).toBe(1)
      for (const known of [secret, second, fourth]) expect(verified(known, last).sequence).toBe(2)
      expect(() => verified(third, last)).toThrow("No matching signature found")
    })
  )
})
