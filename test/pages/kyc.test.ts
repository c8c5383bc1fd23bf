import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { PageCompany } from "../support/browser/kyc-page.ts"
import { unknownId } from "../support/kyc/partner.ts"
import { suite } from "../support/suite.ts"

const get = (path: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(PageCompany, ({ server }) =>
    // Bun would decompress the response, but the test needs its compressed size.
    Effect.promise(() => fetch(server.url + path, { headers, decompress: false }))
  )

const text = (response: Response) => Effect.promise(() => response.text())
const bytes = (response: Response) => Effect.promise(() => response.bytes())

const brotli = { "accept-encoding": "gzip, deflate, br" }

const addresses = (html: string) =>
  [...html.matchAll(/(?:href|src|content)="(\/[^"]*)"/g)].map(([, address]) => address ?? "")

suite(PageCompany.layer)("/kyc/session/:id", (it) => {
  it.effect("has a policy for its own origin only, and is never cached", () =>
    Effect.gen(function* () {
      const { headers, status } = yield* get(`/kyc/session/${unknownId}?token=kyc_sess_x`)
      expect(status).toBe(200)
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'; " +
          "img-src 'self' blob: data:; media-src 'self' blob:; font-src 'self'; base-uri 'none'; form-action 'none'; " +
          "object-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types doorlock"
      )
      expect(headers.get("cache-control")).toBe("no-store")
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("x-robots-tag")).toBe("noindex")
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin")
      expect(headers.get("permissions-policy")).toBe("camera=(self), microphone=(), geolocation=()")
    })
  )

  it.effect("is the same for every id, and has no inline script or style", () =>
    Effect.gen(function* () {
      const { id } = yield* Effect.flatMap(PageCompany, ({ newSession }) => newSession())
      const html = yield* Effect.flatMap(get(`/kyc/session/${id}`), text)
      for (const other of [`/kyc/session/${unknownId}`, "/kyc/session/nonsense", `/kyc/session/${id}/done`]) {
        expect(yield* Effect.flatMap(get(other), text)).toBe(html)
      }
      expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script>|<script(?! type="module" src=)/)
      expect(html).not.toMatch(/(https?:)?\/\/\w/)
    })
  )

  it.effect("is smaller than 60 kB with all that it needs without a camera, in the longest language", () =>
    Effect.gen(function* () {
      const page = yield* get("/kyc/session/x")
      const html = yield* text(page)
      const named = addresses(html)
      expect(named).toHaveLength(16)
      let total = html.length
      const languages: Array<number> = []
      for (const address of named) {
        const response = yield* get(address, brotli)
        expect(response.status, address).toBe(200)
        expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
        expect(response.headers.get("content-encoding")).toBe("br")
        const { length } = yield* bytes(response)
        if (/\.json\?/.test(address)) languages.push(length)
        // Only the camera loads these.
        else if (!/\/(?:hints|face-weights|zones|zone-weights|barcodes)\./.test(address)) total += length
      }
      expect(languages).toHaveLength(5)
      expect(total + Math.max(...languages)).toBeLessThan(60_000)
    })
  )

  it.effect("lets what sees the camera's pictures connect to its own origin only", () =>
    Effect.gen(function* () {
      for (const [name, policy] of [
        ["hints", "default-src 'none'; connect-src 'self'"],
        ["zones", "default-src 'none'; connect-src 'self'"],
        ["barcodes", "default-src 'none'; script-src 'wasm-unsafe-eval'; connect-src 'self'"]
      ] as const) {
        const { headers } = yield* get(`/kyc/assets/${name}.js`)
        expect(headers.get("content-security-policy")).toBe(policy)
      }
    })
  )

  it.effect("does not serve its source files", () =>
    Effect.gen(function* () {
      for (const path of ["/kyc/assets/main.tsx", "/kyc/assets/", "/kyc/assets/xx.json"]) {
        expect((yield* get(path)).status, path).toBe(404)
      }
    })
  )
})
