/** Connections that never come about: each ends with its time, its descriptor with it, and only so many are tried at once. */
import { createServer } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { UpstreamFault } from "../../src/gateway/faults.ts"
import { Pool } from "../../src/gateway/pool.ts"
import type { Caller } from "../../src/gateway/shares.ts"
import { upstreamOf } from "../../src/gateway/upstream.ts"
import { openBlackHole } from "../support/black-hole.ts"

const caller: Caller = { subscriberId: "subscriber", publisherId: "publisher" }

const originOf = (url: string) => upstreamOf(new URL(url)).origin

const outcomeOf = (dialled: Promise<unknown>): Promise<unknown> =>
  dialled.then(
    () => "connected",
    (fault: unknown) => (fault instanceof UpstreamFault ? fault.type : fault)
  )

describe("an address where nobody answers", () => {
  for (const scheme of ["http", "https"]) {
    it.scopedLive(`${scheme}: a dial ends with its time and leaves no descriptor`, () =>
      Effect.gen(function* () {
        const hole = yield* openBlackHole
        const pool = new Pool(async () => ["127.0.0.1"])
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

  it.scopedLive("is left for the next address of the name, and leaves no descriptor", () =>
    Effect.gen(function* () {
      const hole = yield* openBlackHole
      const pool = new Pool(async () => ["127.0.0.1", "127.0.0.1"])
      const outcome = yield* Effect.promise(() =>
        outcomeOf(pool.dial(originOf(`http://two.test:${hole.port}`), 40, caller))
      )
      expect(outcome).toBe("connection_timeout")
      expect(yield* Effect.promise(hole.dials)).toBe(0)
      pool.close()
    })
  )

  it.scopedLive("that is reached and never speaks TLS is hung up on", () =>
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
      const pool = new Pool(async () => ["127.0.0.1"])
      expect(
        yield* Effect.promise(() => outcomeOf(pool.dial(originOf(`https://mute.test:${port}`), 200, caller)))
      ).toBe("connection_timeout")
      yield* Effect.promise(() => ended.promise)
      pool.close()
    })
  )
})
