/** Where an upstream may be, at registration and at every dial: OWASP API7. */

import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Config } from "../../src/config.ts"
import { isAllowedPort, isPublicAddress } from "../../src/gateway/address.ts"
import type { Lookup } from "../../src/gateway/names.ts"
import { Resolver, UpstreamAddresses } from "../../src/gateway/resolve.ts"
import { answering, call, linesOf, startGateway, stoppedDeadlines } from "../support/marketplace/gateway.ts"
import { wordsOf } from "../support/words.ts"

const forbidden = wordsOf(`
  0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1
  127.255.255.254 168.63.129.16 169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1
  192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255
  240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8
  ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2
  2001:2::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:0808:0808::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254
  fe80::1 fe80::1%eth0 fec0::1 ff02::1 localhost 1.1.1 0x7f.1
`)

const permitted = wordsOf(`
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1
  172.15.255.255 172.32.0.1 192.0.1.1 192.167.255.255 192.169.0.1 198.17.255.255 198.20.0.1
  223.255.255.255 2001:200::1 2001:4860:4860::8888 2003::1 2606:4700:4700::1111 2a00:1450:4001:81b::200e
  3ffe::1
`)

describe("addresses", () => {
  it.each(["", ...forbidden])("%j is not public", (address) => expect(isPublicAddress(address)).toBe(false))

  it.each(permitted)("%j is public", (address) => expect(isPublicAddress(address)).toBe(true))

  it("ports of services that could take a request for commands are refused", () => {
    for (const port of [0, 22, 25, 110, 143, 587, 6667, 10_080]) expect(isAllowedPort(port)).toBe(false)
    for (const port of [80, 443, 3000, 8080, 8443, 65_535]) expect(isAllowedPort(port)).toBe(true)
  })
})

const names: Readonly<Record<string, ReadonlyArray<string>>> = {
  "public.test": ["8.8.8.8", "2606:4700:4700::1111"],
  "private.test": ["10.0.0.1"],
  "mixed.test": ["8.8.8.8", "127.0.0.1"],
  "mixed6.test": ["2606:4700:4700::1111", "::1"],
  "localhost.": ["127.0.0.1"]
}

const known: Lookup = (name) =>
  names[name] === undefined ? Promise.reject(new Error("ENOTFOUND")) : Promise.resolve(names[name])

const addresses = (lookup: Lookup, environment: Readonly<Record<string, string>> = {}) =>
  UpstreamAddresses.pipe(
    Effect.provide(
      UpstreamAddresses.Default.pipe(
        Layer.provide(Layer.succeed(Resolver, lookup)),
        Layer.provide(Config.layer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "false", ...environment }))
      )
    )
  )

