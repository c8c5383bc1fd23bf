/** Decisions 1, protective limits: failures are what is limited, per address; loopback is exempt. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { failureBudget, perAddress } from "../../src/http/throttle.ts"
import { newToken } from "../../src/secrets/token.ts"
import { onboard, send } from "../support/client.ts"
import { startServer } from "../support/server.ts"

const behindProxy = (address: string) => ({ "x-forwarded-for": address })

describe("over HTTP", () => {
  it.scopedLive("made-up keys: 429 Too many requests with Retry-After, for their address only", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ TRUSTED_PROXIES: "127.0.0.0/8" })
      const { instance, key } = yield* onboard(server)
      const create = (apiKey: string, address: string) =>
        send(server, "POST", "/api/kyc/public/sessions", {
          headers: { "x-api-key": apiKey, ...behindProxy(address) },
          json: { instanceId: instance.id }
        })
      for (let i = 0; i < 100; i++) {
        const answer = yield* create(i % 2 === 0 ? "dlk_x" : newToken("dlk_"), "203.0.113.9")
        expect([i, answer.status, answer.text]).toEqual([i, 401, '{"error":"Invalid API key"}'])
      }
      // A refill of one a second may let one more through on a slow machine.
      const answers = yield* Effect.replicateEffect(create("dlk_x", "203.0.113.9"), 30, { concurrency: 10 })
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused.length).toBeGreaterThan(0)
      for (const { headers, text } of refused) {
        expect(text).toBe('{"error":"Too many requests"}')
        expect(headers.get("retry-after")).toMatch(/^[1-9]\d?$/)
      }
      // Another address, and one that forges its header's left side.
      expect((yield* create("dlk_x", "198.51.100.1")).status).toBe(401)
      expect((yield* create("dlk_x", "198.51.100.1, 203.0.113.10")).status).toBe(401)
      expect((yield* create(key.token, "198.51.100.1")).status).toBe(201)
    })
  )

  it.scopedLive("made-up keys from loopback: 401 for ever, and a forged header changes nothing", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      for (let i = 0; i < 150; i++) {
        const answer = yield* send(server, "POST", "/api/kyc/public/sessions", {
          headers: { "x-api-key": "dlk_x", ...behindProxy("203.0.113.9") }
        })
        expect([i, answer.status]).toEqual([i, 401])
      }
    })
  )

  it.scopedLive("failed sign-ins: 429 with Retry-After after repeated failures", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const login = send(server, "POST", "/api/auth/login", {
        json: { email: "nobody@example.com", password: "wrong" }
      })
      const answers = yield* Effect.replicateEffect(login, 20)
      const [first, last] = [answers.at(0), answers.at(-1)]
      expect([first?.status, first?.text]).toEqual([401, '{"error":"Invalid email or password"}'])
      expect([last?.status, last?.text]).toEqual([429, '{"error":"Too many requests"}'])
      expect(last?.headers.get("retry-after")).toMatch(/^[1-9]\d?$/)
    })
  )
})

describe("a failure budget", () => {
  const at = (burst: number, perMinute: number) => {
    let now = 0
    const budget = failureBudget(burst, perMinute, () => now)
    return {
      budget,
      pass: (milliseconds: number) => {
        now += milliseconds
      }
    }
  }

  it("lets the burst pass, then says how many seconds to wait", () => {
    const { budget, pass } = at(3, 6)
    expect([1, 2, 3, 4].map(() => budget.spend("a"))).toEqual([0, 0, 0, 10])
    pass(4_000)
    expect(budget.spend("a")).toBe(6)
    expect(budget.waitSeconds("a")).toBe(6)
    pass(6_000)
    expect([budget.waitSeconds("a"), budget.spend("a"), budget.spend("a")]).toEqual([0, 0, 10])
  })

  it("is kept per key", () => {
    const { budget } = at(1, 1)
    expect([budget.spend("a"), budget.spend("a"), budget.spend("b")]).toEqual([0, 60, 0])
  })

  it("takes a refund, but never holds more than the burst", () => {
    const { budget } = at(2, 1)
    budget.spend("a")
    for (let i = 0; i < 5; i++) budget.refund("a")
    expect([1, 2, 3].map(() => budget.spend("a") === 0)).toEqual([true, true, false])
  })

  it("forgets the key untouched for the longest, beyond 20,000", () => {
    const { budget } = at(1, 1)
    budget.spend("first")
    for (let i = 0; i < 20_000; i++) budget.spend(`${i}`)
    expect([budget.waitSeconds("first"), budget.waitSeconds("19999")]).toEqual([0, 60])
  })

  it("exempts loopback when it is per address", () => {
    const budget = perAddress(failureBudget(1, 1))
    for (const address of ["127.0.0.1", "::1"]) {
      expect([1, 2, 3].map(() => budget.spend(address))).toEqual([0, 0, 0])
      expect(budget.waitSeconds(address)).toBe(0)
    }
    expect([budget.spend("203.0.113.9"), budget.spend("203.0.113.9")]).toEqual([0, 60])
  })
})
