import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, send } from "../../support/client.ts"
import { Partner, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { suite } from "../../support/suite.ts"

/** What is stored after each of `updates` was merged into a new session. */
const merged = (...updates: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    const { newSession, progress, read } = yield* Partner
    const session = yield* newSession()
    for (const update of updates) {
      expect((yield* progress(session, { progress: update })).status).toBe(200)
    }
    return field((yield* read(session)).body, "session", "progress")
  })

/** `{"a":"xx..."}` with this many bytes in Postgres' notation. */
const ofBytes = (bytes: number, character = "x") => ({
  a: character.repeat((bytes - '{"a": ""}'.length) / Buffer.byteLength(character))
})

suite(Partner.layer)("Progress merge (contract.md#progress)", (it) => {
  it.effect("keys are added", () =>
    Effect.gen(function* () {
      expect(yield* merged({ a: 1 }, { b: 2 }, {})).toStrictEqual({ a: 1, b: 2 })
    })
  )

  it.effect("the last writer of a key wins", () =>
    Effect.gen(function* () {
      expect(yield* merged({ a: 1, b: 1 }, { a: "two" })).toStrictEqual({ a: "two", b: 1 })
    })
  )

  it.effect("shallow: an object under a key is replaced", () =>
    Effect.gen(function* () {
      expect(yield* merged({ a: { x: 1, y: 1 } }, { a: { x: 2 } })).toStrictEqual({ a: { x: 2 } })
    })
  )

  it.effect("arrays are replaced", () =>
    Effect.gen(function* () {
      expect(yield* merged({ a: [1, 2, 3] }, { a: [4] })).toStrictEqual({ a: [4] })
    })
  )

  it.effect("null is stored as null", () =>
    Effect.gen(function* () {
      expect(yield* merged({ a: 1, b: 1 }, { a: null })).toStrictEqual({ a: null, b: 1 })
    })
  )

  it.effect("empty and unusual keys are accepted", () =>
    Effect.gen(function* () {
      const given = { "": 1, "a.b": 2, "{a,b}": 3, "0": 4, "ключ 🔑": 5, $ne: 6 }
      expect(yield* merged(given)).toStrictEqual(given)
    })
  )

  it.effect("__proto__ and constructor are plain data", () =>
    Effect.gen(function* () {
      const { newSession, read, server } = yield* Partner
      const { path, token, ...session } = yield* newSession()
      for (const written of [
        '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
        '{"toString":null,"hasOwnProperty":0}'
      ]) {
        const answer = yield* send(server, "POST", `${path}/progress`, {
          headers: { "content-type": "application/json" },
          body: `{"token":"${token}","progress":${written}}`
        })
        expect(answer.status).toBe(200)
      }
      const { text } = yield* read({ ...session, path, token })
      // jsonb keeps its keys by length. As text: a matcher might not see an own `__proto__`.
      expect(text).toContain(
        '"progress":{"toString":null,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"hasOwnProperty":0}'
      )
      expect(Reflect.get({}, "polluted")).toBeUndefined()
    })
  )

  it.effect("64 KiB are accepted", () =>
    Effect.gen(function* () {
      for (const progress of [ofBytes(65_536), ofBytes(65_535, "ü")]) {
        expect(yield* merged(progress)).toStrictEqual(progress)
      }
    })
  )

  it.effect("413 progress is too large: over 64 KiB, nothing changed", () =>
    Effect.gen(function* () {
      const { newSession, progress, read, server } = yield* Partner
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
      const full = ofBytes(65_528)
      expect((yield* progress(session, { progress: full })).status).toBe(200)
      expect(
        yield* execute(
          server.databaseUrl,
          "select kyc_progress_bytes(progress)::int as bytes from kyc_sessions where id = $1",
          [session.id]
        )
      ).toEqual([{ bytes: 65_536 }])
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
