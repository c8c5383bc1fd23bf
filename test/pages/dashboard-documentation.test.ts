/** How the dashboard reads an exported OpenAPI document. */
import { describe, expect, it } from "vitest"
import { curl } from "../../src/web/reference/calls.ts"
import { webAddress } from "../../src/web/reference/prose.tsx"

describe("calls", () => {
  it("quote and escape what a publisher wrote", () => {
    expect(
      curl({
        base: "https://gateway.test",
        method: "POST",
        path: "/a/v/1/x'; rm -rf ~ #\n$(id)\u001b[2J",
        headers: [["x-api-key", "dk_live_x"]],
        json: { a: "it's" }
      })
    ).toBe(
      [
        "curl -X POST 'https://gateway.test/a/v/1/x%27;%20rm%20-rf%20~%20%23%0A$(id)%1B%5B2J' \\",
        "  -H 'x-api-key: dk_live_x' \\",
        "  -H 'content-type: application/json' \\",
        `  -d '{"a":"it'\\''s"}'`
      ].join("\n")
    )
  })
})

describe("links", () => {
  it("lead only to http and https", () => {
    for (const text of [
      "javascript:alert(1)",
      "data:text/html,x",
      "ftp://a.test",
      "/dashboard",
      "",
      "https://u:p@a.test"
    ]) {
      expect(webAddress(text)).toBeUndefined()
    }
    expect(webAddress("https://a.test/x?y#z")?.href).toBe("https://a.test/x?y#z")
  })
})
