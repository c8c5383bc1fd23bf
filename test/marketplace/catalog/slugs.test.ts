/** Which slugs and names are refused since they pretend to be somebody, and which ordinary ones are not. */

import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { isClearName } from "../../../src/marketplace/catalog/names-model.ts"
import { reservedSlugs } from "../../../src/marketplace/catalog/slugs-model.ts"
import { signUp } from "../../support/client.ts"
import { askingAs, freshSlug } from "../../support/marketplace/publisher.ts"
import { execute } from "../../support/postgres.ts"
import { startServer, TestServer } from "../../support/server.ts"
import { suite } from "../../support/suite.ts"
import { wordsOf } from "../../support/words.ts"

const isReserved = reservedSlugs({ reserved: ["acme-bank"], allowed: ["apple", "support-team"] })

describe("slugs that the rules refuse", () => {
  it.each(
    wordsOf(`
      stripe admin api doorlock support security login www auth0 st-ripe s-t-r-i-p-e stripe-x stripe--support
      my-stripe-shop help-desk s-upport doorlock-support a-pple payment trust xn--stripe-9za xn--80ak6aa92e
      my-xn--80ak6aa92e acme-bank acmebank acme-bank-support my-acme-bank office365 office-365 office365-support
    `)
  )("%s", (slug) => expect(isReserved(slug)).toBe(true))
})

describe("slugs that the rules allow", () => {
  it.each(
    wordsOf(`
      acme demo weather acme-support acme-api my-admin wolves-7 0 99 a--b pinstripes striped revolution
      s-01234567-89ab-4cde apple support-team team-green system-health api-docs apple-tree lisbon-visa
      payment-gateway health-api bank acme-banks exn--a
    `)
  )("%s", (slug) => expect(isReserved(slug)).toBe(false))
})

describe("names", () => {
  it.each([
    ...["Acme Ltd", "Ærøskøbing Søns", "Straße 7", "Δελτίο καιρού", "Погода", "Погода by Acme", "天気API"],
    ...["Tシャツ屋", "날씨 API", "الطقس", "می\u200cخواهم", "क्\u200dष", "Rain ☔️", "👩\u200d🔬 Lab", "50 µg"],
    ...["W".repeat(200), "1.4.2"]
  ])("clear: %s", (name) => expect(isClearName(name)).toBe(true))

  it.each([
    ...["Str\u0456pe", "\u0420aypal", "G\u03bfogle", "\u0410pple Pay", "Goo\u0261le\u0435", "Stri\u03c1e"],
    ...["Acme\u202eknab", "Ac\u200bme", "Ac\u00adme", "Ac\u200dme", "Ac\u200cme", "Acme\u2066"],
    ...["Ac\ufeffme", "Acme\u200e", "Ac\u3164me", "Acme\n", "Ac\u001b[2Jme", "Ac\u2028me"],
    ...["Acme\u{e0041}", "Ac\ue000me", "Ac\u2800me"]
  ])("unclear: %j", (name) => expect(isClearName(name)).toBe(false))
})

suite(TestServer.layer)("publishers and APIs", (it) => {
  const asking = Effect.gen(function* () {
    const server = yield* TestServer
    return askingAs(server, yield* signUp(server))
  })

  it.effect("409 Slug is reserved, and the company is no publisher", () =>
    Effect.gen(function* () {
      const ask = yield* asking
      for (const slug of ["stripe", "stripe-support", "admin", "xn--80ak6aa92e"]) {
        const { body, headers, status } = yield* ask("POST", "/publishers", { slug, name: "Acme" })
        expect([slug, status, body, headers.get("doorlock-error")]).toEqual([
          slug,
          409,
          { error: "Slug is reserved" },
          "slug-reserved"
        ])
      }
      expect((yield* ask("GET", "/publisher")).status).toBe(404)
    })
  )

  it.effect("400 for an unclear name of a publisher, an API or a plan", () =>
    Effect.gen(function* () {
      const ask = yield* asking
      const server = yield* TestServer
      const unclear = [400, { error: "name must not mix scripts within a word or have invisible characters" }]
      const answered = (method: string, path: string, json: object) =>
        Effect.map(ask(method, path, json), ({ body, status }) => [status, body])
      const name = "Str\u0456pe"
      expect(yield* answered("POST", "/publishers", { slug: freshSlug(), name })).toEqual(unclear)
      expect((yield* ask("POST", "/publishers", { slug: freshSlug(), name: "Acme" })).status).toBe(201)
      expect(yield* answered("POST", "/apis", { slug: "a", name })).toEqual(unclear)
      expect((yield* ask("POST", "/apis", { slug: "a", name: "A" })).status).toBe(201)
      const [api] = yield* execute(server.databaseUrl, "select id from apis order by created_at desc limit 1")
      expect(yield* answered("PATCH", `/apis/${api?.id}`, { name })).toEqual(unclear)
      expect(yield* answered("POST", `/apis/${api?.id}/plans`, { name })).toEqual(unclear)
    })
  )
})

it.scopedLive("settings add reserved slugs and allow others", () =>
  Effect.gen(function* () {
    const settings = { PUBLISHER_SLUGS_RESERVED: "my-bank", PUBLISHER_SLUGS_ALLOWED: "paypal,stripe" }
    const server = yield* startServer(settings)
    const become = (slug: string) =>
      Effect.gen(function* () {
        const { body } = yield* askingAs(server, yield* signUp(server))("POST", "/publishers", {
          slug,
          name: "x"
        })
        return Object(body).error ?? "made"
      })
    expect(yield* become("my-bank-support")).toBe("Slug is reserved")
    expect(yield* become("paypal")).toBe("made")
    expect(yield* become("stripe")).toBe("made")
    expect(yield* become("paypal-support")).toBe("Slug is reserved")
    expect(yield* become("stripe")).toBe("Slug is already taken")
  })
)
