/** `Idempotency-Key` on the creation of sessions: a request that is tried again makes no second session. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { fingerprintOf, tokenOf } from "../../../src/kyc/sessions/repeated-creation.ts"
import { expire, field, send, text } from "../../support/client.ts"
import { freshDatabase } from "../../support/database.ts"
import {
  type Company,
  companyOn,
  Partner,
  refusal,
  startCompany,
  statusAndBody
} from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { startServerOn } from "../../support/server.ts"
import { suite } from "../../support/suite.ts"

type Fields = Readonly<Record<string, unknown>>

const createOnce = ({ create, key }: Company, idempotencyKey: string, fields: Fields = {}) =>
  create(fields, { "x-api-key": key.token, "idempotency-key": idempotencyKey })

const newKey = (): string => crypto.randomUUID()

const sql = ({ server }: Company, statement: string, values: ReadonlyArray<unknown>) =>
  Effect.orDie(execute(server.databaseUrl, statement, [...values]))

const sessionsOf = (given: Company) =>
  Effect.map(
    sql(given, "select count(*)::int as n from kyc_sessions where company_id = $1", [given.member.companyId]),
    ([row]) => row?.n
  )

const reused = refusal(422, "Idempotency-Key was used with a different request")
const malformed = refusal(400, "Idempotency-Key header must be at most 255 visible ASCII characters")

suite(Partner.layer)("Create session: Idempotency-Key", (it) => {
  it.effect(
    "the same key and body: the same 201, marked as replayed, and a token that opens the session",
    () =>
      Effect.gen(function* () {
        const partner = yield* Partner
        const before = yield* sessionsOf(partner)
        const key = newKey()
        const fields = { externalReference: "order 1", metadata: { b: 1, a: { d: 2, c: [1] } }, mode: "prod" }
        const first = yield* createOnce(partner, key, fields)
        expect(first.status).toBe(201)
        expect(first.headers.get("idempotent-replayed")).toBeNull()
        const words = { metadata: { a: { c: [1], d: 2 }, b: 1 }, mode: "prod", externalReference: "order 1" }
        for (const again of [fields, words]) {
          const answer = yield* createOnce(partner, key, again)
          expect([answer.status, answer.text]).toEqual([201, first.text])
          expect(answer.headers.get("idempotent-replayed")).toBe("true")
        }
        expect(yield* sessionsOf(partner)).toBe(Number(before) + 1)
        const id = text(first.body, "session", "id")
        const read = yield* send(
          partner.server,
          "GET",
          `/api/kyc/public/sessions/${id}?token=${text(first.body, "sessionToken")}`
        )
        expect(read.status).toBe(200)
        expect(field(read.body, "session", "metadata")).toEqual(fields.metadata)
      })
  )

  it.effect("after the session expired, and after it was resumed: the same session, with its last link", () =>
    Effect.gen(function* () {
      const partner = yield* Partner
      const key = newKey()
      const first = yield* createOnce(partner, key)
      const id = text(first.body, "session", "id")
      const read = (token: string) =>
        Effect.map(
          send(partner.server, "GET", `/api/kyc/public/sessions/${id}?token=${token}`),
          statusAndBody
        )
      yield* Effect.orDie(expire(partner.server, id))
      expect((yield* createOnce(partner, key)).text).toBe(first.text)
      expect(yield* read(text(first.body, "sessionToken"))).toEqual(refusal(410, "Session expired"))
      const resume = (json: object) => partner.asMember("POST", `/api/kyc/sessions/${id}/resume`, json)
      yield* resume({ expiresInSeconds: 7200 })
      const resumed = yield* resume({})
      const again = yield* createOnce(partner, key)
      const token = text(resumed.body, "sessionToken")
      expect([again.status, again.headers.get("idempotent-replayed"), again.body]).toEqual([
        201,
        "true",
        {
          session: {
            ...Object(field(first.body, "session")),
            expires_at: text(resumed.body, "session", "expires_at")
          },
          verificationUrl: text(resumed.body, "verificationUrl"),
          sessionToken: token
        }
      ])
      expect((yield* read(token)).status).toBe(200)
      expect((yield* read(text(first.body, "sessionToken"))).status).toBe(404)
      const [stored] = yield* sql(
        partner,
        "select to_jsonb(s)::text as dump from kyc_sessions s where id = $1",
        [id]
      )
      expect(stored?.dump).not.toContain(token.slice("kyc_sess_".length))
    })
  )

  it.effect("the response is the first one's, even if session and instance have changed", () =>
    Effect.gen(function* () {
      const partner = yield* startCompany()
      const key = newKey()
      const first = yield* createOnce(partner, key)
      const session = {
        id: text(first.body, "session", "id"),
        token: text(first.body, "sessionToken"),
        path: `/api/kyc/public/sessions/${text(first.body, "session", "id")}`
      }
      yield* partner.complete(session)
      yield* partner.asMember("PATCH", `/api/kyc/instances/${partner.instance.id}`, { disabled: true })
      expect((yield* createOnce(partner, key)).text).toBe(first.text)
      expect(statusAndBody(yield* createOnce(partner, newKey()))).toEqual(refusal(404, "Instance not found"))
    }).pipe(Effect.scoped)
  )

  it.effect("another body: 422, and nothing is created", () =>
    Effect.gen(function* () {
      const partner = yield* Partner
      const key = newKey()
      const first = yield* createOnce(partner, key, { externalReference: "a" })
      const before = yield* sessionsOf(partner)
      for (const other of [
        { externalReference: "b" },
        {},
        { externalReference: "a", metadata: {} },
        // Said, it is not left to the default, which may change.
        { externalReference: "a", mode: "prod" },
        { externalReference: "a", instanceId: "", instanceKey: partner.instance.publicKey }
      ]) {
        expect(statusAndBody(yield* createOnce(partner, key, other))).toEqual(reused)
      }
      expect(yield* sessionsOf(partner)).toBe(before)
      expect((yield* createOnce(partner, key, { externalReference: "a" })).text).toBe(first.text)
    })
  )

  it.effect("a key belongs to one company: the same value from another company creates another session", () =>
    Effect.gen(function* () {
      const partner = yield* Partner
      const other = yield* companyOn(partner.server)
      const key = newKey()
      const mine = yield* createOnce(partner, key)
      const theirs = yield* createOnce(other, key)
      expect([theirs.status, theirs.headers.get("idempotent-replayed")]).toEqual([201, null])
      for (const name of ["verificationUrl", "sessionToken"]) {
        expect(text(theirs.body, name)).not.toBe(text(mine.body, name))
      }
    })
  )

  it.effect("for 24 hours by the database's clock; then it is a new request", () =>
    Effect.gen(function* () {
      const partner = yield* companyOn((yield* Partner).server)
      const age = (interval: string) =>
        sql(
          partner,
          "update idempotent_answers set created_at = now() - $2::interval where company_id = $1",
          [partner.member.companyId, interval]
        )
      const key = newKey()
      const first = yield* createOnce(partner, key)
      yield* age("23 hours")
      expect((yield* createOnce(partner, key)).text).toBe(first.text)
      yield* age("24 hours 1 minute")
      const second = yield* createOnce(partner, key, { externalReference: "second" })
      expect(second.status).toBe(201)
      expect(second.headers.get("idempotent-replayed")).toBeNull()
      expect(text(second.body, "session", "id")).not.toBe(text(first.body, "session", "id"))
      expect((yield* createOnce(partner, key, { externalReference: "second" })).text).toBe(second.text)
    })
  )

  it.effect("a refused request does not use up its key", () =>
    Effect.gen(function* () {
      const partner = yield* Partner
      const key = newKey()
      const unknown = yield* createOnce(partner, key, { instanceId: crypto.randomUUID() })
      expect(statusAndBody(unknown)).toEqual(refusal(404, "Instance not found"))
      expect((yield* createOnce(partner, key, { metadata: 1 })).status).toBe(400)
      const made = yield* createOnce(partner, key)
      expect([made.status, made.headers.get("idempotent-replayed")]).toEqual([201, null])
    })
  )

  it.effect("1 to 255 visible ASCII characters, else 400", () =>
    Effect.gen(function* () {
      const partner = yield* Partner
      for (const key of ["!", "~".repeat(255), '"quoted"', "a,b"]) {
        expect((yield* createOnce(partner, key)).status).toBe(201)
      }
      for (const key of ["", "x".repeat(256), "a b", "ä", "a\tb"]) {
        expect(statusAndBody(yield* createOnce(partner, key))).toEqual(malformed)
      }
    })
  )

  it.effect("neither token nor Idempotency-Key is in the database", () =>
    Effect.gen(function* () {
      const partner = yield* companyOn((yield* Partner).server)
      const key = newKey()
      const first = yield* createOnce(partner, key, { metadata: { secretWord: "xyzzy" } })
      const id = text(first.body, "session", "id")
      const [row] = yield* sql(
        partner,
        `select a::text as answer, s::text as session from idempotent_answers a, kyc_sessions s
         where a.company_id = $1 and s.id = $2`,
        [partner.member.companyId, id]
      )
      expect(row?.answer).toContain(id)
      for (const dump of Object.values(row ?? {})) {
        const hidden = [text(first.body, "sessionToken").slice("kyc_sess_".length), key, "xyzzy"]
        for (const one of [...hidden, Buffer.from(key).toString("hex")]) expect(dump).not.toContain(one)
      }
    })
  )

  it.effect("of 32 concurrent requests one creates a session; the others get its response, or 422", () =>
    Effect.gen(function* () {
      const partner = yield* companyOn((yield* Partner).server)
      const key = newKey()
      const answers = yield* Effect.forEach(
        Array.from({ length: 32 }, (_, i) => String(i % 2)),
        (externalReference) => createOnce(partner, key, { externalReference }),
        { concurrency: "unbounded" }
      )
      const made = answers.filter(({ status }) => status === 201)
      expect(made).toHaveLength(16)
      expect(new Set(made.map(({ text }) => text)).size).toBe(1)
      expect(made.filter(({ headers }) => headers.get("idempotent-replayed") === null)).toHaveLength(1)
      for (const answer of answers) {
        if (answer.status !== 201) expect(statusAndBody(answer)).toEqual(reused)
      }
      expect(yield* sessionsOf(partner)).toBe(1)
    })
  )
})

it.scopedLive(
  "under another SECRET_KEY a retry succeeds while the previous one is known, and is else a 500",
  () =>
    Effect.gen(function* () {
      const [before, after] = ["b".repeat(40), "a".repeat(40)]
      const database = yield* freshDatabase
      const old = yield* companyOn(yield* startServerOn(database, { SECRET_KEY: before }))
      const key = newKey()
      const first = yield* createOnce(old, key)
      const on = (server: Company["server"], fields: Fields = {}) =>
        send(server, "POST", "/api/kyc/public/sessions", {
          headers: { "x-api-key": old.key.token, "idempotency-key": key },
          json: { instanceId: old.instance.id, ...fields }
        })
      const next = yield* startServerOn(database, { SECRET_KEY: after, SECRET_KEY_PREVIOUS: before })
      expect((yield* on(next)).text).toBe(first.text)
      // Resumed under the previous one.
      const id = text(first.body, "session", "id")
      const resumed = yield* old.asMember("POST", `/api/kyc/sessions/${id}/resume`)
      expect(text((yield* on(next)).body, "sessionToken")).toBe(text(resumed.body, "sessionToken"))
      const stranger = yield* startServerOn(database, { SECRET_KEY: after })
      for (const fields of [{}, { externalReference: "another" }]) {
        expect(statusAndBody(yield* on(stranger, fields))).toEqual(refusal(500, "Failed to create session"))
      }
      expect(yield* sessionsOf(old)).toBe(1)
    })
)

describe("the fingerprint of a request", () => {
  const key = new Uint8Array(32).fill(7)
  const company = "5d7c9fd4-9c14-4d0a-8d7b-0a4f6a1f5b11"
  const request = {
    instanceId: "f2f5c1de-6c1b-4d7f-8f0e-3b7b1f5f0a22",
    externalReference: "order 1",
    expiresInSeconds: 60,
    metadata: { b: null, a: { d: 2, c: [1] } }
  } as const

  it("is pinned: a change would refuse honest retries of the last 24 hours", () => {
    expect(fingerprintOf(key, company, request).toHex()).toBe(
      "88343b31483ea823a5772a75114ceac1b3c08d5d9f8b576019d70d8175ff803a"
    )
    expect(tokenOf(key, request.instanceId, "0b6a7c0e-3f70-4d55-9a25-3a1c6f1f4c33")).toBe(
      "kyc_sess_8Lw3qEqXmCQwj73MnMoDPbHOZVF1aToqaaX7VO3Fxun45mYLG"
    )
  })

  it("covers the given fields that are not null, even unknown ones", () => {
    const same = { ...request, mode: undefined, successRedirectUrl: undefined, aLaterField: null }
    expect(fingerprintOf(key, company, same)).toEqual(fingerprintOf(key, company, request))
    const other = { ...request, metadata: { a: request.metadata.a } }
    expect(fingerprintOf(key, company, other)).not.toEqual(fingerprintOf(key, company, request))
  })
})
