import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, send } from "../../support/client.ts"
import { Partner, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { suite } from "../../support/suite.ts"

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

  it.effect("__proto__ and constructor are plain data", () =>
    Effect.gen(function* () {
      const { newSession, read, server } = yield* Partner
      const session = yield* newSession()
      const answer = yield* send(server, "POST", `${session.path}/progress`, {
        headers: { "content-type": "application/json" },
        body: `{"token":"${session.token}","progress":{"__proto__":{"polluted":1},"constructor":{"prototype":1}}}`
      })
      expect(answer.status).toBe(200)
      // As text: a matcher might not see an own `__proto__`.
      expect((yield* read(session)).text).toContain(
        '"progress":{"__proto__":{"polluted":1},"constructor":{"prototype":1}}'
      )
      expect(Reflect.get({}, "polluted")).toBeUndefined()
    })
  )

  it.effect("413 progress is too large: over 64 KiB, nothing changed", () =>
    Effect.gen(function* () {
      const { newSession, progress, read } = yield* Partner
      const session = yield* newSession()
      yield* progress(session, { progress: { b: 1 } })
      const before = yield* read(session)
      for (const tooLarge of [ofBytes(65_537), ofBytes(65_529), ofBytes(65_537, "ü")]) {
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
