import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { field, send, text } from "../../support/client.ts"
import { milliseconds, Partner, refusal, statusAndBody } from "../../support/kyc/partner.ts"
import { execute } from "../../support/postgres.ts"
import { suite } from "../../support/suite.ts"

/** A request whose body is written out, for what `JSON.stringify` cannot write. */
const createWritten = (fields: string) =>
  Effect.flatMap(Partner, ({ instance, key, server }) =>
    send(server, "POST", "/api/kyc/public/sessions", {
      headers: { "x-api-key": key.token, "content-type": "application/json" },
      body: `{"instanceId":"${instance.id}",${fields}}`
    })
  )

const ofLength = (length: number) => "https://example.com/".padEnd(length, "x")

suite(Partner.layer)("Create session: fields", (it) => {
  it.effect("mode is prod unless it is dev", () =>
    Effect.gen(function* () {
      const { create } = yield* Partner
      for (const [given, mode] of [
        [null, "prod"],
        ["dev", "dev"]
      ]) {
        const { body, status } = yield* create({ mode: given })
        expect([status, field(body, "session", "mode")]).toEqual([201, mode])
      }
    })
  )

  for (const [written, seconds] of [
    ["1", 1],
    ["6e1", 60],
    ["2592000", 2_592_000],
    ["null", 3600]
  ] as const) {
    it.effect(`expiresInSeconds: ${written} is ${seconds} s`, () =>
      Effect.gen(function* () {
        const { body, status } = yield* createWritten(`"expiresInSeconds":${written}`)
        expect(status).toBe(201)
        expect(
          milliseconds(body, "session", "expires_at") - milliseconds(body, "session", "created_at")
        ).toBe(seconds * 1000)
      })
    )
  }

  const refused = {
    mode: [["", "PROD", ["dev"]], "must be prod or dev"],
    expiresInSeconds: [[0, 1.5, 2_592_001, "60"], "must be a whole number from 1 to 2592000"],
    externalReference: [["x".repeat(256), "🧾".repeat(256), 7], "must be a string of at most 255 characters"],
    metadata: [["text", []], "must be an object or null"]
  } as const
  for (const [name, [values, message]] of Object.entries(refused)) {
    it.effect(`400 ${name} ${message}`, () =>
      Effect.gen(function* () {
        const { create } = yield* Partner
        for (const value of values) {
          expect(statusAndBody(yield* create({ [name]: value }))).toStrictEqual(
            refusal(400, `${name} ${message}`)
          )
        }
      })
    )
  }

  for (const [name, given] of [
    ["an empty string", ""],
    ["spaces, kept", " a "],
    ["255 characters of two code units each", "🧾".repeat(255)]
  ] as const) {
    it.effect(`201 externalReference: ${name}`, () =>
      Effect.gen(function* () {
        const { asPartner, create } = yield* Partner
        const { body, status } = yield* create({ externalReference: given })
        expect([status, field(body, "session", "external_reference")]).toEqual([201, given])
        const read = yield* asPartner(`/api/kyc/sessions/${text(body, "session", "id")}`)
        expect(field(read.body, "session", "external_reference")).toBe(given)
      })
    )
  }

  for (const [url, allowed] of [
    ["http://localhost:8080/done?a=1&b=%20#c", true],
    ["HTTPS://Example.COM/Path", true],
    ["https://[2001:db8::1]:8443/done", true],
    ["http://127.0.0.1/", true],
    ["https://bücher.example/fertig?übung=ß", true],
    ["https://example.com/می\u200cخواهم/👨\u200d👩\u200d👧", true],
    ["https://example.com//../a/./b?next=https://other.example", true],
    [ofLength(2048), true],
    [ofLength(2049), false],
    ["https://user@example.com/", false],
    ["https://user:password@example.com/", false],
    ["javascript:alert(1)", false],
    ["data:text/html,hello", false],
    ["ftp://example.com/", false],
    ["//example.com/done", false],
    ["https:example.com", false],
    [" https://example.com/", false],
    ["https://example.com/\n", false],
    ["https://exam\tple.com/", false],
    ["java\tscript://example.com/", false],
    ["https://example.com/\u0000", false],
    ["https://example.com/\ud800", false],
    ["https://example.com:99999/", false],
    ["", false],
    [7, false]
  ] as const) {
    it.effect(`${allowed ? 201 : 400} redirect URL ${JSON.stringify(url).slice(0, 70)}`, () =>
      Effect.gen(function* () {
        const { complete, create, newSession } = yield* Partner
        for (const [fieldName, status] of [
          ["successRedirectUrl", "completed"],
          ["failureRedirectUrl", "failed"]
        ] as const) {
          if (allowed) {
            // The partner's URL is never altered.
            const done = yield* complete(yield* newSession({ [fieldName]: url }), { status })
            expect(field(done.body, "redirectUrl")).toBe(url)
          } else {
            expect(statusAndBody(yield* create({ [fieldName]: url }))).toStrictEqual(
              refusal(400, `${fieldName} must be an http or https URL`)
            )
          }
        }
      })
    )
  }

  for (const written of [
    "null",
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{}},"toString":1}',
    `{"a":"${"x".repeat(16_376)}"}`
  ]) {
    it.effect(
      `201 metadata ${written.slice(0, 60)}, ${written.length} bytes, sealed in a JSONB string and read back`,
      () =>
        Effect.gen(function* () {
          const { asPartner, server } = yield* Partner
          const { body, status } = yield* createWritten(`"metadata":${written}`)
          expect(status).toBe(201)
          const id = text(body, "session", "id")
          const answer = yield* asPartner(`/api/kyc/sessions/${id}`)
          // As text: a matcher might not see an own `__proto__`.
          expect(JSON.stringify(field(answer.body, "session", "metadata"))).toBe(written)
          const stored = yield* execute(
            server.databaseUrl,
            "select starts_with(metadata #>> '{}', 'sealed.1.') as sealed from kyc_sessions where id = $1",
            [id]
          )
          expect(stored).toEqual([{ sealed: written === "null" ? null : true }])
        })
    )
  }

  it.effect("400 metadata is too large: over 16 KiB, in bytes", () =>
    Effect.gen(function* () {
      const { create } = yield* Partner
      for (const a of ["x".repeat(16_377), "ü".repeat(8_189)]) {
        expect(statusAndBody(yield* create({ metadata: { a } }))).toStrictEqual(
          refusal(400, "metadata is too large")
        )
      }
    })
  )
})
