import { expect } from "@effect/vitest"
import { Effect } from "effect"
import {
  createInstance,
  createSession,
  field,
  type TestSession as Session,
  text
} from "../../support/client.ts"
import { check, newKeyHash } from "../../support/kyc/dedup.ts"
import {
  type Company,
  companyOn,
  Partner,
  refusal,
  statusAndBody,
  unknownId
} from "../../support/kyc/partner.ts"
import { reviewerOf, reviewingCompany, waitingSession } from "../../support/kyc/reviews.ts"
import { idAt } from "../../support/kyc/session-ids.ts"
import { execute } from "../../support/postgres.ts"
import { suite } from "../../support/suite.ts"

const sessionsOf = (body: unknown): ReadonlyArray<unknown> => {
  const sessions = field(body, "sessions")
  if (!Array.isArray(sessions)) throw new Error(`No list in ${JSON.stringify(body)}`)
  return sessions
}

const ids = (body: unknown) => sessionsOf(body).map((session) => text(session, "id"))

const list = ({ asPartner }: Company, query: Record<string, string> = {}) =>
  asPartner(`/api/kyc/sessions?${new URLSearchParams(query)}`)

/** A new company, because the tests check the whole list. */
const newCompany = Effect.flatMap(Partner, ({ server }) => companyOn(server))

/** Follows the pages to their end. */
const allPages = (
  company: Company,
  query: Record<string, string>,
  between: Effect.Effect<unknown> = Effect.void
) =>
  Effect.gen(function* () {
    const pages: Array<ReadonlyArray<string>> = []
    let cursor: unknown
    do {
      const { body } = yield* list(company, typeof cursor === "string" ? { ...query, cursor } : query)
      pages.push(ids(body))
      cursor = field(body, "next_cursor")
      yield* between
    } while (cursor !== null)
    return pages
  })

