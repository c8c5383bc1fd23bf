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
  "/dashboard/keys",
  "/dashboard/preview",
  "/docs",
  "/docs/events",
  "/docs/operations/kyc-session-creation.create",
  `/kyc/session/${unknownId}`,
  `/kyc/session/${unknownId}/done`
]

suite(TestServer.layer)("pages", (it) => {
  for (const path of pages) {
    it.effect(
      `${path.replace(unknownId, ":id")} is isolated from its opener, and states its type and charset`,
      () =>
        Effect.gen(function* () {
          const { headers, status } = yield* send(yield* TestServer, "GET", path)
          expect(status).toBe(200)
          expect(headers.get("cross-origin-opener-policy")).toBe("same-origin")
          expect(headers.get("cross-origin-resource-policy")).toBe("same-origin")
          expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
          expect(headers.get("x-content-type-options")).toBe("nosniff")
          const policy = (headers.get("content-security-policy") ?? "").split("; ")
          for (const directive of [
            "default-src 'none'",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'none'"
          ]) {
            expect(policy).toContain(directive)
          }
          // Nothing inline, nothing evaluated, nothing from elsewhere; on a page without scripts, none at all.
          expect(policy.find((directive) => directive.startsWith("script-src"))).toBe(
            path === "/" ? undefined : "script-src 'self'"
          )
          expect(policy.find((directive) => directive.startsWith("style-src"))).toBe("style-src 'self'")
        })
    )
  }
})
