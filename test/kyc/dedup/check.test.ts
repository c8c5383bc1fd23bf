import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field } from "../../support/client.ts"
import { databaseNow } from "../../support/database.ts"
import { check, newKeyHash, seen } from "../../support/kyc/dedup.ts"
import { companyOn, milliseconds, Partner, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { suite } from "../../support/suite.ts"

suite(Partner.layer)("Dedup check (contract.md#dedup)", (it) => {
  it.effect("200: a hash that is seen for the first time", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const session = yield* given.newSession()
      const before = yield* databaseNow(given.server.databaseUrl)
      const answer = yield* check(given, session, newKeyHash())
      const after = yield* databaseNow(given.server.databaseUrl)
      expect(statusAndBody(answer)).toStrictEqual(seen(1, session))
      expect(field(answer.body, "firstSeenAt")).toBe(field(answer.body, "lastSeenAt"))
      expect(milliseconds(answer.body, "firstSeenAt")).toBeGreaterThanOrEqual(Math.floor(before))
      expect(milliseconds(answer.body, "firstSeenAt")).toBeLessThanOrEqual(Math.ceil(after))
    })
  )

  it.effect("200: another session, then the first one again, then a third", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const [a, b, c] = [yield* given.newSession(), yield* given.newSession(), yield* given.newSession()]
      const keyHash = newKeyHash()
      const first = yield* check(given, a, keyHash)
      yield* execute(
        given.server.databaseUrl,
        `update kyc_dedup_records set first_seen_at = first_seen_at - interval '1 hour',
           last_seen_at = last_seen_at - interval '1 hour' where first_session_id = $1`,
        [a.id]
      )
      const second = yield* check(given, b, keyHash)
      expect(statusAndBody(second)).toStrictEqual(seen(2, a, b))
      const began = milliseconds(first.body, "firstSeenAt") - 3_600_000
      expect(milliseconds(second.body, "firstSeenAt")).toBe(began)
      expect(milliseconds(second.body, "lastSeenAt")).toBeGreaterThanOrEqual(began + 3_600_000)
      expect(statusAndBody(yield* check(given, a, keyHash))).toStrictEqual(statusAndBody(second))
      expect(statusAndBody(yield* check(given, b, keyHash))).toStrictEqual(statusAndBody(second))
      expect(statusAndBody(yield* check(given, c, keyHash))).toStrictEqual(seen(3, a, c))
    })
  )

  it.effect("200: keyHash in any letter case", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const [a, b] = [yield* given.newSession(), yield* given.newSession()]
      const keyHash = newKeyHash()
      const first = yield* check(given, a, keyHash.toUpperCase())
      expect(statusAndBody(first)).toStrictEqual(seen(1, a))
      const mixed = keyHash.replace(/[a-f]/, (letter) => letter.toUpperCase())
      expect(statusAndBody(yield* check(given, a, mixed))).toStrictEqual(statusAndBody(first))
      expect(statusAndBody(yield* check(given, b, keyHash))).toStrictEqual(seen(2, a, b))
    })
  )

  it.effect("200: sessions of another company never match", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const other = yield* companyOn(given.server)
      const [own, foreign] = [yield* given.newSession(), yield* other.newSession()]
      const keyHash = newKeyHash()
      expect(statusAndBody(yield* check(given, own, keyHash))).toStrictEqual(seen(1, own))
      expect(statusAndBody(yield* check(other, foreign, keyHash))).toStrictEqual(seen(1, foreign))
    })
  )

  it.effect("200: prod and dev are separate", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const [prod, dev] = [yield* given.newSession(), yield* given.newSession({ mode: "dev" })]
      const keyHash = newKeyHash()
      expect(statusAndBody(yield* check(given, prod, keyHash))).toStrictEqual(seen(1, prod))
      expect(statusAndBody(yield* check(given, dev, keyHash))).toStrictEqual(seen(1, dev))
      const again = yield* given.newSession({ mode: "dev" })
      expect(statusAndBody(yield* check(given, again, keyHash))).toStrictEqual(seen(2, dev, again))
    })
  )

  it.effect("400 keyHash must be a sha256 hex string, after the token and before the session", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const session = yield* given.newSession()
      const hash = "0123456789abcdef".repeat(4)
      for (const keyHash of [undefined, hash.slice(1), `${hash}\n`, `${hash.slice(1)}\u212a`]) {
        for (const fields of [{}, { token: "kyc_sess_nonsense" }]) {
          expect(statusAndBody(yield* check(given, session, keyHash, fields))).toStrictEqual(
            refusal(400, "keyHash must be a sha256 hex string")
          )
        }
        expect(statusAndBody(yield* check(given, session, keyHash, { token: undefined }))).toStrictEqual(
          refusal(400, "token is required")
        )
      }
    })
  )

  it.effect("410 Session expired, finished or not; nothing is counted", () =>
    Effect.gen(function* () {
      const given = yield* Partner
      const [open, done, other] = [
        yield* given.newSession(),
        yield* given.newSession(),
        yield* given.newSession()
      ]
      yield* given.complete(done)
      expect(statusAndBody(yield* check(given, done, newKeyHash()))).toStrictEqual(seen(1, done))
      const keyHash = newKeyHash()
      for (const session of [open, done]) {
        yield* given.expire(session)
        expect(statusAndBody(yield* check(given, session, keyHash))).toStrictEqual(
          refusal(410, "Session expired")
        )
      }
      expect(statusAndBody(yield* check(given, other, keyHash))).toStrictEqual(seen(1, other))
    })
  )
})
