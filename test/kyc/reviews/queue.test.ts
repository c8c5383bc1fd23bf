import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { createInstance, field, text } from "../../support/client.ts"
import { statusAndBody, unknownId } from "../../support/kyc/partner.ts"
import { type Reviewer, reviewerOf, reviewingCompany, waitingSession } from "../../support/kyc/reviews.ts"
import { execute } from "../../support/postgres.ts"
import { TestServer } from "../../support/server.ts"
import { suite } from "../../support/suite.ts"

const idsIn = (body: unknown): ReadonlyArray<string> => {
  const reviews = field(body, "reviews")
  return Array.isArray(reviews) ? reviews.map((review) => text(review, "session_id")) : []
}

const ids = ({ list }: Reviewer, query: Record<string, string> = {}) =>
  Effect.map(list(query), ({ body }) => idsIn(body))

/** All pages of two. */
const pages = ({ list }: Reviewer, query: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const found: Array<ReadonlyArray<string>> = []
    let cursor: unknown
    do {
      const { body } = yield* list({
        ...query,
        limit: "2",
        ...(typeof cursor === "string" ? { cursor } : {})
      })
      found.push(idsIn(body))
      cursor = field(body, "next_cursor")
    } while (cursor !== null)
    return found
  })

suite(TestServer.layer)("The queue of reviews", (it) => {
  it.effect("Longest waiting first, by pages, by status, by instance and by reviewer", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany(yield* TestServer, { fourEyes: true })
      const [one, other] = [yield* reviewerOf(company), yield* reviewerOf(company)]
      expect(statusAndBody(yield* one.list())).toStrictEqual({
        status: 200,
        body: { reviews: [], next_cursor: null }
      })
      const sessions = yield* Effect.replicateEffect(waitingSession(company), 6)
      const [first, second, third, fourth, fifth, sixth] = sessions.map(({ id }) => id)
      // The fourth has waited longest; the last two have waited equally long.
      yield* execute(
        company.server.databaseUrl,
        `update kyc_reviews r set waiting_since = now() - make_interval(hours => place)
         from unnest($1::uuid[], $2::int[]) as given (id, place) where session_id = id`,
        [
          [first, second, third, fourth, fifth, sixth],
          [5, 4, 3, 9, 1, 1]
        ]
      )
      expect(yield* pages(one)).toEqual([
        [fourth, first],
        [second, third],
        [fifth, sixth]
      ])

      for (const id of [first, second]) yield* one.decide({ id: id ?? "" }, { decision: "approved" })
      expect(yield* ids(one, { status: "pending" })).toEqual([fourth, third, fifth, sixth])
      expect(yield* ids(one, { status: "proposed" })).toEqual([first, second])
      expect(yield* ids(one)).toEqual([fourth, first, second, third, fifth, sixth])

      yield* other.claim({ id: third ?? "" })
      expect(yield* ids(one, { reviewer: other.user.userId })).toEqual([third])
      expect(yield* ids(one, { reviewer: one.user.userId })).toEqual([])

      for (const id of [second, first]) yield* other.decide({ id: id ?? "" }, { decision: "approved" })
      expect(yield* ids(one, { status: "decided" })).toEqual([first, second])
      expect(yield* pages(one, { status: "decided" })).toEqual([[first, second]])
      expect(yield* ids(one, { status: "decided", reviewer: other.user.userId })).toEqual([first, second])
      expect(yield* ids(one, { status: "decided", reviewer: "api" })).toEqual([])
      expect(yield* ids(one)).toEqual([fourth, third, fifth, sixth])

      const { id: instanceId } = yield* createInstance(company.server, company.member, {
        name: "Another",
        config: { review: { mode: "manual" } }
      })
      const elsewhere = yield* waitingSession(company, { instanceId })
      expect(yield* ids(one, { instanceId })).toEqual([elsewhere.id])
      expect(yield* ids(one, { instanceId: company.instance.id, limit: "1" })).toEqual([fourth])
      for (const nothing of [{ instanceId: unknownId }, { instanceId: "x" }, { reviewer: "x" }]) {
        expect(yield* ids(one, nothing)).toEqual([])
      }

      const choices = ({ ask }: Reviewer) =>
        Effect.map(ask("GET", "/api/kyc/reviews/choices"), ({ body }) => body)
      const email = ({ user }: Reviewer) => ({ id: user.userId, email: user.email })
      expect(yield* choices(one)).toStrictEqual({
        instances: [
          { id: instanceId, name: "Another" },
          { id: company.instance.id, name: "test" }
        ],
        reviewers: [email(other)]
      })
      yield* one.claim(elsewhere)
      expect(field(yield* choices(one), "reviewers")).toStrictEqual(
        [email(one), email(other)].sort((left, right) => (left.email < right.email ? -1 : 1))
      )
      const stranger = yield* reviewerOf(yield* reviewingCompany(yield* TestServer))
      for (const query of [{}, { instanceId }, { status: "decided" }, { reviewer: other.user.userId }]) {
        expect(yield* ids(stranger, query)).toEqual([])
      }
      expect(yield* choices(stranger)).toMatchObject({ instances: [{ name: "test" }], reviewers: [] })
    })
  )
})
