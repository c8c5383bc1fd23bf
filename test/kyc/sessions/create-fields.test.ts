/** The fields of a new session. `test/http/refused-values` has a refused value for each message. */
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

const refuses = (message: string, ...written: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    for (const fields of written) {
      expect([fields, statusAndBody(yield* createWritten(fields))]).toStrictEqual([
        fields,
        refusal(400, message)
      ])
    }
  })

const ofLength = (length: number) => "https://example.com/".padEnd(length, "x")

suite(Partner.layer)("Create session", (it) => {
  it.effect("mode: prod by default", () =>
    Effect.gen(function* () {
      const { create } = yield* Partner
      for (const [given, mode] of [
        [undefined, "prod"],
        [null, "prod"],
        ["prod", "prod"],
        ["dev", "dev"]
      ]) {
        const { body } = yield* create({ mode: given })
        expect(field(body, "session", "mode")).toBe(mode)
      }
      yield* refuses("mode must be prod or dev", '"mode":""', '"mode":"PROD"', '"mode":["dev"]')
    })
  )

  it.effect("expiresInSeconds: a whole number, however it is written", () =>
    Effect.gen(function* () {
      for (const [written, seconds] of [
        ["1", 1],
        ["60.0", 60],
        ["6e1", 60],
        ["2592000", 2_592_000],
        ["null", 3600]
      ] as const) {
        const { body } = yield* createWritten(`"expiresInSeconds":${written}`)
        expect(
          milliseconds(body, "session", "expires_at") - milliseconds(body, "session", "created_at")
        ).toBe(seconds * 1000)
      }
      yield* refuses(
        "expiresInSeconds must be a whole number from 1 to 2592000",
        ...["0", "2592001", "1.5", "1e400", '"60"', "[60]"].map((written) => `"expiresInSeconds":${written}`)
      )
    })
  )

  it.effect("externalReference: up to 255 characters of any script, unchanged", () =>
    Effect.gen(function* () {
      const { asPartner, create } = yield* Partner
      for (const [given, stored] of [
        ["", ""],
        [" a ", " a "],
        ["🧾".repeat(255), "🧾".repeat(255)],
        ["заказ-№1 注文 🧾", "заказ-№1 注文 🧾"],
        [null, null],
        [undefined, null]
      ] as const) {
        const { body } = yield* create({ externalReference: given })
        expect(field(body, "session", "external_reference")).toBe(stored)
        const read = yield* asPartner(`/api/kyc/sessions/${text(body, "session", "id")}`)
        expect(field(read.body, "session", "external_reference")).toBe(stored)
      }
      yield* refuses(
        "externalReference must be a string of at most 255 characters",
        `"externalReference":"${"🧾".repeat(256)}"`,
        '"externalReference":["a"]'
      )
    })
  )

  it.effect("redirect URLs: http or https, returned as they were given", () =>
    Effect.gen(function* () {
      const { complete, create, newSession } = yield* Partner
      for (const [name, status] of [
        ["successRedirectUrl", "completed"],
        ["failureRedirectUrl", "failed"]
      ] as const) {
        for (const url of [
          "https://example.com",
          "http://localhost:8080/done?a=1&b=%20#c",
          "HTTPS://Example.COM/Path",
          "https://[2001:db8::1]:8443/done",
          "https://bücher.example/fertig?übung=ß",
          "https://example.com/می\u200cخواهم/👨\u200d👩\u200d👧",
          "https://example.com//../a/./b?next=https://other.example",
          ofLength(2048)
        ]) {
          const done = yield* complete(yield* newSession({ [name]: url }), { status })
          expect(field(done.body, "redirectUrl")).toBe(url)
        }
        yield* refuses(
          `${name} must be an http or https URL`,
          ...[
            ofLength(2049),
            "https://user@example.com/",
            "javascript:alert(1)",
            "data:text/html,hello",
            "//example.com/done",
            "example.com",
            "https://",
            "https:example.com",
            "https://exa mple.com/",
            " https://example.com/",
            "https://exam\tple.com/",
            "java\tscript://example.com/",
            "https://example.com/\u0000",
            "https://example.com/\ud800",
            "https://example.com:99999/",
            "",
            7
          ].map((url) => `"${name}":${JSON.stringify(url)}`)
        )
        expect((yield* create({ [name]: null })).status).toBe(201)
      }
    })
  )

  it.effect("metadata: sealed in a JSONB string, and read back as it was written", () =>
    Effect.gen(function* () {
      const { asPartner, server } = yield* Partner
      for (const written of [
        "null",
        "{}",
        '{"a":[1,null,{"b":"ü"}],"B c":1e-7}',
        '{"__proto__":{"polluted":1},"constructor":{"prototype":{}},"toString":1}',
        `{"a":"${"x".repeat(16_376)}"}`
      ]) {
        const { body } = yield* createWritten(`"metadata":${written}`)
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
      }
      yield* refuses("metadata must be an object or null", '"metadata":[{}]', '"metadata":"text"')
      // Counted in bytes.
      yield* refuses("metadata is too large", `"metadata":{"a":"${"ü".repeat(8_189)}"}`)
    })
  )
})
