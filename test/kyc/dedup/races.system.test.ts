import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, field, type TestSession } from "../../support/client.ts"
import { check, insertSessions, newKeyHash, seen } from "../../support/kyc/dedup.ts"
import { type Company, Partner, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { suite } from "../../support/suite.ts"

const tooMany = refusal(429, "Too many dedup checks")

const atOnce = (requests: ReadonlyArray<Effect.Effect<Answer>>) =>
  Effect.map(Effect.all(requests, { concurrency: "unbounded" }), (answers) => answers.map(statusAndBody))

const at = <A>(items: ReadonlyArray<A>, index: number): A => {
  const item = items[index]
  if (item === undefined) throw new Error(`Nothing at ${index} of ${items.length}`)
  return item
}

const sightings = ({ server }: Company, { id }: TestSession) =>
  Effect.map(
    execute(server.databaseUrl, "select from kyc_dedup_sightings where session_id = $1", [id]),
    ({ length }) => length
  )

suite(Partner.layer)("Concurrent dedup checks (contract.md#dedup)", (it) => {
  it.effect("1,000 checks of one hash by 1,000 sessions count exactly 1,000", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const sessions = yield* insertSessions(given, 1000)
      const keyHash = newKeyHash()
      const answers = yield* atOnce(sessions.map((session) => check(given, session, keyHash)))
      const counts = answers.map(({ body }) => Number(field(body, "seenCount")))
      expect(counts.toSorted((a, b) => a - b)).toStrictEqual(
        Array.from({ length: 1000 }, (_, index) => index + 1)
      )
      const first = at(sessions, counts.indexOf(1))
      const last = at(sessions, counts.indexOf(1000))
      // Each was the last one when it was counted.
      expect(answers).toStrictEqual(sessions.map((session, index) => seen(at(counts, index), first, session)))
      expect(statusAndBody(yield* check(given, first, keyHash))).toStrictEqual(seen(1000, first, last))
    })
  )

  it.effect("50 checks of one hash by one session count 1", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const session = yield* given.newSession()
      const keyHash = newKeyHash()
      const answers = yield* atOnce(Array.from({ length: 50 }, () => check(given, session, keyHash)))
      expect(answers).toStrictEqual(Array.from({ length: 50 }, () => answers[0]))
      expect(answers[0]).toStrictEqual(seen(1, session))
      expect(yield* sightings(given, session)).toBe(1)
    })
  )

  it.effect(
    "429 Too many dedup checks: of 50 concurrent hashes 20 succeed; known ones still get a response",
    () =>
      Effect.gen(function* () {
        const given = yield* Partner
        const [session, other] = [yield* given.newSession(), yield* given.newSession()]
        const hashes = Array.from({ length: 50 }, newKeyHash)
        const answers = yield* atOnce(hashes.map((keyHash) => check(given, session, keyHash)))
        const refused = hashes.filter((_, index) => Bun.deepEquals(answers[index], tooMany))
        expect(refused).toHaveLength(30)
        expect(yield* sightings(given, session)).toBe(20)
        for (const [index, keyHash] of hashes.entries()) {
          const again = statusAndBody(yield* check(given, session, keyHash.toUpperCase()))
          expect(again).toStrictEqual(refused.includes(keyHash) ? tooMany : seen(1, session))
          expect(again).toStrictEqual(answers[index])
        }
        // A refused check left nothing behind, and refuses nobody else.
        expect(statusAndBody(yield* check(given, other, at(refused, 0)))).toStrictEqual(seen(1, other))
        yield* given.expire(session)
        expect(statusAndBody(yield* check(given, session, newKeyHash()))).toStrictEqual(
          refusal(410, "Session expired")
        )
      })
  )

  it.effect("20 sessions that check the same 20 hashes in opposite orders do not block each other", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const sessions = yield* insertSessions(given, 20)
      const hashes = Array.from({ length: 20 }, newKeyHash)
      const answers = yield* atOnce(
        sessions.flatMap((session, index) =>
          (index % 2 === 0 ? hashes : hashes.toReversed()).map((keyHash) => check(given, session, keyHash))
        )
      )
      expect(new Set(answers.map(({ status }) => status))).toStrictEqual(new Set([200]))
      const counts = yield* execute(
        given.server.databaseUrl,
        "select distinct seen_count from kyc_dedup_records where first_session_id = any($1)",
        [sessions.map(({ id }) => id)]
      )
      expect(counts).toStrictEqual([{ seen_count: 20 }])
    })
  )
})
