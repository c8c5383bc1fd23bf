import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { createInstance, createSession, field } from "../../support/client.ts"
import { Partner, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

const donePage = (id: string) => `http://doorlock.test/kyc/session/${id}/done`

const finished = (id: string, status: string, redirectUrl = donePage(id)) => ({
  status: 200,
  body: { ok: true, session: { id, status }, redirectUrl }
})

suite(Partner.layer)("Complete (contract.md#completion)", (it) => {
  it.effect("200: each status, from each status", () =>
    Effect.gen(function* () {
      const { complete, newSession, progress, read } = yield* Partner
      for (const from of ["created", "running"]) {
        for (const status of [undefined, "completed", "failed", "cancelled"]) {
          const session = yield* newSession()
          yield* progress(session, { status: from })
          expect(statusAndBody(yield* complete(session, { status, result: { seen: true } }))).toStrictEqual(
            finished(session.id, status ?? "completed")
          )
          const { body } = yield* read(session)
          expect(field(body, "session")).toMatchObject({
            status: status ?? "completed",
            result: { seen: true },
            completed_at: field(body, "session", "updated_at"),
            started_at: from === "running" ? anInstant : null
          })
        }
      }
    })
  )

  it.effect("result is any JSON value", () =>
    Effect.gen(function* () {
      const { complete, newSession, read } = yield* Partner
      for (const [result, stored] of [
        [undefined, null],
        [false, false],
        ['{"a":1}', '{"a":1}'],
        [1.5e-7, 1.5e-7],
        [
          [1, [null], { a: { b: [1] }, "": "ü" }],
          [1, [null], { a: { b: [1] }, "": "ü" }]
        ]
      ] as const) {
        const session = yield* newSession()
        expect((yield* complete(session, { result })).status).toBe(200)
        expect(field((yield* read(session)).body, "session", "result")).toStrictEqual(stored)
      }
    })
  )

  it.effect("400 status must be one of completed, failed, cancelled", () =>
    Effect.gen(function* () {
      const { complete, newSession, read } = yield* Partner
      const session = yield* newSession()
      for (const status of ["running", "Completed", null, ["completed"]]) {
        expect(statusAndBody(yield* complete(session, { status, result: 1 }))).toStrictEqual(
          refusal(400, "status must be one of completed, failed, cancelled")
        )
      }
      expect(field((yield* read(session)).body, "session", "result")).toBeNull()
    })
  )

  it.effect("410 Session expired: running and past expires_at, nothing changed", () =>
    Effect.gen(function* () {
      const { asPartner, complete, expire, newSession, progress } = yield* Partner
      const session = yield* newSession()
      yield* progress(session, { status: "running" })
      yield* expire(session)
      const before = yield* asPartner(`/api/kyc/sessions/${session.id}`)
      expect(statusAndBody(yield* complete(session, { result: 1 }))).toStrictEqual(
        refusal(410, "Session expired")
      )
      expect(statusAndBody(yield* asPartner(`/api/kyc/sessions/${session.id}`))).toStrictEqual(
        statusAndBody(before)
      )
    })
  )

  for (const by of ["complete", "progress"]) {
    for (const status of by === "complete" ? ["completed", "failed", "cancelled"] : ["failed", "cancelled"]) {
      it.effect(`Finished as ${status} by ${by}: a retry gets the same response, and nothing changes`, () =>
        Effect.gen(function* () {
          const { asPartner, complete, expire, newSession, progress } = yield* Partner
          const session = yield* newSession({
            successRedirectUrl: "https://example.com/ok",
            failureRedirectUrl: "https://example.com/no"
          })
          const answer = finished(
            session.id,
            status,
            `https://example.com/${status === "completed" ? "ok" : "no"}`
          )
          if (by === "complete") {
            expect(statusAndBody(yield* complete(session, { status, result: 1 }))).toStrictEqual(answer)
          } else {
            yield* progress(session, { status })
          }
          const before = yield* asPartner(`/api/kyc/sessions/${session.id}`)
          for (const retry of [
            { status, result: 1 },
            { status: "failed", result: 2 }
          ]) {
            expect(statusAndBody(yield* complete(session, retry))).toStrictEqual(answer)
          }
          expect(statusAndBody(yield* asPartner(`/api/kyc/sessions/${session.id}`))).toStrictEqual(
            statusAndBody(before)
          )
          // Also past its time: only an unfinished session expires here.
          yield* expire(session)
          expect(statusAndBody(yield* complete(session, { status: "completed" }))).toStrictEqual(answer)
        })
      )
    }
  }
})

const urls = {
  successRedirectUrl: "https://p.example/ok?a=%20b&c#d",
  failureRedirectUrl: "https://p.example/no"
}
const defaults = { successUrl: "https://default.example/ok", failureUrl: "https://default.example/no" }

suite(Partner.layer)("redirectUrl (contract.md#redirect-choice)", (it) => {
  for (const [name, session, redirect, ok, no] of [
    ["the partner's before the instance's", urls, defaults, urls.successRedirectUrl, urls.failureRedirectUrl],
    ["else the instance's default", {}, defaults, defaults.successUrl, defaults.failureUrl],
    [
      "each for itself",
      { successRedirectUrl: urls.successRedirectUrl },
      { failureUrl: defaults.failureUrl },
      urls.successRedirectUrl,
      defaults.failureUrl
    ],
    [
      "one's success is no failure's",
      { successRedirectUrl: urls.successRedirectUrl },
      undefined,
      urls.successRedirectUrl,
      undefined
    ],
    ["null in the instance is none", {}, { successUrl: null, failureUrl: null }, undefined, undefined],
    ["else the hosted result page", {}, undefined, undefined, undefined]
  ] as const) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const { complete, key, member, server } = yield* Partner
        const config = redirect === undefined ? {} : { redirect }
        const instance = yield* createInstance(server, member, { config })
        for (const [status, url] of [
          ["completed", ok],
          ["failed", no],
          ["cancelled", no]
        ] as const) {
          const made = yield* createSession(server, key.token, instance.id, session)
          const answer = finished(made.id, status, url ?? donePage(made.id))
          expect(statusAndBody(yield* complete(made, { status }))).toStrictEqual(answer)
        }
      })
    )
  }

  it.effect("The instance's default is the one at the session's creation", () =>
    Effect.gen(function* () {
      const { asMember, complete, key, member, server } = yield* Partner
      const instance = yield* createInstance(server, member, { config: { redirect: defaults } })
      const session = yield* createSession(server, key.token, instance.id)
      yield* asMember("PATCH", `/api/kyc/instances/${instance.id}`, { config: {} })
      expect(field((yield* complete(session)).body, "redirectUrl")).toBe(defaults.successUrl)
    })
  )
})
