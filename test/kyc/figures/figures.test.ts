/** The figures of the home page, and the funnel of an instance. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { expireSessions } from "../../support/ageing.ts"
import { createInstance, createKey, createSession, field, text } from "../../support/client.ts"
import { type Company, companyOn, Partner, unknownId } from "../../support/kyc/partner.ts"
import { reviewingCompany, reviewsAs, waitingSession } from "../../support/kyc/reviews.ts"
import { publishApi, subscribed, subscriberOf } from "../../support/marketplace/subscriptions.ts"
import { execute } from "../../support/postgres.ts"
import { startServer } from "../../support/server.ts"
import { suite } from "../../support/suite.ts"

const newCompany = Effect.flatMap(Partner, ({ server }) => companyOn(server))

const overview = (company: Company, query: Record<string, string> = {}) =>
  Effect.map(company.asMember("GET", `/api/kyc/overview?${new URLSearchParams(query)}`), ({ body }) => body)

const none = { created: 0, completed: 0, failed: 0, cancelled: 0, expired: 0 }

const noAttention = { failing_webhooks: [], expiring_keys: [], plans_near_end: [] }

/** Events are counted as they reach the log; a test's server moves them there when its feed is read. */
const counting = (company: Company) => company.asMember("GET", "/api/events")

suite(Partner.layer)("Figures", (it) => {
  it.effect("200: a company without sessions", () =>
    Effect.gen(function* () {
      const body = yield* overview(yield* newCompany, { days: "3" })
      expect(body).toStrictEqual({
        sessions: {
          days: [expect.objectContaining(none), expect.objectContaining(none), expect.objectContaining(none)],
          total: none,
          completed_share: null,
          median_seconds: null
        },
        reviews: { waiting: 0, oldest_at: null },
        attention: noAttention
      })
    })
  )

  it.effect("waiting reviews are counted; a decided one and those of others are not", () =>
    Effect.gen(function* () {
      const { server } = yield* Partner
      const company = yield* reviewingCompany(server)
      yield* waitingSession(yield* reviewingCompany(server))
      const sessions = yield* Effect.replicateEffect(waitingSession(company), 3)
      const { decide, list } = reviewsAs(server, company.member)
      for (const session of sessions.slice(0, 1)) yield* decide(session, { decision: "approved" })
      const reviews = { waiting: 2, oldest_at: field((yield* list()).body, "reviews", 0, "waiting_since") }
      expect(field(yield* overview(company), "reviews")).toStrictEqual(reviews)
    })
  )

  it.effect("sessions are counted by day and state, but not those of mode dev or of other companies", () =>
    Effect.gen(function* () {
      const company = yield* newCompany
      const { databaseUrl } = company.server
      const other = yield* createInstance(company.server, company.member)
      const ended = ["completed", "completed", "completed", "failed", "cancelled"] as const
      for (const status of ended) yield* company.complete(yield* company.newSession(), { status })
      yield* company.newSession({ mode: "dev" })
      yield* createSession(company.server, company.key.token, other.id)
      yield* (yield* Partner).newSession()
      yield* counting(company)
      for (const [place, seconds] of [10, 30, 500].entries()) {
        yield* execute(
          databaseUrl,
          `update kyc_sessions set started_at = completed_at - $2 * interval '1 second' where id = (
             select id from kyc_sessions where company_id = $1 and status = 'completed' order by created_at, id offset $3 limit 1)`,
          [company.member.companyId, seconds, place]
        )
      }
      const today = (yield* execute(
        databaseUrl,
        "select to_char(now() at time zone 'UTC', 'YYYY-MM-DD') as day"
      ))[0]?.day
      const total = { created: 6, completed: 3, failed: 1, cancelled: 1, expired: 0 }
      const body = yield* overview(company)
      expect(field(body, "sessions")).toMatchObject({ total, completed_share: 0.6, median_seconds: 30 })
      const days = Object(field(body, "sessions", "days"))
      expect(days).toHaveLength(30)
      // A test that runs at midnight sees them on two days.
      const lastTwo = days.slice(-2).map(({ created }: { created: number }) => created)
      expect(lastTwo[0] + lastTwo[1]).toBe(6)
      expect(days.at(-1).day >= String(today)).toBe(true)
      const ofOther = yield* overview(company, { instanceId: other.id })
      expect(field(ofOther, "sessions", "total")).toEqual({ ...none, created: 1 })
      for (const instanceId of [unknownId, "x"]) {
        expect(field(yield* overview(company, { instanceId }), "sessions", "total")).toEqual(none)
      }
    })
  )

  it.effect("what needs attention: webhooks that fail, keys that expire, plans near their end", () =>
    Effect.gen(function* () {
      const company = yield* newCompany
      const { databaseUrl } = company.server
      // Nothing is sent to them.
      const endpoint = (url: string) =>
        Effect.map(
          company.asMember("POST", "/api/webhook-endpoints", { url, eventTypes: ["kyc.session.redacted"] }),
          ({ body }) => String(field(body, "endpoint", "id"))
        )
      const failing = yield* endpoint("https://hooks.example.com/failing")
      yield* endpoint("https://hooks.example.com/good")
      yield* execute(databaseUrl, "update webhook_endpoints set failing_since = '2026-01-02' where id = $1", [
        failing
      ])
      const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
      const soon = yield* createKey(company.server, company.member, { name: "soon", expiresAt: inDays(20) })
      yield* createKey(company.server, company.member, { name: "late", expiresAt: inDays(40) })
      yield* createKey(company.server, company.member, { name: "brief", expiresAt: inDays(3) })
      yield* createKey(company.server, company.member, { name: "over", expiresAt: inDays(-1) })
      const revoked = yield* createKey(company.server, company.member, {
        name: "revoked",
        expiresAt: inDays(1)
      })
      yield* company.asMember("POST", `/api/api-keys/${revoked.id}/revoke`)
      const api = yield* publishApi(company.server, company.member)
      const subscriber = subscriberOf(company.server, company.member)
      const subscribe = () =>
        Effect.map(subscriber.subscribe({ id: api.id, planId: api.unlimitedPlanId }), subscribed)
      const { id } = yield* subscribe()
      for (const percent of [80, 100]) {
        yield* execute(
          databaseUrl,
          // In the month of now and that of a little later, which differ if a month is about to end.
          `insert into event_outbox (company_id, type, data)
           select $1, 'marketplace.quota.reached', jsonb_build_object(
             'id', $2::text, 'mode', 'live', 'percent', $3::int, 'month', to_char((now() + later) at time zone 'UTC', 'YYYY-MM'))
           from unnest(array[interval '0', interval '1 hour']) as later`,
          [company.member.companyId, id, percent]
        )
      }
      yield* counting(company)
      // Who cancels and subscribes again goes on from the same usage.
      yield* subscriber.cancel(id)
      const next = (yield* subscribe()).id
      expect(next).not.toBe(id)
      expect(field(yield* overview(company), "attention")).toStrictEqual({
        failing_webhooks: [
          {
            id: failing,
            url: "https://hooks.example.com/failing",
            failing_since: "2026-01-02T00:00:00.000Z",
            disabled_at: null
          }
        ],
        expiring_keys: [{ id: soon.id, name: "soon", expires_at: expect.any(String) }],
        plans_near_end: [{ id: next, api_name: expect.any(String), mode: "live", percent: 100 }]
      })
      expect(field(yield* overview(yield* newCompany), "attention")).toStrictEqual(noAttention)
    })
  )

  it.effect(
    "the funnel says per step how many came, answered, left and failed, and how long it took; tests do not count",
    () =>
      Effect.gen(function* () {
        const { server } = yield* Partner
        const form = (id: string) => ({ id, type: "form" })
        const workflow = {
          v: 1,
          id: "w",
          version: 1,
          steps: [form("a"), { id: "robot", type: "captcha" }, form("b"), form("c")]
        }
        const company = yield* companyOn(server, { workflow })
        const funnel = (query: Record<string, string> = {}) =>
          Effect.map(
            company.asPartner(
              `/api/kyc/instances/${company.instance.id}/funnel?${new URLSearchParams(query)}`
            ),
            ({ body }) => field(body, "funnel")
          )
        const empty = { type: "form", came: 0, answered: 0, left: 0, failed: 0, median_seconds: null }
        expect(yield* funnel()).toStrictEqual({
          sessions: 0,
          completed: 0,
          steps: [
            { step: "a", ...empty },
            { step: "b", ...empty },
            { step: "c", ...empty }
          ]
        })
        const going = (answers: string, seconds: object) =>
          Effect.gen(function* () {
            const session = yield* company.newSession()
            for (const step of answers) {
              yield* company.progress(session, {
                progress: { [`s_${step}`]: { x: 1 }, other: 1 },
                status: "running"
              })
            }
            const read = Effect.map(
              execute(server.databaseUrl, "select step_seconds as seconds from kyc_sessions where id = $1", [
                session.id
              ]),
              ([row]) => Object.keys(Object(row?.seconds)).sort().join("")
            )
            expect(yield* read).toBe(answers)
            yield* execute(
              server.databaseUrl,
              "update kyc_sessions set step_seconds = $2::jsonb where id = $1",
              [session.id, JSON.stringify(seconds)]
            )
            return session
          })
        yield* company.complete(yield* going("abc", { a: 10, b: 30, c: 60 }))
        yield* company.complete(yield* going("abc", { a: 20, b: 50, c: 100 }))
        // A step that is skipped, and one that the workflow no longer has.
        yield* company.complete(yield* going("ac", { a: 30, c: 45, gone: 1 }))
        yield* company.complete(yield* going("ab", { a: 40, b: 41 }), { status: "failed" })
        yield* company.complete(yield* going("a", { a: 50 }), { status: "cancelled" })
        yield* company.expire(yield* going("", {}))
        yield* going("ab", { a: 60, b: 70 })
        const trial = yield* going("a", { a: 5 })
        yield* execute(server.databaseUrl, "update kyc_sessions set mode = 'dev' where id = $1", [trial.id])
        // What a redacted session answered is not known any more.
        const forgotten = yield* going("ab", { a: 5, b: 6 })
        const redact = yield* company.asMember("POST", `/api/kyc/sessions/${forgotten.id}/redact`)
        expect(redact.status).toBe(200)
        // A resubmission asks for some steps only.
        yield* execute(
          server.databaseUrl,
          "update kyc_sessions set previous_session_id = gen_random_uuid() where id = $1",
          [(yield* going("b", { b: 7 })).id]
        )
        expect(yield* funnel()).toStrictEqual({
          sessions: 7,
          completed: 3,
          steps: [
            { step: "a", type: "form", came: 7, answered: 6, left: 1, failed: 0, median_seconds: 35 },
            { step: "b", type: "form", came: 5, answered: 4, left: 1, failed: 1, median_seconds: 15 },
            { step: "c", type: "form", came: 4, answered: 3, left: 0, failed: 0, median_seconds: 30 }
          ]
        })
        const day = 86_400_000
        const at = (days: number) => new Date(Date.now() + days * day).toISOString()
        expect(yield* funnel({ from: at(1) })).toMatchObject({ sessions: 0 })
        expect(yield* funnel({ to: at(-1) })).toMatchObject({ sessions: 0 })
        expect(yield* funnel({ from: at(-1), to: at(1) })).toMatchObject({ sessions: 7 })
      })
  )
})

