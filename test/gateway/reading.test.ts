/** Responses are read the same, however the network splits them. */
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { ChunkedDecoder } from "../../src/gateway/chunked.ts"
import { UpstreamFault } from "../../src/gateway/faults.ts"
import { parseResponseHead } from "../../src/gateway/response-head.ts"

const bytes = (text: string) => new Uint8Array(Buffer.from(text, "latin1"))

/** The data of a chunked body that comes in these pieces, and what was left over behind its end, or undefined. */
const decoded = (body: Uint8Array<ArrayBuffer>, cuts: ReadonlyArray<number>) => {
  const decoder = new ChunkedDecoder()
  const data: Array<Uint8Array> = []
  const marks = [...new Set([0, ...cuts.map((cut) => cut % (body.length + 1)), body.length])].sort(
    (a, b) => a - b
  )
  for (const [at, from] of marks.slice(0, -1).entries()) {
    const read = decoder.decode(body.subarray(from, marks[at + 1]), (piece) => data.push(piece))
    if (read !== -1) return { text: Buffer.concat(data).toString("latin1"), end: from + read }
  }
  return undefined
}

describe("chunked bodies", () => {
  it("give the same data however they are split", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1, maxLength: 40, unit: "binary-ascii" }), { maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.constantFrom("", "GET / HTTP/1.1\r\n\r\n"),
        (chunks, cuts, surplus) => {
          const body = `${chunks.map((chunk) => `${chunk.length.toString(16)};x=y\r\n${chunk}\r\n`).join("")}0\r\nX-T: 1\r\n\r\n`
          expect(decoded(bytes(body + surplus), cuts)).toEqual({ text: chunks.join(""), end: body.length })
        }
      ),
      { numRuns: 200 }
    )
  })

  it("do not end before their last byte", () => {
    const body = "5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n"
    for (let length = 0; length < body.length; length++) {
      expect(decoded(bytes(body.slice(0, length)), [])).toBeUndefined()
    }
    expect(decoded(bytes(body), [])).toEqual({ text: "hello", end: body.length })
  })

  for (const [name, body] of [
    ["no size", "\r\nhello\r\n"],
    ["a size that is no number", "xyz\r\n"],
    ["a size below zero", "-1\r\n"],
    ["a size with a prefix", "0x5\r\nhello\r\n"],
    ["a size that is larger than numbers are exact", "ffffffffffffff\r\n"],
    ["a size line that ends with LF alone", "5\nhello\r\n"],
    ["CR within a size line", "5\r;a\r\n"],
    ["more data than the size says", "5\r\nhello!\r\n"],
    ["data that ends with LF alone", "5\r\nhello\n0\r\n\r\n"],
    ["an extension without end", `5;${"a".repeat(5_000)}`],
    ["trailers without end", `0\r\n${"X-T: 1\r\n".repeat(3_000)}`]
  ] as const) {
    it(`with ${name} are invalid`, () => {
      for (const cuts of [[], [2, 3, 4]]) {
        expect(() => decoded(bytes(body), cuts)).toThrow(UpstreamFault)
      }
    })
  }
})

describe("heads", () => {
  const head = (lines: ReadonlyArray<string>, method = "GET") =>
    parseResponseHead(["HTTP/1.1 200 OK", ...lines].join("\r\n"), method)

  it("keep every line, in order, with names in lower case", () => {
    expect(head(["X-A: 1", "x-a:2 ", "X-B:", "Content-Length: 0"]).fields).toEqual([
      "x-a",
      "1",
      "x-a",
      "2",
      "x-b",
      "",
      "content-length",
      "0"
    ])
  })

  it("tell where the body ends", () => {
    expect(head(["Content-Length: 5"]).framing).toEqual({ _tag: "Length", bytes: 5 })
    expect(head(["Content-Length: 5", "Content-Length: 5"]).framing).toEqual({ _tag: "Length", bytes: 5 })
    expect(head(["Transfer-Encoding: Chunked"]).framing).toEqual({ _tag: "Chunked" })
    expect(head([]).framing).toEqual({ _tag: "UntilClose" })
    expect(head(["Content-Length: 5"], "HEAD").framing).toEqual({ _tag: "Empty" })
    expect(parseResponseHead("HTTP/1.1 204 X\r\nTransfer-Encoding: chunked", "GET").framing).toEqual({
      _tag: "Empty"
    })
    expect(parseResponseHead("HTTP/1.1 304 X\r\nContent-Length: 5", "GET").framing).toEqual({ _tag: "Empty" })
  })

  it("tell whether the connection can be reused", () => {
    expect(head(["Content-Length: 0"]).persistent).toBe(true)
    expect(head(["Content-Length: 0", "Connection: x", "Connection: CLOSE"]).persistent).toBe(false)
    expect(head([]).persistent).toBe(false)
    expect(
      parseResponseHead("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive", "GET").persistent
    ).toBe(false)
    expect(head(["Content-Length: 0", "Keep-Alive: max=5, timeout=9"]).keepAliveSeconds).toBe(9)
  })

  it("of any content are read or refused", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), (octets) => {
        const text = Buffer.from(octets).toString("latin1")
        try {
          parseResponseHead(`HTTP/1.1 200 OK\r\n${text}`, "GET")
        } catch (cause) {
          expect(cause).toBeInstanceOf(UpstreamFault)
        }
      }),
      { numRuns: 1_000 }
    )
  })
})
