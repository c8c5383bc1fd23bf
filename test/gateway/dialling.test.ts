/** Connections that are never established: each ends at its timeout and frees its descriptor, and only some are tried at once. */
import { createServer } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Call } from "../../src/gateway/call.ts"
import { exchange } from "../../src/gateway/exchange.ts"
import { UpstreamFault } from "../../src/gateway/faults.ts"
import { Pool } from "../../src/gateway/pool.ts"
import type { Caller } from "../../src/gateway/shares.ts"
import { upstreamOf } from "../../src/gateway/upstream.ts"
import { Deadlines } from "../../src/limits/deadlines.ts"
import { openBlackHole } from "../support/machine/black-hole.ts"
import { rawUpstream } from "../support/marketplace/gateway.ts"
import { patientTiming } from "../support/timing.ts"

const caller: Caller = { subscriberId: "subscriber", publisherId: "publisher" }

const originOf = (url: string) => upstreamOf(new URL(url)).origin

const outcomeOf = (dialled: Promise<unknown>): Promise<unknown> =>
  dialled.then(
    () => "connected",
    (fault: unknown) => (fault instanceof UpstreamFault ? fault.type : fault)
  )

describe("an address that does not respond", () => {
  for (const scheme of ["http", "https"]) {
    it.scopedLive(`${scheme}: a dial ends at its timeout and leaks no descriptor`, () =>
      Effect.gen(function* () {
        const hole = yield* openBlackHole
        const pool = new Pool(async () => ["127.0.0.1"], patientTiming)
        const dials = Array.from({ length: 20 }, (_, at) =>
          outcomeOf(pool.dial(originOf(`${scheme}://n${at}.test:${hole.port}`), 20, caller))
        )
        const outcomes = yield* Effect.promise(() => Promise.all(dials))
        expect(new Set(outcomes)).toEqual(new Set(["connection_timeout"]))
        expect(yield* Effect.promise(hole.dials)).toBe(0)
        pool.close()
      })
    )
  }

  it.scopedLive("that accepts the connection but never speaks TLS is disconnected", () =>
    Effect.gen(function* () {
      const ended = Promise.withResolvers<void>()
      const server = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const listening = createServer((socket) => {
            socket.resume()
            socket.on("error", () => {}).on("close", () => ended.resolve())
          })
          await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve))
          return listening
        }),
        (listening) => Effect.sync(() => void listening.close())
      )
      const bound = server.address()
      const port = typeof bound === "object" ? bound?.port : undefined
      const pool = new Pool(async () => ["127.0.0.1"], patientTiming)
      expect(
        yield* Effect.promise(() => outcomeOf(pool.dial(originOf(`https://mute.test:${port}`), 200, caller)))
      ).toBe("connection_timeout")
      yield* Effect.promise(() => ended.promise)
      pool.close()
    })
  )
})

describe("a name whose lookup does not end", () => {
  it("is given up at the call's timeout, and makes room for others", async () => {
    const pool = new Pool(() => Promise.withResolvers<never>().promise, patientTiming, undefined, 1)
    for (const name of ["one", "another"]) {
      expect(await outcomeOf(pool.dial(originOf(`http://${name}.test`), 20, caller))).toBe("dns_timeout")
    }
    pool.close()
  })
})

/** A pool of this many connections, in which lookups end when the test says so. */
const poolOf = (maxInAll: number) => {
  const { promise: looking, resolve } = Promise.withResolvers<ReadonlyArray<string>>()
  const pool = new Pool(() => looking, patientTiming, undefined, maxInAll)
  const outcomes: Array<unknown> = []
  let origins = 0
  /** Dials an upstream that nobody else has; whether that was refused at once. */
  const dial = async (who: Caller): Promise<boolean> => {
    const before = outcomes.length
    void outcomeOf(pool.dial(originOf(`http://n${origins++}.test`), 600_000, who)).then((outcome) =>
      outcomes.push(outcome)
    )
    await new Promise(setImmediate)
    if (outcomes.length > before) expect(outcomes.at(-1)).toBe("connection_limit_reached")
    return outcomes.length > before
  }
  return { pool, dial, end: () => resolve([]) }
}

describe("of the connections to all upstreams, whatever the number of origins,", () => {
  it("a subscriber has at most half, and there is room for the next", async () => {
    const { dial, end, pool } = poolOf(8)
    for (let i = 0; i < 4; i++) expect(await dial(caller)).toBe(false)
    expect(await dial(caller)).toBe(true)
    expect(await dial({ ...caller, subscriberId: "another" })).toBe(false)
    end()
    pool.close()
  })

  it("there are never too many, and closed ones are free again", async () => {
    const { dial, end, pool } = poolOf(4)
    const newcomer = (i: number) => ({ subscriberId: `s${i}`, publisherId: `p${i}` })
    for (let i = 0; i < 4; i++) expect(await dial(newcomer(i))).toBe(false)
    expect(await dial(newcomer(4))).toBe(true)
    end()
    await new Promise(setImmediate)
    const again = await outcomeOf(pool.dial(originOf("http://again.test"), 600_000, newcomer(5)))
    expect(again).toBe("dns_error")
    pool.close()
  })

  it.scopedLive("an idle connection is closed for a new one to any upstream", () =>
    Effect.gen(function* () {
      const pool = new Pool(async () => ["127.0.0.1"], patientTiming, undefined, 2)
      const upstreams = [yield* rawUpstream({}), yield* rawUpstream({}), yield* rawUpstream({})]
      const dial = (at: number, who: Caller) =>
        Effect.promise(() => pool.dial(originOf(upstreams[at]?.url ?? ""), 60_000, who))
      const idle = yield* dial(0, caller)
      pool.release(originOf(upstreams[0]?.url ?? ""), idle)
      const used = yield* dial(1, caller)
      expect(idle.isReusable).toBe(true)
      const another = yield* dial(2, { ...caller, subscriberId: "another" })
      expect([idle, used, another].map(({ isReusable }) => isReusable)).toEqual([false, true, true])
      for (const connection of [used, another]) connection.destroy()
      pool.close()
    })
  )
})

describe("a lookup that throws anything but an UpstreamFault", () => {
  it("ends the exchange once, with what was thrown", async () => {
    const thrown = new Error("injected")
    const pool = new Pool(() => Promise.reject(thrown), patientTiming)
    let ended = 0
    const call: Call = {
      origin: originOf("http://broken.test"),
      caller,
      method: "GET",
      head: "GET / HTTP/1.1\r\n\r\n",
      body: undefined,
      chunked: false,
      timeout: 600_000,
      idleTimeouts: { body: 600_000, events: 600_000, client: 600_000 },
      signal: () => new AbortController().signal,
      finished: () => void ended++
    }
    const deadlines = new Deadlines(() => performance.now(), patientTiming)
    await expect(exchange(call, pool, deadlines, patientTiming)).rejects.toBe(thrown)
    expect(ended).toBe(1)
    pool.close()
  })
})