it.scopedLive("a session that expired and was resumed or cancelled is counted where it ended", () =>
  Effect.gen(function* () {
    // All sessions of the server have expired since the last look.
    const server = yield* startServer()
    const company = yield* companyOn(server)
    const all = yield* Effect.replicateEffect(company.newSession(), 3)
    const [completed, again, cancelled] = all
    if (completed === undefined || again === undefined || cancelled === undefined)
      throw new Error("A session is missing")
    yield* expireSessions(
      server,
      all.map(({ id }) => id)
    )
    yield* counting(company)
    const totals = Effect.map(overview(company), (body) => field(body, "sessions", "total"))
    expect(yield* totals).toEqual({ ...none, created: 3, expired: 3 })
    const resumed = ({ id }: { readonly id: string }) =>
      company.asMember("POST", `/api/kyc/sessions/${id}/resume`, { expiresInSeconds: 3600 })
    const token = text((yield* resumed(completed)).body, "sessionToken")
    yield* company.complete({ ...completed, token })
    yield* company.asMember("POST", `/api/kyc/sessions/${cancelled.id}/cancel`)
    // Before its events are counted, and twice.
    yield* resumed(again)
    yield* resumed(again)
    yield* expireSessions(server, [again.id])
    yield* counting(company)
    expect(yield* totals).toEqual({ ...none, created: 3, completed: 1, cancelled: 1, expired: 1 })
    expect(field(yield* overview(company), "sessions", "completed_share")).toBe(1 / 3)
  })
)
