/** Bodies pass byte for byte in their own coding, whichever way they are framed. */
import { createHash } from "node:crypto"
import type { Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/eventually.ts"
import {
  answering,
  bytesOf,
  call,
  converse,
  linesOf,
  rawUpstream,
  TestGateway
} from "../support/marketplace/gateway.ts"
import { suite } from "../support/suite.ts"

const text = Buffer.from("a body that compresses, a body that compresses, a body that compresses")

const answerOf = (lines: ReadonlyArray<string>, body: Uint8Array | string = "", status = "200 OK") =>
  Buffer.concat([bytesOf(`${[`HTTP/1.1 ${status}`, ...lines].join("\r\n")}\r\n\r\n`), bytesOf(body)])

const chunked = (...pieces: ReadonlyArray<Uint8Array | string>) =>
  Buffer.concat([
    ...pieces.flatMap((piece) => [
      bytesOf(`${bytesOf(piece).length.toString(16)}\r\n`),
      bytesOf(piece),
      bytesOf("\r\n")
    ]),
    bytesOf("0\r\n\r\n")
  ])

/** Octets that are not the same anywhere. */
const octets = (length: number) => {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length; at++) bytes[at] = (at * 31 + (at >> 8) * 17 + (at >> 16)) & 0xff
  return bytes
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

suite(TestGateway.layer)("bodies", (it) => {
  const answered = (answer: Uint8Array, method = "GET") =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const upstream = yield* answering(answer)
      return yield* call(gateway, gateway.publish(upstream.url), { method })
    })

  it.scoped("compressed: neither decoded nor relabelled", () =>
    Effect.gen(function* () {
      const body = gzipSync(text)
      for (const framed of [
        answerOf(["Content-Encoding: gzip", `Content-Length: ${body.length}`], body),
        answerOf(["Content-Encoding: gzip", "Transfer-Encoding: chunked"], chunked(body))
      ]) {
        const answer = yield* answered(framed)
        expect(linesOf(answer, "content-encoding")).toEqual(["gzip"])
        expect(answer.body.equals(body)).toBe(true)
      }
    })
  )

  for (const size of [0, 1, 65_536]) {
    it.scoped(`${size} bytes: with their length, and a type`, () =>
      Effect.gen(function* () {
        const body = octets(size)
        const answer = yield* answered(answerOf(["Content-Type: a/b", `Content-Length: ${size}`], body))
        expect(linesOf(answer, "content-length")).toEqual([String(size)])
        expect(linesOf(answer, "transfer-encoding")).toEqual([])
        expect(linesOf(answer, "content-type")).toEqual(["a/b"])
        expect(answer.body.equals(body)).toBe(true)
      })
    )
  }

  for (const size of [65_537, 1_000_000]) {
    it.scoped(`${size} bytes: streamed`, () =>
      Effect.gen(function* () {
        const body = octets(size)
        const answer = yield* answered(answerOf([`Content-Length: ${size}`], body))
        expect(linesOf(answer, "transfer-encoding")).toEqual(["chunked"])
        expect(linesOf(answer, "content-type")).toEqual([])
        expect(sha256(answer.body)).toBe(sha256(body))
      })
    )
  }

  it.scoped("a body that ends with the connection", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const body = octets(100_000)
      for (const version of ["1.0", "1.1"]) {
        const upstream = yield* rawUpstream({
          whole: (socket) => void socket.end(Buffer.concat([bytesOf(`HTTP/${version} 200 OK\r\n\r\n`), body]))
        })
        const answer = yield* call(gateway, gateway.publish(upstream.url))
        expect(sha256(answer.body)).toBe(sha256(body))
      }
    })
  )

  it.scoped("chunks, extensions and trailers: only the data arrives", () =>
    Effect.gen(function* () {
      const answer = yield* answered(
        answerOf(
          ["Transfer-Encoding: chunked", "Trailer: X-Sum"],
          "2;a=b\r\nhe\r\n003 ; c\r\nllo\r\n0;last\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n"
        )
      )
      expect(answer.body.toString()).toBe("hello")
      expect(linesOf(answer, "x-sum")).toEqual([])
    })
  )

  it.scoped("interim responses are skipped", () =>
    Effect.gen(function* () {
      const answer = yield* answered(
        bytesOf(
          "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n" +
            "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok"
        )
      )
      expect(answer.start).toBe("HTTP/1.1 201 Created")
      expect(linesOf(answer, "link")).toEqual([])
      expect(answer.body.toString()).toBe("ok")
    })
  )

  it.scoped("HEAD: the Content-Length of a GET, and no body", () =>
    Effect.gen(function* () {
      const answer = yield* answered(answerOf(["Content-Length: 1234", "Content-Type: a/b"]), "HEAD")
      expect(answer.start).toBe("HTTP/1.1 200 OK")
      expect(linesOf(answer, "content-length")).toEqual(["1234"])
      expect(linesOf(answer, "content-type")).toEqual(["a/b"])
      expect(answer.body.length).toBe(0)
    })
  )

  it.scoped("204 and 304 have no body, and the connection is reused", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const answers = [
        "HTTP/1.1 204 No Content\r\n\r\n",
        'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\nContent-Length: 7\r\n\r\n',
        "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
      ]
      const upstream = yield* answering(() => answers.shift() ?? "")
      const path = gateway.publish(upstream.url)
      const octetsOf = (lines: string) =>
        Effect.map(converse(gateway, lines), (bytes) => bytes.toString("latin1"))
      const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nx-api-key: dk_live_good\r\n\r\n`
      const noContent = yield* octetsOf(request)
      expect(noContent).toMatch(/^HTTP\/1\.1 204 No Content\r\n/)
      expect(noContent).not.toMatch(/content-length|transfer-encoding/i)
      expect(noContent).toMatch(/\r\n\r\n$/)
      const notModified = yield* octetsOf(request)
      expect(notModified).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n/)
      expect(notModified).toMatch(/\r\ncontent-length: 7\r\n/i)
      expect(notModified).toMatch(/\r\n\r\n$/)
      expect(yield* octetsOf(request)).toMatch(/^HTTP\/1\.1 205 Reset Content\r\n[\s\S]*\r\n\r\n$/)
      expect((yield* call(gateway, path)).body.toString()).toBe("ok")
      expect(upstream.connections()).toBe(1)
    })
  )

  it.scoped("a body longer than its Content-Length is cut, and the connection is not reused", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      const upstream = yield* answering(
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nforged"
      )
      const path = gateway.publish(upstream.url)
      for (const connections of [1, 2]) {
        expect((yield* call(gateway, path)).body.toString()).toBe("ok")
        expect(upstream.connections()).toBe(connections)
      }
    })
  )

  it.scoped("an unsolicited response is never used", () =>
    Effect.gen(function* () {
      const gateway = yield* TestGateway
      let connection: Socket | undefined
      const upstream = yield* rawUpstream({
        whole: (socket) => {
          connection = socket
          socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
      })
      const path = gateway.publish(upstream.url)
      expect((yield* call(gateway, path)).body.toString()).toBe("ok")
      expect(upstream.open()).toBe(1)
      connection?.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged")
      yield* eventually("it is hung up on", () => upstream.open() === 0)
      expect((yield* call(gateway, path)).body.toString()).toBe("ok")
    })
  )
})
