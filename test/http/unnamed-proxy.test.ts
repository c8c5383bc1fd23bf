/** A proxy on the same machine that TRUSTED_PROXIES does not list makes all clients loopback: a warning says so once. */
import { BlockList } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { examine } from "../../src/cli/checks/examination.ts"
import { lookingForProxy, type ProxyFault, proxySeen } from "../../src/http/runtime/unnamed-proxy.ts"
import { parseRanges } from "../../src/shared/ip-address.ts"
import { send } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { startServer } from "../support/server.ts"
import { stoppedClock } from "../support/stopped-clock.ts"

describe("a proxy that TRUSTED_PROXIES does not list", () => {
  for (const [trusted, peer, header, expected] of [
    [[], "127.0.0.1", "x-forwarded-for", ["127.0.0.1"]],
    [[], "::1", "forwarded", ["::1"]],
    [[], "::ffff:127.0.0.1", "x-real-ip", ["127.0.0.1"]],
    [[], "127.0.0.1", "x-forwarded-proto", ["127.0.0.1"]],
    [[], "127.0.0.1", "x-forwarded-host", ["127.0.0.1"]],
    [[], "127.0.0.1", "via", ["127.0.0.1"]],
    [[], "127.0.0.1", "cf-connecting-ip", ["127.0.0.1"]],
    [[], "127.0.0.1", "true-client-ip", ["127.0.0.1"]],
    [["127.0.0.1"], "::1", "x-forwarded-for", ["::1"]],
    [["::1", "10.0.0.0/8"], "127.0.0.1", "x-forwarded-for", ["127.0.0.1"]],
    [["127.0.0.1"], "::ffff:127.0.0.1", "x-forwarded-for", []],
    [["127.0.0.0/8", "::1"], "::1", "x-forwarded-for", []],
    [[], "127.0.0.1", "x-request-id", []],
    [[], "203.0.113.1", "x-forwarded-for", []],
    [[], "10.0.0.1", "x-forwarded-for", []]
  ] as const) {
    it(`${peer} with ${header}, where ${trusted.join() || "none"} is trusted: warns once about ${expected.join() || "none"}`, () => {
      const told: Array<string> = []
      const look = lookingForProxy(parseRanges(trusted) ?? new BlockList(), (fault, address) => {
        if (fault === "unnamed") told.push(address)
      })
      for (let i = 0; i < 3; i++) look(peer, new Headers({ [header]: "203.0.113.9" }), "/")
      expect(told).toEqual(expected)
    })
  }

  it.scopedLive("is noted for doctor, which says what to do", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const environment = { DATA_DIR: dataDir, BASE_URL: "http://localhost:3000" }
      const proxies = (more: Readonly<Record<string, string>> = {}) =>
        Effect.map(examine({ ...environment, ...more }, []), (checks) =>
          checks.filter(({ name }) => name === "proxy")
        )
      const server = yield* startServer({ DATA_DIR: dataDir })
      yield* send(server, "GET", "/healthz")
      expect(yield* proxies()).toStrictEqual([])
      yield* send(server, "GET", "/healthz", { headers: { "x-forwarded-for": "203.0.113.9" } })
      yield* eventually(
        "it is noted",
        Effect.map(proxySeen(dataDir, "unnamed"), (seen) => seen !== undefined)
      )
      expect(yield* proxies()).toMatchObject([
        { status: "warning", advice: expect.stringContaining("Add 127.0.0.1,::1 to TRUSTED_PROXIES") }
      ])
      expect(yield* proxies({ TRUSTED_PROXIES: "::1" })).toHaveLength(1)
      expect(yield* proxies({ TRUSTED_PROXIES: "127.0.0.1" })).toStrictEqual([])
    })
  )

  it.scopedLive("is noted if TRUSTED_PROXIES lists another one", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const server = yield* startServer({ DATA_DIR: dataDir, TRUSTED_PROXIES: "::1" })
      yield* send(server, "GET", "/healthz", { headers: { "x-forwarded-for": "203.0.113.9" } })
      const noted = Effect.map(proxySeen(dataDir, "unnamed"), (seen) => seen?.address === "127.0.0.1")
      yield* eventually("it is noted", noted)
    })
  )

  it.scopedLive("is not noted if TRUSTED_PROXIES lists it", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const server = yield* startServer({ DATA_DIR: dataDir, TRUSTED_PROXIES: "127.0.0.1" })
      yield* send(server, "GET", "/healthz", { headers: { "x-forwarded-for": "203.0.113.9" } })
      expect(yield* proxySeen(dataDir, "unnamed")).toBeUndefined()
    })
  )
})

describe("a trusted proxy that does not name its clients", () => {
  for (const [peer, header, value, path, expected] of [
    ["127.0.0.1", "x-real-ip", "203.0.113.9", "/", ["muted"]],
    ["127.0.0.1", "forwarded", "for=203.0.113.9", "/", ["muted"]],
    ["127.0.0.1", "cf-connecting-ip", "203.0.113.9", "/", ["muted"]],
    ["::1", "x-forwarded-for", "unknown", "/", ["muted"]],
    ["10.0.0.1", "x-forwarded-for", "", "/", ["muted"]],
    ["10.0.0.1", "x-request-id", "1", "/", ["muted"]],
    ["10.0.0.1", "x-request-id", "1", "/healthz", []],
    ["127.0.0.1", "x-forwarded-for", "203.0.113.9", "/", []],
    ["127.0.0.1", "x-forwarded-for", "127.0.0.1", "/", []],
    ["203.0.113.9", "x-forwarded-for", "unknown", "/", []]
  ] as const) {
    it(`${peer} with ${header}: ${value || "nothing"}, of ${path}: warns about ${expected.length === 0 ? "nothing" : "it"}`, () => {
      const told: Array<ProxyFault> = []
      const trusted = parseRanges(["127.0.0.1", "::1", "10.0.0.0/8"]) ?? new BlockList()
      const look = lookingForProxy(trusted, (fault) => told.push(fault))
      for (let i = 0; i < 3; i++) look(peer, new Headers({ [header]: value }), path)
      expect(told).toEqual(expected)
    })
  }

  it.scopedLive("is noted for doctor, and its clients share the limits of one address", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const settings = { DATA_DIR: dataDir, TRUSTED_PROXIES: "127.0.0.1,::1" }
      // In which no budget grows.
      const server = yield* stoppedClock().by(startServer(settings))
      for (const headers of [{ "x-real-ip": "203.0.113.9" }, { "x-forwarded-for": "unknown" }, {}]) {
        const email = `${crypto.randomUUID()}@example.com`
        const statuses = yield* Effect.forEach(Array.from({ length: 12 }), () =>
          Effect.map(
            send(server, "POST", "/api/auth/login", {
              headers,
              json: { email, password: "not the password" }
            }),
            ({ status }) => status
          )
        )
        expect([headers, statuses.slice(0, 10), statuses[11]]).toEqual([headers, Array(10).fill(401), 429])
      }
      yield* eventually(
        "it is noted",
        Effect.map(proxySeen(dataDir, "muted"), (seen) => seen !== undefined)
      )
      const checks = yield* examine({ ...settings, BASE_URL: "http://localhost:3000" }, [])
      expect(checks.filter(({ name }) => name === "proxy")).toMatchObject([
        { status: "warning", advice: expect.stringContaining("Have the proxy set X-Forwarded-For") }
      ])
    })
  )
})