describe("registration", () => {
  const checked = (url: string, environment = {}) =>
    Effect.flatMap(addresses(known, environment), ({ objection }) => objection(new URL(url)))

  for (const [rule, urls] of [
    [
      "address",
      wordsOf(`
        ftp://public.test file:///etc/passwd data:text/plain,x s3://bucket/key http://user@public.test
        http://:password@public.test http://public.test/?a=1 http://public.test/#a http://private.test
        http://mixed.test http://mixed6.test http://localhost. http://127.0.0.1 http://2130706433
        http://0x7f000001 http://0177.0.0.1 http://127.1 http://１２７.０.０.１ http://0.0.0.0 http://[::1]
        http://[::ffff:127.0.0.1] http://[64:ff9b::10.0.0.1] http://169.254.169.254/latest/meta-data
      `)
    ],
    ["port", ["http://public.test:25", "https://public.test:6667"]],
    // A name without an address may get one later.
    [
      undefined,
      wordsOf(
        "http://public.test https://public.test:8443/base/ https://8.8.8.8 http://[2606:4700::1] http://nowhere.test"
      )
    ]
  ] as const) {
    it.live.each(urls)(`%s is ${rule === undefined ? "permitted" : `refused for its ${rule}`}`, (url) =>
      Effect.map(checked(url), (found) => expect(found).toBe(rule))
    )
  }

  it.live("private addresses are permitted where configured; the other rules still apply", () =>
    Effect.gen(function* () {
      const environment = { GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" }
      expect(yield* checked("http://127.0.0.1:4000", environment)).toBeUndefined()
      expect(yield* checked("http://127.0.0.1:25", environment)).toBe("port")
      expect(yield* checked("file:///etc/passwd", environment)).toBe("address")
    })
  )
})

describe("dialling", () => {
  it.live("of a name with many addresses, only four of each family are dialled, but all are checked", () =>
    Effect.gen(function* () {
      const many = (prefix: string) => Array.from({ length: 100 }, (_, at) => `${prefix}${at}`)
      const [four, six] = [many("8.8.8."), many("2606:4700::")]
      const { of } = yield* addresses((name) =>
        Promise.resolve([...four, ...six, ...(name === "one-is-private.test" ? ["::1"] : [])])
      )
      const found = yield* Effect.promise(() => of("many.test", "publisher"))
      expect(found).toEqual([...four.slice(0, 4), ...six.slice(0, 4)])
      const refused = yield* Effect.flip(Effect.tryPromise(() => of("one-is-private.test", "publisher")))
      expect(refused.cause).toMatchObject({ type: "destination_ip_prohibited" })
    })
  )

  it.scopedLive("a name that is or becomes private after it was checked: 502, and nothing is dialled", () =>
    Effect.gen(function* () {
      const answers: Readonly<Record<string, ReadonlyArray<string>>> = {
        "private.test": ["127.0.0.1"],
        "mixed.test": ["8.8.4.4", "127.0.0.1"],
        "mapped.test": ["::ffff:127.0.0.1"],
        "metadata.test": ["169.254.169.254"]
      }
      const asked: Array<string> = []
      const lookup: Lookup = (name) => {
        const isChecked = asked.includes(name)
        asked.push(name)
        return Promise.resolve(isChecked ? (answers[name] ?? []) : ["8.8.8.8"])
      }
      const { objection } = yield* addresses(lookup)
      const upstream = yield* answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      const gateway = yield* startGateway({
        lookup,
        environment: { GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "false" }
      })
      for (const name of Object.keys(answers)) {
        const url = upstream.url.replace("127.0.0.1", name)
        expect(yield* objection(new URL(url))).toBeUndefined()
        const answer = yield* call(gateway, gateway.publish(url))
        expect([name, answer.start]).toEqual([name, "HTTP/1.1 502 Bad Gateway"])
        expect(answer.body.toString()).toBe('{"error":"Upstream unavailable"}')
        expect(linesOf(answer, "proxy-status")).toEqual(["doorlock; error=destination_ip_prohibited"])
      }
      expect(asked).toHaveLength(8)
      // An address itself is not looked up.
      for (const host of ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"]) {
        const answer = yield* call(gateway, gateway.publish(upstream.url.replace("127.0.0.1", host)))
        expect(linesOf(answer, "proxy-status")).toEqual(["doorlock; error=destination_ip_prohibited"])
      }
      expect(upstream.connections()).toBe(0)
    })
  )

  it.scopedLive("an IPv6 address is dialled, and appears in brackets in Host", () =>
    Effect.gen(function* () {
      const upstream = yield* answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "::1")
      const gateway = yield* startGateway()
      const answer = yield* call(gateway, gateway.publish(upstream.url))
      expect(answer.start).toBe("HTTP/1.1 200 OK")
      expect(upstream.requests.map((request) => linesOf(request, "host"))).toEqual([
        [upstream.url.slice("http://".length)]
      ])
    })
  )

  it.scopedLive("exactly the checked address is dialled, with the name in Host", () =>
    Effect.gen(function* () {
      let asked = 0
      const lookup: Lookup = () => {
        asked++
        return Promise.resolve(["127.0.0.1"])
      }
      const upstream = yield* answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      // What was looked up is used for some seconds.
      const gateway = yield* startGateway({ lookup, clock: stoppedDeadlines() })
      // A name that no system resolver knows: only the pinned address can have led there.
      const path = gateway.publish(upstream.url.replace("127.0.0.1", "pinned.invalid"))
      for (let turn = 0; turn < 3; turn++) {
        expect((yield* call(gateway, path)).start).toBe("HTTP/1.1 200 OK")
      }
      expect(upstream.connections()).toBe(3)
      expect(upstream.requests.map((request) => linesOf(request, "host")[0]?.split(":")[0])).toEqual(
        Array.from({ length: 3 }, () => "pinned.invalid")
      )
      // Three dials, one lookup.
      expect(asked).toBe(1)
    })
  )
})
