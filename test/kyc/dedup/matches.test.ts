/** The other sessions of the same document or person. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { check, insertSessions, newKeyHash } from "../../support/kyc/dedup.ts"
import { companyOn, Partner, statusAndBody, unknownId } from "../../support/kyc/partner.ts"
import { reviewingCompany } from "../../support/kyc/reviews.ts"
import { anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const pathOf = ({ id }: { readonly id: string }) => `/api/kyc/sessions/${id}/matches`

suite(Partner.layer)("GET /api/kyc/sessions/:id/matches", (it) => {
  it.effect("200: every session that shares any of its key hashes, once, newest first", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany((yield* Partner).server)
      const [first, second, third, other] = [
        yield* company.newSession({ externalReference: "first" }),
        yield* company.newSession(),
        yield* company.newSession(),
        yield* company.newSession()
      ]
      const [shared, also] = [newKeyHash(), newKeyHash()]
      for (const session of [first, second, third]) yield* check(company, session, shared)
      for (const session of [first, third]) yield* check(company, session, also)
      yield* check(company, other, newKeyHash())
      yield* company.complete(first, {})

      const matches = yield* company.asPartner(pathOf(third))
      const match = { instance_id: company.instance.id, mode: "prod", created_at: anInstant }
      expect(statusAndBody(matches)).toStrictEqual({
        status: 200,
        body: {
          matches: [
            {
              ...match,
              id: second.id,
              status: "created",
              external_reference: null,
              completed_at: null,
              review: null
            },
            {
              ...match,
              id: first.id,
              status: "completed",
              external_reference: "first",
              completed_at: anInstant,
              review: { status: "pending", decision: null }
            }
          ]
        }
      })
      expect(statusAndBody(yield* company.asMember("GET", pathOf(third)))).toStrictEqual(
        statusAndBody(matches)
      )
      for (const alone of [other, yield* company.newSession()]) {
        expect((yield* company.asPartner(pathOf(alone))).body).toStrictEqual({ matches: [] })
      }
    })
  )

  it.effect("200: at most the 20 newest", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const sessions = yield* insertSessions(company, 22)
      const shared = newKeyHash()
      yield* Effect.forEach(sessions, (session) => check(company, session, shared))
      const others = sessions.toReversed()
      const { body } = yield* company.asPartner(pathOf(others.shift() ?? { id: unknownId }))
      expect(body).toMatchObject({ matches: others.slice(0, 20).map(({ id }) => ({ id })) })
    })
  )

  it.effect("another company's session with the same key hash is no match", () =>
    Effect.gen(function* () {
      const company = yield* Partner
      const stranger = yield* companyOn(company.server)
      const shared = newKeyHash()
      const [ours, theirs] = [yield* company.newSession(), yield* stranger.newSession()]
      for (const session of [ours, theirs]) yield* check(company, session, shared)
      expect((yield* company.asPartner(pathOf(ours))).body).toStrictEqual({ matches: [] })
    })
  )
})
