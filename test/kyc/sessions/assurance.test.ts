import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { ownConsent } from "../../../src/kyc/instances/own-consent-model.ts"
import { createInstance, createSession, field, type TestSession } from "../../support/client.ts"
import { check, newKeyHash } from "../../support/kyc/dedup.ts"
import { sha256 } from "../../support/kyc/files.ts"
import { milliseconds, Partner } from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { suite } from "../../support/suite.ts"

const assuranceOf = ({ id }: TestSession) =>
  Effect.flatMap(Partner, ({ asPartner }) =>
    Effect.map(asPartner(`/api/kyc/sessions/${id}`), ({ body }) => field(body, "session", "assurance"))
  )

const none = {
  captcha: { verified: false, score: null, at: null },
  dedup: { matchFound: false, seenCount: 0, earlierCompleted: false },
  requiredStepsPresent: false,
  missingSteps: ["consent", "document", "person"],
  durationMs: null
}

/** A session of a new instance with this workflow. */
const sessionOf = (workflow: object) =>
  Effect.gen(function* () {
    const { key, member, server } = yield* Partner
    return yield* createSession(server, key.token, (yield* createInstance(server, member, { workflow })).id)
  })

suite(Partner.layer)("Assurance (contract.md#assurance)", (it) => {
  it.effect("dedup: matchFound, seenCount; the largest count of the checked hashes", () =>
    Effect.gen(function* () {
      const partner = yield* Partner
      const { newSession } = partner
      const [one, two, three] = [yield* newSession(), yield* newSession(), yield* newSession()]
      const [common, rare] = [newKeyHash(), newKeyHash()]
      for (const _ of [1, 2]) yield* check(partner, one, common)
      expect(yield* assuranceOf(one)).toStrictEqual({ ...none, dedup: { ...none.dedup, seenCount: 1 } })
      yield* check(partner, two, common)
      expect(yield* assuranceOf(one)).toStrictEqual({
        ...none,
        dedup: { ...none.dedup, matchFound: true, seenCount: 2 }
      })
      yield* check(partner, three, common)
      yield* check(partner, three, rare)
      const seen = { ...none, dedup: { ...none.dedup, matchFound: true, seenCount: 3 } }
      for (const session of [one, two, three]) expect(yield* assuranceOf(session)).toStrictEqual(seen)
    })
  )

  it.effect("dedup: earlierCompleted only if a session that checked it earlier was completed", () =>
    Effect.gen(function* () {
      const partner = yield* Partner
      const keyHash = newKeyHash()
      const checked = Effect.tap(partner.newSession(), (session) => check(partner, session, keyHash))
      const poison = yield* checked
      const failed = yield* checked
      yield* partner.complete(failed, { status: "failed" })
      const first = yield* checked
      const completed = (session: TestSession) =>
        Effect.map(assuranceOf(session), (assurance) => field(assurance, "dedup", "earlierCompleted"))
      expect(yield* completed(first)).toBe(false)
      yield* partner.complete(first)
      // Its own completion is no match.
      expect(yield* completed(first)).toBe(false)
      const second = yield* checked
      const matched = { matchFound: true, seenCount: 4, earlierCompleted: true }
      expect(field(yield* assuranceOf(second), "dedup")).toStrictEqual(matched)
      const listed = yield* partner.asPartner("/api/kyc/sessions?limit=4")
      expect(
        [0, 1, 2, 3].map((place) =>
          field(listed.body, "sessions", place, "assurance", "dedup", "earlierCompleted")
        )
      ).toEqual([true, false, false, false])
      expect(yield* completed(poison)).toBe(false)
    })
  )

  it.effect("requiredStepsPresent and missingSteps, by the session's workflow and its rules", () =>
    Effect.gen(function* () {
      const { progress } = yield* Partner
      const session = yield* sessionOf({
        steps: [
          { id: "consent", type: "consent" },
          { id: "robot", type: "captcha" },
          { id: "person", type: "form", fields: [{ id: "country", type: "country" }] },
          { id: "hobby", type: "form", optional: true },
          { id: "constructor", type: "form" },
          { id: "job", type: "form" },
          { id: "later", type: "of a later version" },
          { id: "review", type: "review" }
        ],
        rules: [
          {
            after: "person",
            if: { path: "person.country", op: "in", value: ["EST", "LVA"] },
            // biome-ignore lint/suspicious/noThenProperty: the word of the format; nothing awaits it.
            then: { skip: ["job", "robot"] }
          }
        ]
      })
      const missing = (...missingSteps: ReadonlyArray<string>) => ({
        ...none,
        requiredStepsPresent: missingSteps.length === 0,
        missingSteps
      })
      const others = ["constructor", "job", "later"]
      expect(yield* assuranceOf(session)).toStrictEqual(missing("consent", "person", ...others))
      yield* progress(session, { progress: { s_person: { country: "FRA" }, consent: {}, s_other: {} } })
      expect(yield* assuranceOf(session)).toStrictEqual(missing("consent", ...others))
      const agreed = { items: [{ id: "terms", textSha256: sha256(Buffer.from(ownConsent.en)) }] }
      yield* progress(session, { progress: { s_consent: agreed, s_constructor: {}, s_later: {} } })
      expect(yield* assuranceOf(session)).toStrictEqual(missing("job"))
      yield* progress(session, { progress: { s_person: { country: "EST" } } })
      expect(yield* assuranceOf(session)).toStrictEqual(missing())
    })
  )

  it.effect("missingSteps: by the workflow that the session was created with, not by a later one", () =>
    Effect.gen(function* () {
      const { asMember, asPartner, key, member, server } = yield* Partner
      const steps = (id: string) => ({ workflow: { steps: [{ id, type: "form" }] } })
      const instance = yield* createInstance(server, member, steps("before"))
      yield* createSession(server, key.token, instance.id)
      yield* asMember("PATCH", `/api/kyc/instances/${instance.id}`, steps("after"))
      yield* createSession(server, key.token, instance.id)
      const { body } = yield* asPartner(`/api/kyc/sessions?instanceId=${instance.id}`)
      const told = [0, 1].map((at) => field(body, "sessions", at, "assurance", "missingSteps"))
      expect(told).toStrictEqual([["after"], ["before"]])
    })
  )

  it.effect("durationMs: from started_at, or else created_at, until the end", () =>
    Effect.gen(function* () {
      const { asPartner, complete, newSession, progress, server } = yield* Partner
      const started = yield* newSession()
      const unstarted = yield* newSession()
      yield* progress(started, { status: "running" })
      yield* execute(
        server.databaseUrl,
        `update kyc_sessions set created_at = created_at - interval '1 hour',
           started_at = started_at - interval '1 minute' where id in ($1, $2)`,
        [started.id, unstarted.id]
      )
      expect(yield* assuranceOf(started)).toStrictEqual(none)
      for (const [session, began, least] of [
        [started, "started_at", 60_000],
        [unstarted, "created_at", 3_600_000]
      ] as const) {
        yield* complete(session, { status: "failed" })
        const { body } = yield* asPartner(`/api/kyc/sessions/${session.id}`)
        const duration = milliseconds(body, "session", "completed_at") - milliseconds(body, "session", began)
        expect(duration).toBeGreaterThanOrEqual(least)
        expect(field(body, "session", "assurance")).toStrictEqual({ ...none, durationMs: duration })
      }
    })
  )

  it.effect("The client can write none of it", () =>
    Effect.gen(function* () {
      const { asPartner, complete, newSession, progress, read } = yield* Partner
      const claim = {
        captcha: { verified: true, score: 1, at: "2026-01-01T00:00:00.000Z" },
        dedup: { matchFound: false, seenCount: 9 },
        requiredStepsPresent: true,
        missingSteps: [],
        durationMs: 1
      }
      const columns = { captcha_verified_at: claim.captcha.at, captcha_score: 1, dedup_seen_count: 9 }
      const forged = { assurance: claim, ...columns }
      const session = yield* newSession({ ...forged, metadata: forged })
      yield* progress(session, { ...forged, progress: forged })
      yield* complete(session, { ...forged, result: forged })
      const { body } = yield* asPartner(`/api/kyc/sessions/${session.id}`)
      expect(field(body, "session", "progress")).toStrictEqual(forged)
      expect(field(body, "session", "assurance")).toStrictEqual({
        ...none,
        durationMs:
          milliseconds(body, "session", "completed_at") - milliseconds(body, "session", "created_at")
      })
      // Nor does the browser learn what the server knows.
      expect(Object.keys(Object(field((yield* read(session)).body, "session")))).not.toContain("assurance")
    })
  )
})
