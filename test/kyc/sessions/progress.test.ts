import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field } from "../../support/client.ts"
import { milliseconds, Partner, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { anInstant } from "../../support/shapes.ts"
import { suite } from "../../support/suite.ts"

suite(Partner.layer)("Progress (contract.md#progress)", (it) => {
  it.effect("400: progress must be an object, status one that progress may set; nothing is stored", () =>
    Effect.gen(function* () {
      const { newSession, progress, read } = yield* Partner
      const session = yield* newSession()
      const before = yield* read(session)
      for (const given of [null, "text", []]) {
        expect(statusAndBody(yield* progress(session, { progress: given, status: "running" }))).toStrictEqual(
          refusal(400, "progress must be an object")
        )
      }
      for (const status of ["completed", "RUNNING", null, ["running"]]) {
        expect(statusAndBody(yield* progress(session, { progress: { a: 1 }, status }))).toStrictEqual(
          refusal(400, "status must be one of created, running, failed, cancelled")
        )
      }
      expect(statusAndBody(yield* read(session))).toStrictEqual(statusAndBody(before))
    })
  )

  it.effect("409 Session is not updatable, even past expires_at", () =>
    Effect.gen(function* () {
      const { asPartner, complete, expire, newSession, progress } = yield* Partner
      for (const status of ["completed", "failed", "cancelled"]) {
        const session = yield* newSession()
        yield* complete(session, { status })
        const before = yield* asPartner(`/api/kyc/sessions/${session.id}`)
        for (const fields of [{}, { progress: { a: 1 } }, { status: "running" }]) {
          expect(statusAndBody(yield* progress(session, fields))).toStrictEqual(
            refusal(409, "Session is not updatable")
          )
        }
        expect(statusAndBody(yield* asPartner(`/api/kyc/sessions/${session.id}`))).toStrictEqual(
          statusAndBody(before)
        )
        yield* expire(session)
        expect(statusAndBody(yield* progress(session, { progress: { a: 1 } }))).toStrictEqual(
          refusal(409, "Session is not updatable")
        )
      }
    })
  )

  it.effect("410 Session expired: running and past expires_at", () =>
    Effect.gen(function* () {
      const { asPartner, expire, newSession, progress } = yield* Partner
      const session = yield* newSession()
      yield* progress(session, { status: "running" })
      yield* expire(session)
      expect(statusAndBody(yield* progress(session, { progress: { a: 1 }, status: "failed" }))).toStrictEqual(
        refusal(410, "Session expired")
      )
      const { body } = yield* asPartner(`/api/kyc/sessions/${session.id}`)
      expect(field(body, "session", "status")).toBe("running")
      expect(field(body, "session", "progress")).toStrictEqual({})
    })
  )
})

suite(Partner.layer)("Session statuses by progress", (it) => {
  for (const from of ["created", "running"]) {
    it.effect(`from ${from} to each; omitted, it stays`, () =>
      Effect.gen(function* () {
        const { newSession, progress, read } = yield* Partner
        for (const status of [undefined, "created", "running", "failed", "cancelled"]) {
          const session = yield* newSession()
          yield* progress(session, { status: from })
          const to = status ?? from
          const started_at = from === "running" || to === "running" ? anInstant : null
          expect(statusAndBody(yield* progress(session, { progress: { a: 1 }, status }))).toStrictEqual({
            status: 200,
            body: { ok: true, session: { id: session.id, status: to, started_at, updated_at: anInstant } }
          })
          const { body } = yield* read(session)
          expect(field(body, "session")).toMatchObject({
            status: to,
            progress: { a: 1 },
            completed_at: to === "failed" || to === "cancelled" ? field(body, "session", "updated_at") : null
          })
        }
      })
    )
  }

  it.effect("started_at is set when the status first becomes running, and never changes", () =>
    Effect.gen(function* () {
      const { newSession, progress, server } = yield* Partner
      const session = yield* newSession()
      const first = yield* progress(session, { status: "running" })
      expect(field(first.body, "session", "started_at")).toBe(field(first.body, "session", "updated_at"))
      yield* execute(
        server.databaseUrl,
        "update kyc_sessions set started_at = started_at - interval '1 minute' where id = $1",
        [session.id]
      )
      const began = milliseconds(first.body, "session", "started_at") - 60_000
      for (const status of ["running", "created", "running", "failed"]) {
        const { body } = yield* progress(session, { status })
        expect(milliseconds(body, "session", "started_at")).toBe(began)
        expect(milliseconds(body, "session", "updated_at")).toBeGreaterThan(began + 59_999)
      }
    })
  )
})

/** `{"a":"xx..."}` with this many bytes in Postgres' notation. */
const ofBytes = (bytes: number, character = "x") => ({
  a: character.repeat((bytes - '{"a": ""}'.length) / Buffer.byteLength(character))
})

const unusual = { "": 1, "a.b": 2, "{a,b}": 3, "0": 4, "ключ 🔑": 5, $ne: 6 }

suite(Partner.layer)("Progress merge (contract.md#progress)", (it) => {
  for (const [name, updates, stored] of [
    ["keys are added", [{ a: 1 }, { b: 2 }, {}], { a: 1, b: 2 }],
    ["the last writer of a key wins", [{ a: 1, b: 1 }, { a: "two" }], { a: "two", b: 1 }],
    ["an object under a key is replaced", [{ a: { x: 1, y: 1 } }, { a: { x: 2 } }], { a: { x: 2 } }],
    ["null is stored as null", [{ a: 1, b: 1 }, { a: null }], { a: null, b: 1 }],
    ["empty and unusual keys are accepted", [unusual], unusual],
    ["64 KiB are accepted", [ofBytes(65_535, "ü")], ofBytes(65_535, "ü")]
  ] as const) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const { newSession, progress, read } = yield* Partner
        const session = yield* newSession()
        for (const update of updates) {
          expect((yield* progress(session, { progress: update })).status).toBe(200)
        }
        expect(field((yield* read(session)).body, "session", "progress")).toStrictEqual(stored)
      })
    )
  }

  it.effect("413 progress is too large: over 64 KiB, nothing changed", () =>
    Effect.gen(function* () {
      const { newSession, progress, read } = yield* Partner
      const session = yield* newSession()
      yield* progress(session, { progress: { b: 1 } })
      const before = yield* read(session)
      for (const tooLarge of [ofBytes(65_537), ofBytes(65_537, "ü")]) {
        expect(
          statusAndBody(yield* progress(session, { progress: tooLarge, status: "running" }))
        ).toStrictEqual(refusal(413, "progress is too large"))
      }
      expect(statusAndBody(yield* read(session))).toStrictEqual(statusAndBody(before))
      // What counts is what would be stored: a large key can be replaced by a small value.
      expect((yield* progress(session, { progress: ofBytes(65_528) })).status).toBe(200)
      expect(statusAndBody(yield* progress(session, { progress: { c: 1 } }))).toStrictEqual(
        refusal(413, "progress is too large")
      )
      // Without progress, the status can still move.
      expect((yield* progress(session, { status: "running" })).status).toBe(200)
      expect((yield* progress(session, { progress: { a: 0, c: 1 } })).status).toBe(200)
      expect(field((yield* read(session)).body, "session", "progress")).toStrictEqual({ a: 0, b: 1, c: 1 })
    })
  )
})
