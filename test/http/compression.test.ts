/** Compression: what is declared to hold no secret, by `Accept-Encoding`; nothing else ever. */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Coding, codingFor, codings } from "../../src/http/runtime/coding.ts"
import { routes } from "../support/contract.ts"
import { Partner } from "../support/kyc/partner.ts"
import { suite } from "../support/suite.ts"

const unpack: Readonly<Record<Coding, (bytes: Uint8Array) => Buffer>> = {
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  gzip: gunzipSync
}

interface Received {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
}

/** A request whose answer is left as it comes. */
const get = (
  url: string,
  headers: Readonly<Record<string, string>>,
  init: { readonly method?: string; readonly body?: string } = {}
): Effect.Effect<Received> =>
  Effect.promise(async () => {
    const response = await fetch(url, { ...init, headers, decompress: false })
    return { status: response.status, headers: response.headers, bytes: await response.bytes() }
  })

const textOf = ({ bytes, headers }: Received): string => {
  const coding = codings.find((one) => one === headers.get("content-encoding"))
  return (coding === undefined ? Buffer.from(bytes) : unpack[coding](bytes)).toString()
}

describe("the chosen content coding", () => {
  for (const [header, chosen] of [
    [undefined, undefined],
    ["identity", undefined],
    ["gzip", "gzip"],
    ["GZIP", "gzip"],
    ["x-gzip", "gzip"],
    ["gzip, deflate, br, zstd", "br"],
    ["br;q=0.1, gzip", "gzip"],
    ["gzip;q=0", undefined],
    ["gzip;q=0.2, identity;q=0.8", undefined],
    ["*", "gzip"],
    ["identity;q=0, *", "gzip"],
    ["*, zstd", "zstd"],
    ["*;q=0", undefined],
    ["gzip;q=nonsense", undefined],
    ["gzip ; q=0.5 , zstd ; q=0.9", "zstd"]
  ] as const) {
    it(`${header}: ${chosen ?? "none"}`, () => expect(codingFor(header, codings)).toBe(chosen))
  }
})

it("a compressed route has no secret in its example, and changes nothing", () => {
  const wrong = routes.flatMap(({ metadata, method, name }) => {
    if (!metadata.compressed) return []
    const shown = JSON.stringify(metadata.example?.response)
    const secret =
      /"(?:token|sessionToken|verificationUrl|secret)":|"url":"http|(?:dlk|dls|dli|kyc_sess|kyc_hand)_\w{20}|dk_(?:live|test)_\w{20}/
    return method !== "GET" || secret.test(shown) ? [name] : []
  })
  expect(wrong).toEqual([])
  expect(routes.filter(({ metadata }) => metadata.compressed).length).toBeGreaterThan(10)
})

suite(Partner.layer)("compression", (it) => {
  for (const coding of codings) {
    it.effect(`/openapi.json as ${coding}: the same document, with a tag of its own`, () =>
      Effect.gen(function* () {
        const { server } = yield* Partner
        const url = `${server.url}/openapi.json`
        const plain = yield* get(url, { "accept-encoding": "identity" })
        const packed = yield* get(url, { "accept-encoding": coding })
        expect([plain.status, packed.status]).toEqual([200, 200])
        expect(plain.headers.get("content-encoding")).toBeNull()
        expect(packed.headers.get("content-encoding")).toBe(coding)
        for (const { headers } of [plain, packed]) expect(headers.get("vary")).toBe("Accept-Encoding")
        expect(textOf(packed)).toBe(textOf(plain))
        expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 5)
        expect(Number(packed.headers.get("content-length"))).toBe(packed.bytes.length)
        const tag = packed.headers.get("etag") ?? ""
        expect(tag).not.toBe(plain.headers.get("etag"))
        const known = { "accept-encoding": coding, "if-none-match": tag }
        const unchanged = yield* get(url, known)
        expect([unchanged.status, unchanged.bytes.length]).toEqual([304, 0])
        expect(unchanged.headers.get("etag")).toBe(tag)
        expect(unchanged.headers.get("vary")).toBe("Accept-Encoding")
        // The tag of other bytes is another tag.
        expect((yield* get(url, { ...known, "accept-encoding": "identity" })).status).toBe(200)
        const head = yield* get(url, { "accept-encoding": coding }, { method: "HEAD" })
        expect([head.status, head.bytes.length]).toEqual([200, 0])
        for (const name of ["content-encoding", "etag", "vary", "content-length"]) {
          expect(head.headers.get(name)).toBe(packed.headers.get(name))
        }
      })
    )
  }

  it.effect(
    "a response with a token, or an error, is never compressed, whatever its length or Accept-Encoding",
    () =>
      Effect.gen(function* () {
        const { instance, key, member, server } = yield* Partner
        const accepting = { "accept-encoding": "br, gzip, identity;q=0", "content-type": "application/json" }
        const post = (path: string, headers: Readonly<Record<string, string>>, json: unknown) =>
          get(server.url + path, { ...accepting, ...headers }, { method: "POST", body: JSON.stringify(json) })
        const answers = [
          yield* post(
            "/api/kyc/public/sessions",
            { "x-api-key": key.token },
            {
              instanceId: instance.id,
              metadata: { long: "a".repeat(4_000) }
            }
          ),
          yield* post(
            "/api/api-keys",
            { cookie: member.cookie },
            {
              name: "long",
              scopes: Array.from({ length: 100 }, (_, i) => `kyc:sessions:${"x".repeat(40)}${i}`)
            }
          ),
          yield* post(
            "/api/invitations",
            { cookie: member.cookie },
            { email: "someone@example.com", role: "member" }
          ),
          yield* get(`${server.url}/api/kyc/instances`, accepting)
        ]
        expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 401])
        expect(answers[1]?.bytes.length).toBeGreaterThan(4_000)
        for (const { headers } of answers) expect(headers.get("content-encoding")).toBeNull()
      })
  )
})
