import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ownConsent } from "../../../src/kyc/instances/own-consent-model.ts"
import { createInstance, createSession, field, type TestSession } from "../../support/client.ts"
import { rejection, secret, site, success, tokenWith, verify } from "../../support/kyc/captcha.ts"
import { check, newKeyHash } from "../../support/kyc/dedup.ts"
import { sha256 } from "../../support/kyc/files.ts"
import { milliseconds, Partner, startCompany, statusAndBody } from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const verifyCaptcha = (session: TestSession, score: number, siteKey = site) =>
  Effect.gen(function* () {
    const token = yield* Effect.promise(() => tokenWith({ score }))
    return yield* verify(yield* Partner, session, token, { siteKey })
  })

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

const withCaptcha = Layer.scoped(Partner, Effect.orDie(startCompany({ CAPTCHA_JWT_SECRET: secret })))

suite(withCaptcha)("Assurance (contract.md#assurance)", (it) => {
  it.effect(
    "captcha: a rejection does not count; verified, score, at; once verified, it stays verified",
    () =>
      Effect.gen(function* () {
        const { newSession } = yield* Partner
        const session = yield* newSession()
        expect(statusAndBody(yield* verifyCaptcha(session, 1, "other"))).toStrictEqual(
          rejection("SITE_MISMATCH")
        )
        expect(yield* assuranceOf(session)).toStrictEqual(none)
        expect(statusAndBody(yield* verifyCaptcha(session, 0.4))).toStrictEqual(success(0.4))
        const first = yield* assuranceOf(session)
        expect(first).toStrictEqual({ ...none, captcha: { verified: true, score: 0.4, at: anInstant } })
        yield* verifyCaptcha(session, 0.1)
        expect(yield* assuranceOf(session)).toStrictEqual(first)
        yield* verifyCaptcha(session, 0.9)
        expect(yield* assuranceOf(session)).toStrictEqual({
          ...none,
          captcha: { verified: true, score: 0.9, at: field(first, "captcha", "at") }
        })
      })
  )

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

  it.effect("requiredStepsPresent and missingSteps, by the session's workflow", () =>
    Effect.gen(function* () {
      const { progress } = yield* Partner
      const session = yield* sessionOf({
        steps: [
          { id: "consent", type: "consent" },
          { id: "robot", type: "captcha" },
          { id: "person", type: "form", fields: [] },
          { id: "hobby", type: "form", optional: true },
          { id: "constructor", type: "form" },
          { id: "later", type: "of a later version" },
          { id: "review", type: "review" }
        ]
      })
      const missing = (...missingSteps: ReadonlyArray<string>) => ({
        ...none,
        requiredStepsPresent: missingSteps.length === 0,
        missingSteps
      })
      expect(yield* assuranceOf(session)).toStrictEqual(missing("consent", "person", "constructor", "later"))
      yield* progress(session, { progress: { s_person: { name: "A" }, consent: {}, s_other: {} } })
      expect(yield* assuranceOf(session)).toStrictEqual(missing("consent", "constructor", "later"))
      const agreed = { items: [{ id: "terms", textSha256: sha256(Buffer.from(ownConsent.en)) }] }
      yield* progress(session, { progress: { s_consent: agreed, s_constructor: {}, s_later: {} } })
      expect(yield* assuranceOf(session)).toStrictEqual(missing())
    })
  )

  for (const [name, progress, missingSteps] of [
    ["no answer", {}, ["person", "job", "pass"]],
    ["an answer that skips", { s_person: { country: "EST" } }, ["pass"]],
    ["another answer", { s_person: { country: "FRA" } }, ["job", "pass"]],
    ["no answer to what the rule asks", { s_person: {} }, ["job", "pass"]],
    ["answers of a step that is not the rule's", { s_job: { country: "EST" } }, ["person", "pass"]]
  ] as const) {
    it.effect(`missingSteps with a rule that skips steps: ${name}`, () =>
      Effect.gen(function* () {
        const partner = yield* Partner
        const session = yield* sessionOf({
          steps: [
            { id: "person", type: "form", fields: [{ id: "country", type: "country" }] },
            { id: "job", type: "form" },
            { id: "robot", type: "captcha" },
            { id: "pass", type: "document" }
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
        yield* partner.progress(session, { progress })
        expect(yield* assuranceOf(session)).toStrictEqual({
          ...none,
          requiredStepsPresent: false,
          missingSteps
        })
      })
    )
  }

  it.effect("missingSteps: by the workflow that the session was created with, not by a later one", () =>
    Effect.gen(function* () {
      const { asMember, asPartner, key, member, server } = yield* Partner
      const steps = (id: string) => ({ workflow: { steps: [{ id, type: "form" }] } })
      const instance = yield* createInstance(server, member, steps("before"))
      yield* createSession(server, key.token, instance.id)
      expect((yield* asMember("PATCH", `/api/kyc/instances/${instance.id}`, steps("after"))).status).toBe(200)
      yield* createSession(server, key.token, instance.id)
      // Twice: the second time both workflows are cached, with the same result.
      for (const _ of [1, 2]) {
        const { body } = yield* asPartner(`/api/kyc/sessions?instanceId=${instance.id}`)
        const told = [0, 1].map((at) => field(body, "sessions", at, "assurance", "missingSteps"))
        expect(told).toStrictEqual([["after"], ["before"]])
      }
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
