/**
 * A gigabyte through the gateway in each direction, a quarter of that at CI size: the process streams it and does not store
 * it.
 */
import { connect } from "node:net"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { send, signUp } from "../support/client.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { watchedGrowth } from "../support/machine/growth.ts"
import { rawUpstream } from "../support/marketplace/gateway.ts"
import { addPlan, addVersion, publish, publisherOn } from "../support/marketplace/publisher.ts"
import { subscribed, subscriberOf } from "../support/marketplace/subscriptions.ts"
import { runOn } from "../support/program.ts"
import { sized } from "../support/run/fault-size.ts"

const megabyte = 1_048_576
const total = sized(256, 1024) * megabyte
const size = `${total / megabyte} MB`
const piece = Buffer.alloc(megabyte / 4, 97)

/** What passes is garbage until the next collection, so that memory grows by some tens of MB, depending on its time. */
const most = 128 * megabyte

/** Passed on first: what the first megabytes take is taken once, however many follow. */
const first = 64 * megabyte

/** Writes this many bytes as fast as the receiver accepts them. */
const pour = (
  socket: {
    readonly write: (bytes: Buffer) => boolean
    readonly once: (event: "drain", listener: () => void) => unknown
  },
  bytes: number
) => {
  let left = bytes
  const more = () => {
    while (left > 0) {
      left -= piece.length
      if (!socket.write(piece)) return void socket.once("drain", more)
    }
  }
  more()
}

/** The gateway as a program, an upstream that gives and takes `total`, and a key for it. */
const scene = Effect.gen(function* () {
  let taken = 0
  const upstream = yield* rawUpstream({
    connected: (socket) => {
      let heads = 0
      socket.on("data", (bytes) => {
        if (bytes.includes("GET ") && heads++ === 0) {
          const length = bytes.includes("/first") ? first : total
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`)
          pour(socket, length)
          return
        }
        taken += bytes.length
        if (taken > total) socket.end("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\ndone")
      })
    }
  })
  const databaseUrl = yield* freshDatabase
  const server = yield* runOn(databaseUrl, {
    SIGNUP: "open",
    SEED_DEMO: "false",
    GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true"
  })
  const publisher = yield* publisherOn(server)
  const api = yield* publisher.newApi()
  yield* addVersion(publisher, api, { upstreamUrl: upstream.url })
  const planId = yield* addPlan(publisher, api)
  yield* publish(publisher, api)
  const { subscribe } = subscriberOf(server, yield* signUp(server))
  const { token } = subscribed(yield* subscribe({ id: api.id, planId }))
  const { hostname, port } = new URL(server.url)
  /** A connection with a request that has begun. */
  const begin = (method: string, fields: string, path = "x") =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const socket = connect(Number(port), hostname)
        socket.on("error", () => {})
        socket.write(
          `${method} /gateway/${publisher.slug}/${api.slug}/v/1/${path} HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${token}\r\n${fields}\r\n`
        )
        return socket
      }),
      (socket) => Effect.sync(() => socket.destroy())
    )
  // One-time allocations do not count: pools, caches, compiled code, buffers.
  for (let times = 0; times < 50; times++) yield* send(server, "GET", "/healthz")
  yield* Effect.scoped(
    Effect.gen(function* () {
      let got = 0
      const socket = yield* begin("GET", "", "first")
      socket.on("data", (bytes) => {
        got += bytes.length
      })
      yield* eventually("the first of it", () => got > first)
    })
  )
  return { server, begin }
})

it.scopedLive(`${size} down: memory grows by less than 128 MB`, () =>
  Effect.gen(function* () {
    const { begin, server } = yield* scene
    let got = 0
    const all = Effect.gen(function* () {
      const socket = yield* begin("GET", "")
      socket.on("data", (bytes) => {
        got += bytes.length
      })
      yield* eventually("all of it", () => got > total)
    })
    const growth = yield* watchedGrowth(server.pid)
    yield* all
    expect(growth(), "bytes by which memory grew").toBeLessThan(most)
  })
)

it.scopedLive(`${size} up: memory grows by less than 128 MB`, () =>
  Effect.gen(function* () {
    const { begin, server } = yield* scene
    let answer = ""
    const all = Effect.gen(function* () {
      const socket = yield* begin("POST", `Content-Length: ${total}\r\n`)
      socket.on("data", (bytes) => {
        answer += bytes.toString()
      })
      pour(socket, total)
      yield* eventually("the answer", () => answer.endsWith("done"))
    })
    const growth = yield* watchedGrowth(server.pid)
    yield* all
    expect(growth(), "bytes by which memory grew").toBeLessThan(most)
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK/)
  })
)
