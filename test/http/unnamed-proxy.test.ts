/** A proxy on the same machine that TRUSTED_PROXIES does not name makes all clients loopback: it is told, once. */
import { BlockList } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { examine } from "../../src/cli/checks/examination.ts"
import { parseRanges } from "../../src/http/client-address.ts"
import { lookingForProxy, unnamedProxySeen } from "../../src/http/unnamed-proxy.ts"
import { send } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { startServer } from "../support/server.ts"

describe("a proxy that the configuration does not name", () => {
  for (const [trusted, peer, header, expected] of [
    [[], "127.0.0.1", "x-forwarded-for", ["127.0.0.1"]],
    [[], "::1", "forwarded", ["::1"]],
    [[], "::ffff:127.0.0.1", "x-real-ip", ["127.0.0.1"]],
    [["127.0.0.1"], "::1", "x-forwarded-for", ["::1"]],
    [["::1", "10.0.0.0/8"], "127.0.0.1", "x-forwarded-for", ["127.0.0.1"]],
    [["127.0.0.1"], "::ffff:127.0.0.1", "x-forwarded-for", []],
    [["127.0.0.0/8", "::1"], "::1", "x-forwarded-for", []],
    [[], "127.0.0.1", "x-request-id", []],
    [[], "203.0.113.1", "x-forwarded-for", []],
    [[], "10.0.0.1", "x-forwarded-for", []]
  ] as const) {
    it(`${peer} with ${header}, where ${trusted.join() || "none"} is trusted: ${expected.join() || "none"} is told, once`, () => {
      const told: Array<string> = []
      const look = lookingForProxy(parseRanges(trusted) ?? new BlockList(), (address) => told.push(address))
      for (let i = 0; i < 3; i++) look(peer, new Headers({ [header]: "203.0.113.9" }))
      expect(told).toEqual(expected)
    })
  }

  it.scopedLive("is noted where doctor finds it, which says what to do", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const environment = { DATA_DIR: dataDir, BASE_URL: "http://localhost:3000" }
      const proxies = (more: Readonly<Record<string, string>> = {}) =>
        Effect.map(examine({ ...environment, ...more }), (checks) =>
          checks.filter(({ name }) => name === "proxy")
        )
      const server = yield* startServer({ DATA_DIR: dataDir })
      yield* send(server, "GET", "/healthz")
      expect(yield* proxies()).toStrictEqual([])
      yield* send(server, "GET", "/healthz", { headers: { "x-forwarded-for": "203.0.113.9" } })
      yield* eventually(
        "it is noted",
        30_000,
        Effect.map(unnamedProxySeen(dataDir), (seen) => seen !== undefined)
      )
      expect(yield* proxies()).toMatchObject([
        { status: "warning", advice: expect.stringContaining("Add 127.0.0.1,::1 to TRUSTED_PROXIES") }
      ])
      expect(yield* proxies({ TRUSTED_PROXIES: "::1" })).toHaveLength(1)
      expect(yield* proxies({ TRUSTED_PROXIES: "127.0.0.1" })).toStrictEqual([])
    })
  )

  it.scopedLive("is noted where TRUSTED_PROXIES names another one", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const server = yield* startServer({ DATA_DIR: dataDir, TRUSTED_PROXIES: "::1" })
      yield* send(server, "GET", "/healthz", { headers: { "x-forwarded-for": "203.0.113.9" } })
      const noted = Effect.map(unnamedProxySeen(dataDir), (seen) => seen?.address === "127.0.0.1")
      yield* eventually("it is noted", 30_000, noted)
    })
  )

  it.scopedLive("is none where TRUSTED_PROXIES names it", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const server = yield* startServer({ DATA_DIR: dataDir, TRUSTED_PROXIES: "127.0.0.1" })
      yield* send(server, "GET", "/healthz", { headers: { "x-forwarded-for": "203.0.113.9" } })
      expect(yield* unnamedProxySeen(dataDir)).toBeUndefined()
    })
  )
})
