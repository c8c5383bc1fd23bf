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

const text = (response: Response) => Effect.promise(() => response.text())

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
      expect(addresses.filter((address) => !address.startsWith("/dashboard/assets/"))).toEqual(["/docs"])
    })
  )

  it.effect("is smaller than 84 kB, contains no server code, and is cached by browsers for ever", () =>
    Effect.gen(function* () {
      const html = yield* Effect.flatMap(get("/dashboard"), text)
      let total = html.length
      const named = [...html.matchAll(/(?:href|src)="(\/dashboard\/assets\/[^"]*)"/g)]
      expect(named).toHaveLength(3)
      for (const [, address = ""] of named) {
        const response = yield* get(address)
        expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
        const packed = yield* Effect.promise(() => response.bytes())
        total += packed.length
        const content = brotliDecompressSync(packed).toString()
        for (const word of ["HttpApi", "effect/", "postgres", "token_hash"])
          expect(content).not.toContain(word)
      }
      expect(total).toBeLessThan(84_000)
      expect(total).toBeGreaterThan(20_000)
    })
  )
})
