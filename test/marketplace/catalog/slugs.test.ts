/** Which slugs and names are refused since they pretend to be somebody, and which ordinary ones are not. */

import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { isClearName } from "../../../src/marketplace/catalog/names-model.ts"
import { builtInWords, reservedSlugs } from "../../../src/marketplace/catalog/slugs-model.ts"
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
      stripe admin api doorlock support security login www str1pe 5tripe p4ypal g00gle goog1e 9oogle
      micr0soft arnazon vvhatsapp auth0 st-ripe s-t-r-i-p-e stripe-x stripe--support stripe-support
      my-stripe stripesupport the-stripe-api paypal2 2-paypal my-str1pe-shop my-st-ripe admin-2 admin1
      4dmin supp0rt help-desk s-upport doorlock-support d00rlock getstripe stripehq googlepay stripe-inc
      paypaleu paypall strlpe striipe adrnin apple-2 a-pple payment trust 6oogle 6ithub drop6ox admins
      administrators owners-2 5upport-teams official-api security-team system-admin api-support
      admin-2-team 0fficial-docs stripecheckout githubactions googlemaps amazonaws my-g1thubactions
      paypalcheckout-eu xn--stripe-9za xn--80ak6aa92e my-xn--80ak6aa92e acme-bank acmebank 4cme-b4nk
      acme-bank-support office365 office-365 office-365-support off1ce-365-login my-0ffice365
    `)
  )("%s", (slug) => expect(isReserved(slug)).toBe(true))
})

describe("reserved words, with any digits", () => {
  it("built-in ones are each refused", () => {
    const refuses = reservedSlugs({ reserved: [], allowed: [] })
    expect(builtInWords.filter((word) => !refuses(word))).toEqual([])
  })

  it("configured ones are each refused, also with a suffix and in other spellings", () => {
    const reserved = ["route66", "6sense", "bank-66", "m6", "a1b2c3d4e5f6", "0123456789"]
    const refuses = reservedSlugs({ reserved, allowed: [] })
    for (const word of reserved) {
      for (const slug of [word, `${word}-support`, `my-${word}`, word.replaceAll("-", "")]) {
        expect([slug, refuses(slug)]).toEqual([slug, true])
      }
    }
    for (const slug of ["route-66", "r0ute66", "route-6-6", "6-sense", "6sen5e", "bank66"]) {
      expect([slug, refuses(slug)]).toEqual([slug, true])
    }
  })
})

describe("slugs that the rules allow", () => {
  it.each(
    wordsOf(`
      acme demo weather acme-support acme-api my-admin wolves-7 0 99 a--b pinstripes rapid capital metal
      therapist pineapple drawstring supportive s-01234567-89ab-4cde apple support-team loginom mall
      mail modem striped striped-cat revolution revolutionary-labs interpolate twittering amazonia 6 666
      team-green system-health api-docs route-66 bad-apis gold-6 apple-tree big-amazon azure-coast
      lisbon-visa octopus-kraken daily-telegram payment-gateway health-api trust-payments login-security
      teamviewer adobe-homes
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
      for (const slug of ["stripe", "str1pe", "stripe-support", "admin", "xn--80ak6aa92e"]) {
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

  it.effect("409 for a slug that looks like another publisher's; numbered slugs do not look alike", () =>
    Effect.gen(function* () {
      // Letters that have no digit like them, so that the tests of a run do not meet.
      const unique = crypto
        .randomUUID()
        .replaceAll(/\W/g, "")
        .replaceAll(/\d/g, (digit) => "cdfhjkmnpq"[Number(digit)] ?? "")
      const become = (slug: string) =>
        Effect.flatMap(asking, (ask) =>
          Effect.map(ask("POST", "/publishers", { slug, name: "Acme" }), ({ body, status }) => [status, body])
        )
      const made = [201, expect.anything()]
      const similar = [409, { error: "Slug is too similar to another publisher's" }]
      expect(yield* become(`coral${unique}`)).toEqual(made)
      for (const prefix of ["c0ral", "cora1", "co-ral", "c-o--r4l", "coral-", "corai", "corai-"]) {
        expect([prefix, ...(yield* become(prefix + unique))]).toEqual([prefix, ...similar])
      }
      expect(yield* become(`coral${unique}`)).toEqual([409, { error: "Slug is already taken" }])
      expect(yield* become(`f1nbank${unique}`)).toEqual(made)
      for (const prefix of ["finbank", "flnbank", "f-i-n-bank"]) {
        expect([prefix, ...(yield* become(prefix + unique))]).toEqual([prefix, ...similar])
      }
      for (const number of ["2", "3", "6", "8", "9", "12"])
        expect(yield* become(`coral-${unique}-${number}`)).toEqual(made)
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
    const settings = { PUBLISHER_SLUGS_RESERVED: "my-bank", PUBLISHER_SLUGS_ALLOWED: "paypal,stripe,pl4in" }
    const server = yield* startServer(settings)
    const become = (slug: string) =>
      Effect.gen(function* () {
        const { body } = yield* askingAs(server, yield* signUp(server))("POST", "/publishers", {
          slug,
          name: "x"
        })
        return Object(body).error ?? "made"
      })
    expect(yield* become("mybank-support")).toBe("Slug is reserved")
    expect(yield* become("paypal")).toBe("made")
    expect(yield* become("stripe")).toBe("made")
    expect(yield* become("plain")).toBe("made")
    // Also one that looks like another publisher's.
    expect(yield* become("p1ain")).toBe("Slug is too similar to another publisher's")
    expect(yield* become("pl4in")).toBe("made")
    expect(yield* become("paypal-support")).toBe("Slug is reserved")
    expect(yield* become("stripe")).toBe("Slug is already taken")
  })
)
