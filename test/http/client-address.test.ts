/** `TRUSTED_PROXIES`: whose `X-Forwarded-For` is trusted, and which entry of it. */
import { BlockList } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { clientAddress } from "../../src/http/runtime/client-address.ts"
import { isLoopback, parseRanges } from "../../src/shared/ip-address.ts"
import { send } from "../support/client.ts"
import { startServer } from "../support/server.ts"
import { stoppedClock } from "../support/stopped-clock.ts"

const ranges = (...list: ReadonlyArray<string>): BlockList => {
  const parsed = parseRanges(list)
  if (parsed === undefined) throw new Error(`${list.join()} should be ranges`)
  return parsed
}

const nobody = new BlockList()
const proxies = ranges("10.0.0.0/8", "192.0.2.1", "fd00::/8")

/** The notation of a loopback address that a proxy reports and that may stand for anybody. */
const muted = "::ffff:127.0.0.1"

describe("the client's address", () => {
  for (const [name, peer, header, trusted, expected] of [
    ["no proxy, no header", "203.0.113.9", null, nobody, "203.0.113.9"],
    ["a stranger's header is not read", "203.0.113.9", "198.51.100.1", proxies, "203.0.113.9"],
    ["a proxy's entry is the client", "10.0.0.1", "198.51.100.1", proxies, "198.51.100.1"],
    ["a proxy without the header is itself", "10.0.0.1", null, proxies, "10.0.0.1"],
    [
      "what the client wrote on the left is not read",
      "10.0.0.1",
      "1.1.1.1, 198.51.100.1",
      proxies,
      "198.51.100.1"
    ],
    ["a chain of proxies", "10.0.0.1", "198.51.100.1, 192.0.2.1, 10.2.3.4", proxies, "198.51.100.1"],
    ["proxies only: the farthest", "10.0.0.1", "10.0.0.3, 10.0.0.2", proxies, "10.0.0.3"],
    ["no spaces", "10.0.0.1", "1.1.1.1,198.51.100.1,10.0.0.2", proxies, "198.51.100.1"],
    ["garbage: as far as it could be read", "10.0.0.1", "198.51.100.1, garbage", proxies, "10.0.0.1"],
    ["garbage behind a proxy", "10.0.0.1", "198.51.100.1, garbage, 10.0.0.2", proxies, "10.0.0.2"],
    ["a port", "10.0.0.1", "198.51.100.1:51234", proxies, "198.51.100.1"],
    ["IPv6", "fd00::1", "2001:db8::7", proxies, "2001:db8::7"],
    ["IPv6 and a port", "fd00::1", "[2001:db8::7]:443", proxies, "2001:db8::7"],
    ["leading zeros are no address", "10.0.0.1", "010.0.0.1", proxies, "10.0.0.1"],
    ["a mapped peer is the IPv4 proxy", "::ffff:10.0.0.1", "198.51.100.1", proxies, "198.51.100.1"],
    ["a trusted loopback without the header is not exempt", "::1", null, ranges("::1"), muted],
    ["a loopback that a proxy reports is not exempt", "127.0.0.1", "127.0.0.2", ranges("127.0.0.1"), muted],
    ["a loopback of IPv6 that a proxy reports", "10.0.0.1", "::1", proxies, muted],
    ["a loopback itself, where another is trusted", "127.0.0.1", "203.0.113.1", proxies, "127.0.0.1"],
    ["a peer that has gone", "", "198.51.100.1", proxies, ""]
  ] as const) {
    it(name, () => {
      expect(clientAddress(peer, header, trusted)).toBe(expected)
    })
  }
})

describe("ranges", () => {
  for (const [text, valid] of [
    ["10.0.0.0/8", true],
    ["::1", true],
    ["2001:db8::/128", true],
    ["10.0.0.0/33", false],
    ["10.0.0.0/-1", false],
    ["10.0.0.0/", false],
    ["10.0.0.0/1.5", false],
    ["example.com", false],
    ["", false]
  ] as const) {
    it(`${JSON.stringify(text)}: ${valid ? "a range" : "none"}`, () => {
      expect(parseRanges([text]) !== undefined).toBe(valid)
    })
  }
})

it("loopback is 127.0.0.0/8 and ::1, and nothing similar", () => {
  for (const address of ["127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1"]) {
    expect([address, isLoopback(address)]).toEqual([address, true])
  }
  for (const address of [
    "128.0.0.1",
    "126.255.255.255",
    "::2",
    "localhost",
    "",
    "127.0.0.1.example.com",
    "::ffff:127.0.0.1"
  ]) {
    expect([address, isLoopback(address)]).toEqual([address, false])
  }
})

it.scopedLive("of a trusted proxy that does not name its clients share the limits of one address", () =>
  Effect.gen(function* () {
    // In which no budget grows.
    const server = yield* stoppedClock().by(startServer({ TRUSTED_PROXIES: "127.0.0.1,::1" }))
    const email = `${crypto.randomUUID()}@example.com`
    const without = [{ "x-real-ip": "203.0.113.9" }, { "x-forwarded-for": "unknown" }, {}]
    // As many as one network may get wrong at one account, and each kind once more.
    const statuses = yield* Effect.forEach(Array.from({ length: 63 }), (_, i) =>
      Effect.map(
        send(server, "POST", "/api/auth/login", {
          headers: without[i % 3] ?? {},
          json: { email, password: "not the password" }
        }),
        ({ status }) => status
      )
    )
    expect(statuses).toEqual([...Array(60).fill(401), 429, 429, 429])
  })
)
