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

suite(Partner.layer)("Create session: mode", (it) => {
  for (const [given, mode] of [
    [undefined, "prod"],
    [null, "prod"],
    ["prod", "prod"],
    ["dev", "dev"]
  ]) {
    it.effect(`${given} is ${mode}`, () =>
      Effect.gen(function* () {
        const { body, status } = yield* (yield* Partner).create({ mode: given })
        expect(status).toBe(201)
        expect(field(body, "session", "mode")).toBe(mode)
      })
    )
  }

  for (const mode of ["", "test", "PROD", 1, true, {}, ["dev"]]) {
    it.effect(`400 mode must be prod or dev: ${JSON.stringify(mode)}`, () =>
      Effect.gen(function* () {
        expect(statusAndBody(yield* (yield* Partner).create({ mode }))).toStrictEqual(
          refusal(400, "mode must be prod or dev")
        )
      })
    )
  }
})

suite(Partner.layer)("Create session: expiresInSeconds", (it) => {
  for (const [written, seconds] of [
    ["1", 1],
    ["60.0", 60],
    ["6e1", 60],
    ["2592000", 2_592_000],
    ["null", 3600]
  ] as const) {
    it.effect(`${written} is ${seconds} s`, () =>
      Effect.gen(function* () {
        const { body, status } = yield* createWritten(`"expiresInSeconds":${written}`)
        expect(status).toBe(201)
        expect(
          milliseconds(body, "session", "expires_at") - milliseconds(body, "session", "created_at")
        ).toBe(seconds * 1000)
      })
    )
  }

  for (const written of [
    "0",
    "-0",
    "-1",
    "1.5",
    "2592001",
    "1e400",
    "-1e400",
    "9007199254740993",
    '"60"',
    '"NaN"',
    '""',
    "true",
    "[60]",
    "{}"
  ]) {
    it.effect(`400 expiresInSeconds must be a whole number from 1 to 2592000: ${written}`, () =>
      Effect.gen(function* () {
        expect(statusAndBody(yield* createWritten(`"expiresInSeconds":${written}`))).toStrictEqual(
          refusal(400, "expiresInSeconds must be a whole number from 1 to 2592000")
        )
      })
    )
  }
})

suite(Partner.layer)("Create session: externalReference", (it) => {
  for (const [name, given, stored] of [
    ["a string", "order 1042", "order 1042"],
    ["an empty string", "", ""],
    ["spaces, kept", " a ", " a "],
    ["255 characters", "x".repeat(255), "x".repeat(255)],
    ["255 characters of two code units each", "🧾".repeat(255), "🧾".repeat(255)],
    ["any script", "заказ-№1 注文 🧾", "заказ-№1 注文 🧾"],
    ["null", null, null],
    ["absent", undefined, null]
  ] as const) {
    it.effect(`201 ${name}`, () =>
      Effect.gen(function* () {
        const { asPartner, create } = yield* Partner
        const { body, status } = yield* create({ externalReference: given })
        expect(status).toBe(201)
        expect(field(body, "session", "external_reference")).toBe(stored)
        const read = yield* asPartner(`/api/kyc/sessions/${text(body, "session", "id")}`)
        expect(field(read.body, "session", "external_reference")).toBe(stored)
      })
    )
  }

  for (const externalReference of ["x".repeat(256), "🧾".repeat(256), 7, true, {}, ["a"]]) {
    it.effect(
      `400 externalReference must be a string of at most 255 characters: ${JSON.stringify(externalReference).slice(0, 20)}`,
      () =>
        Effect.gen(function* () {
          expect(statusAndBody(yield* (yield* Partner).create({ externalReference }))).toStrictEqual(
            refusal(400, "externalReference must be a string of at most 255 characters")
          )
        })
    )
  }
})

const ofLength = (length: number) => "https://example.com/".padEnd(length, "x")

suite(Partner.layer)("Create session: redirect URLs", (it) => {
  for (const [url, allowed] of [
    ["https://example.com", true],
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
    ["/done", false],
    ["example.com", false],
    ["https://", false],
    ["https:example.com", false],
    ["https://exa mple.com/", false],
    [" https://example.com/", false],
    ["https://example.com/\n", false],
    ["https://exam\tple.com/", false],
    ["java\tscript://example.com/", false],
    ["https://example.com/\u0000", false],
    ["https://example.com/\ud800", false],
    ["https://example.com:99999/", false],
    ["", false],
    [7, false],
    [{ href: "https://example.com" }, false]
  ] as const) {
    const shown = JSON.stringify(url)
    const name = shown.length > 70 ? `${shown.length - 2} characters` : shown
    it.effect(`${allowed ? 201 : 400} ${name}`, () =>
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

  it.effect("null counts as omitted", () =>
    Effect.gen(function* () {
      const { create } = yield* Partner
      expect((yield* create({ successRedirectUrl: null, failureRedirectUrl: null })).status).toBe(201)
    })
  )
})

suite(Partner.layer)("Create session: metadata", (it) => {
  for (const written of [
    "null",
    "{}",
    '{"a":[1,null,{"b":"ü"}],"B c":1e-7}',
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{}},"toString":1}',
    `{"a":"${"x".repeat(16_376)}"}`
  ]) {
    it.effect(
      `201 ${written.slice(0, 60)}, ${written.length} bytes, sealed in a JSONB string and read back`,
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
            "select jsonb_typeof(metadata) as type, starts_with(metadata #>> '{}', 'sealed.1.') as sealed from kyc_sessions where id = $1",
            [id]
          )
          expect(stored).toEqual([
            written === "null" ? { type: null, sealed: null } : { type: "string", sealed: true }
          ])
        })
    )
  }

  it.effect("omitted metadata is null", () =>
    Effect.gen(function* () {
      const { asPartner, newSession } = yield* Partner
      const answer = yield* asPartner(`/api/kyc/sessions/${(yield* newSession()).id}`)
      expect(field(answer.body, "session", "metadata")).toBeNull()
    })
  )

  for (const metadata of ["text", 7, true, [], [{}]]) {
    it.effect(`400 metadata must be an object or null: ${JSON.stringify(metadata)}`, () =>
      Effect.gen(function* () {
        expect(statusAndBody(yield* (yield* Partner).create({ metadata }))).toStrictEqual(
          refusal(400, "metadata must be an object or null")
        )
      })
    )
  }

  for (const [name, metadata] of [
    ["16 KiB and a byte", { a: "x".repeat(16_377) }],
    ["in bytes, not characters", { a: "ü".repeat(8_189) }]
  ] as const) {
    it.effect(`400 metadata is too large: ${name}`, () =>
      Effect.gen(function* () {
        const { create } = yield* Partner
        expect(statusAndBody(yield* create({ metadata }))).toStrictEqual(
          refusal(400, "metadata is too large")
        )
      })
    )
  }
})
