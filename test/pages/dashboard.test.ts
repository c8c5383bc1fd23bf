import { brotliDecompressSync } from "node:zlib"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

const get = (path: string) =>
  Effect.flatMap(TestServer, ({ url }) =>
    // Bun would decompress the response, but the test needs its compressed size.
    Effect.promise(() => fetch(url + path, { headers: { "accept-encoding": "br" }, decompress: false }))
  )

const text = (response: Response) =>
  Effect.promise(async () =>
    response.headers.get("content-encoding") === "br"
      ? brotliDecompressSync(await response.bytes()).toString()
      : response.text()
  )

const addresses = (content: string, pattern: RegExp) =>
  [...content.matchAll(pattern)].map(([, name]) => `/dashboard/assets/${name}`)

/** The scripts that a minified script needs, at once or later. */
const imports = (content: string) => addresses(content, /(?:from|import)\(?"\.\/([^"]+)"/g)

suite(TestServer.layer)("/dashboard", (it) => {
  it.effect("is one page for every path below it, with nothing inline and nothing from other origins", () =>
    Effect.gen(function* () {
      const html = yield* Effect.flatMap(get("/dashboard"), text)
      for (const path of [
        "/dashboard/keys",
        "/dashboard/instances/x/edit",
        "/dashboard/%3Cscript%3E",
        "/dashboard?a=b"
      ]) {
        const response = yield* get(path)
        expect(response.status, path).toBe(200)
        expect(yield* text(response), path).toBe(html)
      }
      expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script>|<script(?! type="module" src=)/)
      const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address ?? "")
      expect(addresses.filter((address) => !address.startsWith("/dashboard/assets/"))).toEqual([
        expect.stringMatching(/^\/assets\/figtree-[\d.]+\.woff2$/),
        "/docs"
      ])
    })
  )

  it.effect("no part of it has server code, and browsers cache all for ever", () =>
    Effect.gen(function* () {
      const html = yield* Effect.flatMap(get("/dashboard"), text)
      const named = [...html.matchAll(/(?:href|src)="(\/dashboard\/assets\/[^"]*)"/g)]
      const files = new Set<string>()
      const read = (address: string): Effect.Effect<void, never, TestServer> =>
        Effect.gen(function* () {
          if (files.has(address)) return
          files.add(address)
          const response = yield* get(address)
          expect(response.status, address).toBe(200)
          expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
          const packed = yield* Effect.promise(() => response.bytes())
          const content = brotliDecompressSync(packed).toString()
          for (const word of ["HttpApi", "effect/", "postgres", "token_hash"])
            expect(content).not.toContain(word)
          for (const part of imports(content)) yield* read(part)
        })
      for (const [, address = ""] of named) yield* read(address)
      expect(files.size).toBeGreaterThan(20)
    })
  )

  it.effect("404, which no browser keeps, for a script of another version", () =>
    Effect.gen(function* () {
      for (const name of ["overview-00000000.js", "..%2fdashboard.ts", "dashboard.ts"]) {
        const response = yield* get(`/dashboard/assets/${name}`)
        expect(response.status, name).toBe(404)
        expect(response.headers.get("cache-control"), name).toBe("no-store")
      }
    })
  )
})
