/** The headers that every page has. Each page's own policy is tested with that page. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "../support/client.ts"
import { unknownId } from "../support/kyc/partner.ts"
import { TestServer } from "../support/server.ts"
import { suite } from "../support/suite.ts"

const pages = [
  "/",
  "/dashboard",
  "/dashboard/preview",
  "/docs",
  "/docs/operations/kyc-session-creation.create",
  `/kyc/session/${unknownId}`,
  `/kyc/session/${unknownId}/done`
]

suite(TestServer.layer)("pages", (it) => {
  it.effect("are isolated from their opener, and state their type and charset", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      for (const path of pages) {
        const { headers, status } = yield* send(server, "GET", path)
        expect([path, status]).toEqual([path, 200])
        expect(Object.fromEntries(headers), path).toMatchObject({
          "cross-origin-opener-policy": "same-origin",
          "cross-origin-resource-policy": "same-origin",
          "content-type": "text/html; charset=utf-8",
          "x-content-type-options": "nosniff"
        })
        const policy = (headers.get("content-security-policy") ?? "").split("; ")
        expect(policy, path).toEqual(
          expect.arrayContaining([
            "default-src 'none'",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'none'"
          ])
        )
        // Nothing inline, nothing evaluated, nothing from elsewhere; on a page without scripts, none at all.
        const scripts = policy.filter((directive) => directive.startsWith("script-src"))
        expect(scripts, path).toEqual(path === "/" ? [] : ["script-src 'self'"])
        const styles = policy.filter((directive) => directive.startsWith("style-src"))
        expect(styles, path).toEqual(["style-src 'self'"])
      }
    })
  )
})
