/** Dedup among a session, those that it resubmits, and those that resubmit it: they are one case. */
import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { CheckRepo } from "../../../src/kyc/checks/repo.ts"
import { field } from "../../support/client.ts"
import { databaseOn } from "../../support/database.ts"
import { check, newKeyHash } from "../../support/kyc/dedup.ts"
import { type Company, Partner } from "../../support/kyc/partner.ts"
import { opened, reviewerOf, reviewingCompany, waitingSession } from "../../support/kyc/reviews.ts"
import { execute } from "../../support/postgres.ts"
import { suite } from "../../support/suite.ts"

type Named = { readonly id: string }

/** A company with a reviewer. */
const reviewed = Effect.gen(function* () {
  const company = yield* reviewingCompany((yield* Partner).server)
  const { decide } = yield* reviewerOf(company)
  /** The session that asks for these steps again. */
  const again = (session: Named, ...steps: ReadonlyArray<string>) =>
    Effect.map(decide(session, { decision: "resubmission", reasons: ["photo_unreadable"], steps }), opened)
  return { company, again }
})

const matchFound = ({ body }: { readonly body: unknown }) => field(body, "matchFound")

/** What the partner reads of the session's dedup. */
const read = (company: Company, { id }: Named) =>
  Effect.gen(function* () {
    const { body } = yield* company.asPartner(`/api/kyc/sessions/${id}`)
    const timeline = Object(yield* company.asPartner(`/api/kyc/sessions/${id}/timeline`)).body
    const matches = Object(yield* company.asPartner(`/api/kyc/sessions/${id}/matches`)).body
    const { matchFound: isMatch, seenCount } = Object(field(body, "session", "assurance", "dedup"))
    return {
      flags: Object(field(body, "session", "flags")).filter((flag: string) => flag === "dedup_match"),
      isMatch,
      seenCount,
      checks: Object(timeline)
        .events.filter(({ type }: { type: string }) => type === "dedup_checked")
        .map((event: { matchFound: boolean }) => event.matchFound),
      matches: Object(matches).matches.length
    }
  })

const nothing = { flags: [], isMatch: false, seenCount: 0, checks: [], matches: 0 }
const alone = { ...nothing, seenCount: 1 }

suite(Partner.layer)("Dedup in a chain of resubmissions", (it) => {
  it.effect("a match is carried on with the answers that were compared", () =>
    Effect.gen(function* () {
      const { again, company } = yield* reviewed
      const hash = newKeyHash()
      const other = yield* company.newSession()
      yield* check(company, other, hash)
      const first = yield* waitingSession(company)
      expect(matchFound(yield* check(company, first, hash))).toBe(true)
      expect(yield* read(company, yield* again(first, "person"))).toEqual({
        flags: ["dedup_match"],
        isMatch: true,
        seenCount: 2,
        checks: [],
        matches: 1
      })
    })
  )

  it.effect("but not if the document is asked for again: the new one is judged by itself", () =>
    Effect.gen(function* () {
      const { again, company } = yield* reviewed
      const [wrong, own] = [newKeyHash(), newKeyHash()]
      yield* check(company, yield* company.newSession(), wrong)
      const first = yield* waitingSession(company)
      yield* check(company, first, wrong)
      const next = yield* again(first, "document")
      expect(yield* read(company, next)).toEqual(nothing)
      expect(matchFound(yield* check(company, next, own))).toBe(false)
      expect(yield* read(company, next)).toEqual({ ...alone, checks: [false] })
    })
  )

  it.effect("checks of one hash by several of them are no match, before and after a further one", () =>
    Effect.gen(function* () {
      const { again, company } = yield* reviewed
      const hash = newKeyHash()
      const first = yield* waitingSession(company)
      yield* check(company, first, hash)
      const next = yield* again(first, "document")
      expect(matchFound(yield* check(company, next, hash))).toBe(false)
      const own = { ...alone, checks: [false] }
      expect([yield* read(company, first), yield* read(company, next)]).toEqual([own, own])
      yield* company.complete(next, {})
      yield* again(next, "person")
      expect([yield* read(company, first), yield* read(company, next)]).toEqual([own, own])
      const other = yield* company.newSession()
      expect((yield* check(company, other, hash)).body).toMatchObject({ matchFound: true, seenCount: 3 })
    })
  )

  it.effect("what others have had meanwhile is a match of the resubmission, in its flags, too", () =>
    Effect.gen(function* () {
      const { again, company } = yield* reviewed
      const hash = newKeyHash()
      const first = yield* waitingSession(company)
      yield* check(company, first, hash)
      expect(matchFound(yield* check(company, yield* company.newSession(), hash))).toBe(true)
      const next = yield* again(first, "document")
      expect(matchFound(yield* check(company, next, hash))).toBe(true)
      expect([yield* read(company, first), yield* read(company, next)]).toEqual([
        { flags: [], isMatch: true, seenCount: 2, checks: [false], matches: 1 },
        { flags: ["dedup_match"], isMatch: true, seenCount: 2, checks: [true], matches: 1 }
      ])
    })
  )

  it.effect(
    "whose browsers and checks are one, too: none came from another, and none without a file has checks",
    () =>
      Effect.gen(function* () {
        const { again, company } = yield* reviewed
        yield* company.asMember("PATCH", `/api/kyc/instances/${company.instance.id}`, {
          config: { v: 1, review: { mode: "manual" }, checks: { photos: true } }
        })
        const first = yield* waitingSession(company)
        const next = yield* again(first, "document")
        yield* company.complete(next, {})
        const { databaseUrl } = company.server
        for (const { id } of [first, next])
          yield* execute(
            databaseUrl,
            "insert into kyc_browser_marks (session_id, mark) values ($1, sha256('mark'))",
            [id]
          )
        const known = (id: string) =>
          Effect.flatMap(CheckRepo, (repo) => repo.known(company.member.companyId, id)).pipe(
            Effect.provide(
              Layer.provide(CheckRepo.Default, databaseOn({ url: databaseUrl, maxConnections: 1 }))
            )
          )
        for (const { id } of [first, next])
          expect(yield* known(id)).toMatchObject({ value: { sameBrowser: 0 } })
        expect(
          yield* execute(databaseUrl, "select from work_jobs where payload ->> 'id' = any ($1)", [
            [first.id, next.id]
          ])
        ).toEqual([])
      })
  )

  it.effect("a late check with the first link is no match of the resubmission", () =>
    Effect.gen(function* () {
      const { again, company } = yield* reviewed
      const hash = newKeyHash()
      const first = yield* waitingSession(company)
      const next = yield* again(first, "document")
      yield* check(company, next, hash)
      expect(matchFound(yield* check(company, first, hash))).toBe(false)
      expect(yield* read(company, first)).toEqual({ ...alone, checks: [false] })
    })
  )

  it.effect("a resubmission has its own 20 checks, and only these in its timeline", () =>
    Effect.gen(function* () {
      const { again, company } = yield* reviewed
      const first = yield* waitingSession(company)
      const hashes = Array.from({ length: 20 }, newKeyHash)
      yield* Effect.forEach(hashes, (hash) => check(company, first, hash), { concurrency: 8 })
      const next = yield* again(first, "person")
      expect((yield* read(company, next)).checks).toEqual([])
      for (const hash of [hashes[0], newKeyHash()])
        expect((yield* check(company, next, hash)).status).toBe(200)
      expect(yield* read(company, next)).toEqual({ ...alone, checks: [false, false] })
    })
  )
})
