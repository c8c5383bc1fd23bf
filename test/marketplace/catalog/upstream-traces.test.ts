/** Names of upstreams are found in steps that grow with the text, whatever is in it. */
import { describe, expect, it } from "vitest"
import { Allowance } from "../../../src/marketplace/catalog/allowance.ts"
import { withoutUpstreams } from "../../../src/marketplace/catalog/upstream-traces.ts"

const place = { publisherSlug: "acme", apiSlug: "pets", version: "1" }

/** The text without the upstreams, and the steps that took. */
const cleaned = (upstreams: readonly [string, ...ReadonlyArray<string>], text: string) => {
  const steps = new Allowance("steps", Number.POSITIVE_INFINITY)
  return { text: withoutUpstreams([{ ...place, upstreams }], steps)(text), steps: steps.spent }
}

/** A host of this many letters in labels, all of them the same letter. */
const hostOf = (letters: number) => `${"a".repeat(letters / 2)}.${"a".repeat(letters / 2)}`

describe("twice the text takes twice the steps, whatever the length of a name", () => {
  const nearMisses: ReadonlyArray<readonly [string, (letters: number) => string]> = [
    ["letters", (letters) => `${"a".repeat(letters)}b`],
    ["percent-encoded letters", (letters) => `${"%61".repeat(letters)}b`],
    ["letters of both forms", (letters) => `${"a%61A%41".repeat(letters / 4)}b`],
    ["letters and a dot", (letters) => `${"a".repeat(letters / 2)}.${"a".repeat(letters / 2 - 1)}b`],
    ["addresses", (letters) => `http://${hostOf(letters - 2)}b`],
    ["wide letters", (letters) => `${"\uff41".repeat(letters)}b`],
    ["addresses of numbers", (letters) => `//${"1.".repeat(letters / 2)}`],
    ["addresses in lines", (letters) => `//${"a\n".repeat(letters / 2)}b`],
    ["broken percent-encodings", (letters) => "%6".repeat(letters)],
    ["ports", (letters) => `//${hostOf(letters)}:${"1".repeat(1_000)}x`]
  ]
  it.each(nearMisses)("near misses: %s", (_, nearMiss) => {
    const [short, long] = [60, 120].map((letters) => {
      const { steps } = cleaned([`http://${hostOf(letters)}`], nearMiss(letters).repeat(100))
      return steps / nearMiss(letters).length
    })
    expect(long).toBeLessThan(1.2 * Number(short))
    const [once, twice] = [1, 2].map(
      (times) => cleaned([`http://${hostOf(60)}`], nearMiss(60).repeat(100 * times)).steps
    )
    expect(twice).toBeLessThan(2.1 * Number(once))
  })

  it.each(["/base/", "/a.test/a.test/", "//a.test"])(
    "addresses of an upstream whose base is made of %s",
    (part) => {
      const upstream = `http://a.test${part.repeat(50)}x`
      const [once, twice] = [1, 2].map(
        (times) => cleaned([upstream], `//a.test${part}`.repeat(500 * times)).steps
      )
      expect(twice).toBeLessThan(2.1 * Number(once))
    }
  )
})

it("stops when all steps are used up", () => {
  const clean = withoutUpstreams([{ ...place, upstreams: ["http://a.test"] }], new Allowance("steps", 1_000))
  expect(() => clean("a".repeat(1_000))).toThrow("All allowed steps are spent")
})

describe("finds a host as a URL parser reads it", () => {
  it.each([
    "api.acme.test",
    "API.Acme.TEST",
    "%61pi.acme.tes%74",
    "api\u3002acme\uff0etest",
    "\uff41\uff50\uff49.acme.test",
    "\u{1d41a}pi.acme.test",
    "a\u00adpi.acme.\u200btest",
    "%EF%BD%81pi.acme.test"
  ])("%s", (host) => {
    expect(URL.parse(`http://${host}`)?.hostname).toBe("api.acme.test")
    expect(cleaned(["https://api.acme.test/v2"], `see https://${host}/v2/x and ${host}!`).text).toBe(
      "see /acme/pets/v/1/x and upstream.invalid!"
    )
  })

  it.each([
    "b\u00fccher.test",
    "bu\u0308cher.test",
    "BU\u0308CHER.test",
    "b%C3%BCcher.test",
    "bu%CC%88cher.test"
  ])("of an international name: %s", (host) => {
    expect(URL.parse(`http://${host}`)?.hostname).toBe("xn--bcher-kva.test")
    expect(cleaned(["http://xn--bcher-kva.test"], `<${host}>`).text).toBe("<upstream.invalid>")
  })
})

describe("finds a numeric address in any spelling within a URL", () => {
  const there = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "0x7F000001",
    "127.1.",
    "%3127.1",
    "\uff11\uff12\uff17.1"
  ]
  it.each(there)("%s", (host) => {
    expect(URL.parse(`http://${host}`)?.hostname).toBe("127.0.0.1")
    expect(
      cleaned(["http://127.0.0.1:8899"], `at http://${host}:8899/x, http://u@${host}.`).text
    ).not.toContain(host)
  })

  it.each(["[::1]", "[0:0:0:0:0:0:0:1]", "[0::0.0.0.1]"])("%s", (host) => {
    expect(cleaned(["http://[::1]"], `at http://${host}/x`).text).toBe("at /acme/pets/v/1/x")
  })

  it("and leaves numbers and other addresses alone", () => {
    const text = "Release 127.1 of 2130706433, http://127.2/x, //0x7f.2, //fade, http://1.2.3.4.5"
    expect(cleaned(["http://127.0.0.1"], text).text).toBe(text)
  })
})

describe("finds a host in a URL that is split by characters that a URL parser removes", () => {
  it.each(["api.ac\nme.test", "api\t.acme.test", "\r\napi.acme\r\n.te\tst", "x.api.a\ncme.test"])(
    "%j",
    (host) => {
      expect(URL.parse(`http://${host}`)?.hostname).toMatch(/api\.acme\.test$/)
      expect(cleaned(["https://api.acme.test"], `see http://${host}/y\nand more`).text).toMatch(
        /^see \S*\s*(?:http:\/\/\s*(?:x\.)?upstream\.invalid|\/acme\/pets\/v\/1)\/y\nand more$/
      )
    }
  )

  it("and only there; the lines around it stay", () => {
    const text = "http://elsewhere.test\nWe are at api.acme\n.test of course"
    expect(cleaned(["https://api.acme.test"], text).text).toBe(text)
    expect(cleaned(["https://api.acme.test"], "//api.acme.test\nmore").text).toBe("/acme/pets/v/1\nmore")
  })
})

it("a replacement is not searched again; of two upstreams with one host the longer base wins", () => {
  const like = { ...place, version: "a.test" }
  const clean = (text: string) =>
    withoutUpstreams(
      [
        { ...like, upstreams: ["http://a.test"] },
        { ...place, version: "2", upstreams: ["http://a.test/two"] }
      ],
      new Allowance("steps", 100_000)
    )(text)
  expect(clean("http://a.test/x http://a.test/two/x a.test")).toBe(
    "/acme/pets/v/a.test/x /acme/pets/v/2/x upstream.invalid"
  )
})
