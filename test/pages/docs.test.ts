import { brotliDecompressSync } from "node:zlib"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { DocsServer, layer as docsServer } from "../support/browser/docs-server.ts"

const get = (path: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(DocsServer, (origin) =>
    // Bun would decompress the response and drop its content-encoding, which the test checks.
    Effect.promise(() => fetch(`${origin}${path}`, { headers, decompress: false }))
  )

const text = (response: Response) => Effect.promise(() => response.text())
const bytes = (response: Response) => Effect.promise(() => response.bytes())

const identity = { "accept-encoding": "identity" }

/** Every address the page's HTML names. */
const addresses = (html: string) =>
  [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address ?? "")

const assets = [
  ["swagger-ui.css", "text/css; charset=utf-8", ".swagger-ui"],
  ["swagger-ui-bundle.js", "text/javascript; charset=utf-8", "SwaggerUIBundle"],
  ["docs.css", "text/css; charset=utf-8", "--"],
  ["docs.js", "text/javascript; charset=utf-8", "SwaggerUIBundle("],
  ["docs.svg", "image/svg+xml", "<svg"]
] as const

layer(docsServer)("/docs", (it) => {
  it.effect("is a page with a policy that permits its own origin only, and no inline script or style", () =>
    Effect.gen(function* () {
      const response = yield* get("/docs")
      expect(response.status).toBe(200)
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8")
      expect(response.headers.get("referrer-policy")).toBe("no-referrer")
      expect(response.headers.get("x-content-type-options")).toBe("nosniff")
      const policy = response.headers.get("content-security-policy") ?? ""
      expect(policy).toMatch(/^default-src 'none'; /)
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
      const html = yield* text(response)
      expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script>|<script(?! src=)/)
    })
  )

  it.effect("links to no other origin, and only to addresses that respond", () =>
    Effect.gen(function* () {
      const html = yield* Effect.flatMap(get("/docs"), text)
      expect(html).not.toMatch(/(https?:)?\/\/\w/)
      const named = addresses(html)
      expect(named).toHaveLength(assets.length + 1)
      for (const address of named) {
        expect(address).toMatch(/^\/(docs\/assets\/|openapi\.json$)/)
        expect((yield* get(address)).status, address).toBe(200)
      }
    })
  )

  it.effect("tells a reader without JavaScript where the document is", () =>
    Effect.map(Effect.flatMap(get("/docs"), text), (html) => {
      expect(html).toContain('<a href="/openapi.json">')
    })
  )

  for (const [name, contentType, content] of assets) {
    const path = `/docs/assets/${name}`

    it.effect(`serves ${name} plain and compressed, as two representations of one content`, () =>
      Effect.gen(function* () {
        // Each is read before the next request, whose compression may take a while.
        const read = (headers: Record<string, string>) =>
          Effect.flatMap(get(path, headers), (response) =>
            Effect.map(bytes(response), (body) => [response, body] as const)
          )
        const [plain, whole] = yield* read(identity)
        const [packed, gzipped] = yield* read({ "accept-encoding": "deflate;q=1.0, gzip;q=0.8" })
        const [small, brotli] = yield* read({ "accept-encoding": "gzip, deflate, br" })
        for (const response of [plain, packed, small]) {
          expect(response.status).toBe(200)
          expect(response.headers.get("content-type")).toBe(contentType)
          expect(response.headers.get("vary")).toBe("Accept-Encoding")
          expect(response.headers.get("x-content-type-options")).toBe("nosniff")
          expect(response.headers.get("etag")).toMatch(/^"[\w-]+"$/)
        }
        expect(plain.headers.get("content-encoding")).toBeNull()
        expect(packed.headers.get("content-encoding")).toBe("gzip")
        expect(small.headers.get("content-encoding")).toBe("br")
        expect(new Set([plain, packed, small].map(({ headers }) => headers.get("etag"))).size).toBe(3)
        expect(new TextDecoder().decode(whole)).toContain(content)
        // Not `toEqual`, which takes seconds to walk the bundle byte by byte.
        expect(Buffer.from(Bun.gunzipSync(gzipped)).equals(whole)).toBe(true)
        expect(brotliDecompressSync(brotli).equals(whole)).toBe(true)
      })
    )

    it.effect(`answers 304 for a ${name} the client has`, () =>
      Effect.gen(function* () {
        for (const encoding of ["identity", "gzip", "br", "zstd"]) {
          const accept = { "accept-encoding": encoding }
          const first = yield* get(path, accept)
          yield* bytes(first)
          const etag = first.headers.get("etag") ?? ""
          for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
            const again = yield* get(path, { ...accept, "if-none-match": known })
            expect(again.status, known).toBe(304)
            expect(again.headers.get("etag")).toBe(etag)
            expect(again.headers.get("vary")).toBe("Accept-Encoding")
            expect(again.headers.get("cache-control")).toBe(first.headers.get("cache-control"))
            expect(yield* text(again)).toBe("")
          }
          expect((yield* get(path, { ...accept, "if-none-match": '"other"' })).status).toBe(200)
        }
      })
    )
  }

  it.effect("lets only the address with the content's hash be cached for ever", () =>
    Effect.gen(function* () {
      const html = yield* Effect.flatMap(get("/docs"), text)
      const versioned = addresses(html).find((address) => address.includes("docs.css")) ?? ""
      const caching = (path: string) =>
        Effect.map(get(path), (response) => response.headers.get("cache-control"))
      expect(yield* caching(versioned)).toBe("public, max-age=31536000, immutable")
      expect(yield* caching("/docs/assets/docs.css")).toBe("public, max-age=60")
      expect(yield* caching("/docs/assets/docs.css?v=0123456789abcdef")).toBe("public, max-age=60")
    })
  )

  it.effect("compresses only for clients that accept it", () =>
    Effect.gen(function* () {
      for (const accept of ["", "deflate", "gzip;q=0", "gzip; q=0.000, br;q=0", "x-gzipped"]) {
        const response = yield* get("/docs/assets/docs.css", { "accept-encoding": accept })
        expect(response.headers.get("content-encoding"), accept).toBeNull()
      }
    })
  )

  it.effect("serves no other file of the packages or the sources", () =>
    Effect.gen(function* () {
      for (const path of [
        "/docs/assets/",
        "/docs/assets/index.html",
        "/docs/assets/docs.ts",
        "/docs/assets/docs.ts",
        "/docs/assets/..%2fdocs.ts",
        "/docs/assets/%2e%2e/docs.ts",
        "/docs/assets/swagger-ui-bundle.js.map",
        "/docs/assets/docs.css/x"
      ]) {
        expect((yield* get(path)).status, path).toBe(404)
      }
    })
  )
})