suite(Partner.layer)("The partner's list of sessions", (it) => {
  it.effect(
    "200: newest first, each as in a single read but for its checks, by key and by dashboard session",
    () =>
      Effect.gen(function* () {
        const company = yield* newCompany
        const made = [
          yield* company.newSession({ externalReference: "a" }),
          yield* company.expiredSession({ metadata: { a: 1 } }),
          yield* company.newSession({ mode: "dev" })
        ]
        yield* Effect.forEach(made.slice(0, 1), (session) => company.complete(session, { result: 1 }))
        const alone = yield* Effect.forEach(made.toReversed(), ({ id }) =>
          Effect.map(company.asPartner(`/api/kyc/sessions/${id}`), ({ body }) => {
            const { checks, ...session } = Object(field(body, "session"))
            expect(checks).toEqual([])
            return session
          })
        )
        const listed = (...left: ReadonlyArray<string>) => ({
          status: 200,
          body: {
            sessions: alone.map((session) =>
              Object.fromEntries(Object.entries(session).filter(([name]) => !left.includes(name)))
            ),
            next_cursor: null
          }
        })
        const short = listed("instance_config", "instance_workflow")
        expect(statusAndBody(yield* list(company))).toStrictEqual(short)
        expect(statusAndBody(yield* company.asMember("GET", "/api/kyc/sessions"))).toStrictEqual(short)
        for (const [include, expected] of [
          ["instance_config,instance_workflow", listed()],
          ["instance_workflow", listed("instance_config")],
          ["instance_config", listed("instance_workflow")]
        ] as const) {
          expect(statusAndBody(yield* list(company, { include }))).toStrictEqual(expected)
        }
      })
  )

  it.effect("A company sees only its own sessions", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* newCompany, yield* newCompany]
      const session = yield* one.newSession({ externalReference: "shared" })
      yield* other.newSession({ externalReference: "shared" })
      expect(ids((yield* list(one)).body)).toEqual([session.id])
      expect(ids((yield* list(one, { externalReference: "shared" })).body)).toEqual([session.id])
    })
  )

  it.effect("20 by default; pages contain each session once, also while sessions are created", () =>
    Effect.gen(function* () {
      const company = yield* newCompany
      const made = yield* Effect.replicateEffect(company.newSession(), 23)
      // All at the same time, so that only their ids order them.
      yield* execute(
        company.server.databaseUrl,
        "update kyc_sessions set created_at = date_trunc('minute', now()) where company_id = $1",
        [company.member.companyId]
      )
      const newestFirst = made
        .map(({ id }) => id)
        .sort()
        .reverse()
      expect((yield* allPages(company, {})).map((page) => page.length)).toEqual([20, 3])
      const pages = yield* allPages(company, { limit: "10" }, company.newSession())
      expect(pages.map((page) => page.length)).toEqual([10, 10, 3])
      expect(pages.flat()).toEqual(newestFirst)
    })
  )

  it.effect("status filters; without it, all are in one order", () =>
    Effect.gen(function* () {
      const company = yield* newCompany
      const made: Array<readonly [string, string]> = []
      for (const status of ["created", "running", "failed", "completed", "cancelled", "created", "running"]) {
        const session = yield* company.newSession()
        yield* status === "completed" ? company.complete(session) : company.progress(session, { status })
        made.unshift([status, session.id])
      }
      const inOrder = made.map(([, id]) => id)
      for (const query of [{}, { instanceId: company.instance.id }]) {
        for (const limit of ["20", "3", "1"]) {
          expect((yield* allPages(company, { ...query, limit })).flat()).toEqual(inOrder)
        }
        for (const [status] of made) {
          expect(ids((yield* list(company, { ...query, status })).body)).toEqual(
            made.filter(([of]) => of === status).map(([, id]) => id)
          )
        }
      }
    })
  )

  it.effect("externalReference matches exactly, alone, with other filters and with a cursor", () =>
    Effect.gen(function* () {
      const company = yield* newCompany
      const first = yield* company.newSession({ externalReference: "ä & b%" })
      const second = yield* company.newSession({ externalReference: "ä & b%" })
      const empty = yield* company.newSession({ externalReference: "" })
      yield* company.newSession({ externalReference: "Ä & B%" })
      yield* company.newSession()
      yield* company.complete(second)
      const query = { externalReference: "ä & b%" }
      expect(yield* allPages(company, { ...query, limit: "1" })).toEqual([[second.id], [first.id]])
      for (const [filter, found] of [
        [query, [second.id, first.id]],
        [{ ...query, status: "completed" }, [second.id]],
        [{ ...query, status: "failed" }, []],
        [{ externalReference: "" }, [empty.id]],
        [{ externalReference: "nobody's" }, []]
      ] as const) {
        expect(ids((yield* list(company, filter)).body), JSON.stringify(filter)).toEqual(found)
      }
    })
  )

  it.effect("instanceId filters; an unknown one and that of another company have no sessions", () =>
    Effect.gen(function* () {
      const company = yield* newCompany
      const other = yield* createInstance(company.server, company.member)
      const session = yield* company.newSession()
      const theirs = yield* createSession(company.server, company.key.token, other.id)
      expect(ids((yield* list(company, { instanceId: company.instance.id })).body)).toEqual([session.id])
      expect(ids((yield* list(company, { instanceId: other.id })).body)).toEqual([theirs.id])
      const stranger = yield* newCompany
      yield* stranger.newSession()
      for (const instanceId of [unknownId, "x", "", "\u0000", stranger.instance.id]) {
        expect(statusAndBody(yield* list(company, { instanceId }))).toStrictEqual({
          status: 200,
          body: { sessions: [], next_cursor: null }
        })
      }
    })
  )

  it.effect("expired lists expired sessions, or all others, also with other filters and a cursor", () =>
    Effect.gen(function* () {
      const company = yield* newCompany
      const { server } = company
      const other = yield* createInstance(server, company.member)
      const fresh = yield* company.newSession()
      const created = yield* company.expiredSession({ externalReference: "a" })
      const running = yield* company.newSession()
      yield* company.progress(running, { status: "running" })
      const done = yield* company.newSession()
      yield* company.complete(done)
      const elsewhere = yield* createSession(server, company.key.token, other.id)
      for (const session of [running, done, elsewhere]) yield* company.expire(session)
      const expired = [elsewhere.id, running.id, created.id]
      expect((yield* allPages(company, { expired: "true", limit: "1" })).flat()).toEqual(expired)
      for (const [query, found] of [
        [{ expired: "true" }, expired],
        [{ expired: "false" }, [done.id, fresh.id]],
        [{ expired: "true", status: "created" }, [elsewhere.id, created.id]],
        [{ expired: "true", instanceId: other.id }, [elsewhere.id]],
        [{ expired: "true", externalReference: "a" }, [created.id]],
        [{ expired: "false", instanceId: company.instance.id }, [done.id, fresh.id]]
      ] as const) {
        expect(ids((yield* list(company, query)).body), JSON.stringify(query)).toEqual(found)
      }
    })
  )

  it.effect("externalReferencePrefix finds references by their beginning, in their order", () =>
    Effect.gen(function* () {
      const company = yield* newCompany
      const made = new Map<string, string>()
      for (const externalReference of ["a%", "a%2", "a_", "b", "A%", "a", "a\u{10fffe}", "a%2"]) {
        const { id } = yield* company.newSession({ externalReference })
        made.set(made.has(externalReference) ? `${externalReference} again` : externalReference, id)
      }
      const idsOf = (...references: ReadonlyArray<string>) => references.map((one) => made.get(one))
      const query = (externalReferencePrefix: string, more: object = {}) => ({
        externalReferencePrefix,
        ...more
      })
      expect(ids((yield* list(company, query("a%"))).body)).toEqual(idsOf("a%2 again", "a%2", "a%"))
      const oldest = query("a", { order: "oldest" })
      const ascending = idsOf("a", "a%", "a%2", "a%2 again", "a_", "a\u{10fffe}")
      expect(ids((yield* list(company, oldest)).body)).toEqual(ascending)
      expect((yield* allPages(company, { ...oldest, limit: "1" })).flat()).toEqual(ascending)
      expect((yield* allPages(company, query("a", { limit: "2" }))).flat()).toEqual(ascending.toReversed())
      expect(ids((yield* list(company, query("a%", { externalReference: "a%" }))).body)).toEqual(idsOf("a%"))
      expect(ids((yield* list(company, query("b", { externalReference: "a%" }))).body)).toEqual([])
      const others = { instanceId: company.instance.id, expired: "false", status: "created" }
      expect(ids((yield* list(company, query("b", others))).body)).toEqual(idsOf("b"))
    })
  )

  it.effect("from and to filter by the time of creation, and order=oldest reverses the list", () =>
    Effect.gen(function* () {
      const company = yield* newCompany
      const now = yield* company.newSession({ externalReference: "a" })
      const made = yield* execute(
        company.server.databaseUrl,
        `insert into kyc_sessions (id, instance_id, company_id, version_id, mode, external_reference, token_hash, expires_at, created_at)
         select ${idAt("day")}, instance_id, company_id, version_id, mode, 'a', sha256(convert_to(day::text, 'UTF8')), expires_at, day
         from kyc_sessions, generate_series('2026-01-01Z'::timestamptz, '2026-01-04Z', '1 day') as day where id = $1
         returning id`,
        [now.id]
      )
      const inOrder = [...made.map(({ id }) => String(id)).sort(), now.id]
      for (const filter of [
        {},
        { externalReference: "a" },
        { externalReferencePrefix: "a" },
        { status: "created" },
        { instanceId: company.instance.id },
        { expired: "false" }
      ]) {
        const found = (more: object) =>
          Effect.map(allPages(company, { ...filter, limit: "1", ...more }), (pages) => pages.flat())
        expect([filter, yield* found({ order: "oldest" })]).toEqual([filter, inOrder])
        expect(yield* found({ from: "2026-01-02", to: "2026-01-04T00:00:00.000Z" })).toEqual(
          inOrder.slice(1, 3).toReversed()
        )
        expect(yield* found({ order: "oldest", from: "2026-01-03" })).toEqual(inOrder.slice(2))
      }
    })
  )

  it.effect("flags lists the sessions with flags, or all others", () =>
    Effect.gen(function* () {
      const server = (yield* Partner).server
      const steps = [{ id: "person", type: "form" }]
      const company = yield* companyOn(server, {
        workflow: { steps: [{ id: "c", type: "captcha" }, ...steps] }
      })
      const flagsOf = ({ id }: { readonly id: string }) =>
        Effect.map(company.asPartner(`/api/kyc/sessions/${id}`), ({ body }) =>
          field(body, "session", "flags")
        )
      const made = yield* Effect.replicateEffect(company.newSession(), 4)
      const [known, twice, incomplete, failed] = made as [Session, Session, Session, Session]
      const keyHash = newKeyHash()
      for (const session of [known, twice, twice]) yield* check(company, session, keyHash)
      for (const session of [known, twice]) {
        yield* company.progress(session, { progress: { s_person: {} } })
        yield* execute(
          server.databaseUrl,
          "update kyc_sessions set captcha_verified_at = now() where id = $1",
          [session.id]
        )
      }
      for (const session of [known, twice, incomplete]) yield* company.complete(session)
      yield* company.complete(failed, { status: "failed" })
      expect(yield* Effect.forEach(made, flagsOf)).toEqual([
        [],
        ["dedup_match"],
        ["captcha_missing", "steps_missing"],
        []
      ])
      const flagged = [incomplete.id, twice.id]
      expect(ids((yield* list(company, { flags: "true" })).body)).toEqual(flagged)
      expect((yield* allPages(company, { flags: "true", limit: "1", order: "oldest" })).flat()).toEqual(
        flagged.toReversed()
      )
      expect(ids((yield* list(company, { flags: "false" })).body)).toEqual([failed.id, known.id])
      const every = { flags: "true", status: "completed", instanceId: company.instance.id, expired: "false" }
      expect(ids((yield* list(company, every)).body)).toEqual(flagged)
    })
  )

  it.effect("review lists the sessions of that standing, alone and with other filters, also in the CSV", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany((yield* Partner).server, { fourEyes: true })
      const [one, two] = [yield* reviewerOf(company), yield* reviewerOf(company)]
      const waiting = [
        yield* waitingSession(company, { externalReference: "a-1" }),
        yield* waitingSession(company, { externalReference: "b-1" }),
        yield* waitingSession(company, { externalReference: "a-2" })
      ]
      yield* company.newSession({ externalReference: "a-3" })
      const decided = (decision: object) =>
        Effect.gen(function* () {
          const session = yield* waitingSession(company)
          yield* one.decide(session, decision)
          expect((yield* two.decide(session, decision)).status).toBe(200)
          return session.id
        })
      const proposed = yield* waitingSession(company)
      yield* one.decide(proposed, { decision: "approved" })
      const approved = yield* decided({ decision: "approved" })
      const declined = yield* decided({ decision: "declined" })
      const again = yield* decided({ decision: "resubmission", steps: ["document"] })
      const [first, second, third] = waiting.map(({ id }) => id)
      for (const [query, expected] of [
        [{ review: "pending" }, [third, second, first]],
        [{ review: "pending", order: "oldest" }, [first, second, third]],
        [{ review: "pending", externalReferencePrefix: "a-" }, [third, first]],
        [{ review: "pending", externalReference: "b-1" }, [second]],
        [
          { review: "pending", instanceId: company.instance.id, flags: "true", status: "completed" },
          [third, second, first]
        ],
        [{ review: "pending", to: "2000-01-01" }, []],
        [{ review: "proposed" }, [proposed.id]],
        [{ review: "approved" }, [approved]],
        [{ review: "declined" }, [declined]],
        [{ review: "resubmission" }, [again]]
      ] as const) {
        const { body } = yield* list(company, query)
        expect([query, ids(body)]).toEqual([query, expected])
        const csv = yield* company.asPartner(`/api/kyc/sessions.csv?${new URLSearchParams(query)}`)
        expect(
          csv.text
            .split("\r\n")
            .slice(1, -1)
            .map((line) => line.slice(1, 37))
        ).toEqual(expected)
      }
      expect((yield* allPages(company, { review: "pending", limit: "2" })).flat()).toEqual([
        third,
        second,
        first
      ])
    })
  )

  it.effect("A filter that matches few of very many sessions finds them in one page", () =>
    Effect.gen(function* () {
      const company = yield* newCompany
      const { databaseUrl } = company.server
      const oldest = yield* company.newSession({ externalReference: "a" })
      yield* execute(
        databaseUrl,
        `insert into kyc_sessions (id, instance_id, company_id, version_id, mode, external_reference, token_hash, expires_at, created_at)
         select ${idAt("created_at")}, instance_id, company_id, version_id, mode, 'a' || n,
           sha256(convert_to(id::text || n, 'UTF8')), expires_at, created_at + n * interval '1 ms'
         from kyc_sessions, generate_series(1, 1200) n where id = $1`,
        [oldest.id]
      )
      yield* company.expire(oldest)
      for (const query of [
        { expired: "true" },
        { expired: "true", instanceId: company.instance.id },
        { expired: "true", externalReferencePrefix: "a" }
      ]) {
        expect(yield* allPages(company, query)).toEqual([[oldest.id]])
      }
    })
  )

  it.effect("400 cursor must be the next_cursor of another page: none, altered, or of no place", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const encoded = (place: string) => Buffer.from(place).toString("base64url")
      for (const cursor of [
        "!!!",
        encoded("1.not-a-uuid"),
        encoded(`x.${unknownId}`),
        encoded(`9999999999999999.${unknownId}`),
        `${encoded(`1.${unknownId}`)}!`,
        encoded(`1.${unknownId}\u0000`)
      ]) {
        expect([cursor, statusAndBody(yield* list(company, { cursor }))]).toStrictEqual([
          cursor,
          refusal(400, "cursor must be the next_cursor of another page")
        ])
      }
    })
  )
})
