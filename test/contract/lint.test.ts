import { describe, expect, it } from "vitest"
import { lintOpenApi } from "./lint.ts"

const sound = {
  openapi: "3.1.0",
  info: { title: "t", version: "1", license: { name: "MIT", identifier: "MIT" } },
  servers: [{ url: "https://doorlock.test" }],
  security: [],
  paths: {
    "/a": {
      get: {
        operationId: "a",
        summary: "A",
        responses: { "200": { description: "ok" }, "404": { description: "none" } }
      }
    }
  }
}

describe("lintOpenApi", () => {
  it("finds nothing in a valid document", async () => {
    expect(await lintOpenApi(sound)).toEqual([])
  })

  it("names the rule and the place of each fault", async () => {
    const operation = { ...sound.paths["/a"].get, security: [{ undeclared: [] }] }
    const problems = await lintOpenApi({ ...sound, paths: { "/a/{id}": { get: operation } } })
    expect(problems.map(({ severity, rule, at }) => ({ severity, rule, at }))).toEqual(
      expect.arrayContaining([
        { severity: "error", rule: "path-parameters-defined", at: "#/paths/~1a~1{id}/get/parameters" },
        { severity: "error", rule: "security-defined", at: "#/paths/~1a~1{id}/get/security/0/undeclared" }
      ])
    )
  })

  it("finds a $ref that leads nowhere", async () => {
    const responses = { ...sound.paths["/a"].get.responses, "200": { $ref: "#/components/responses/none" } }
    const problems = await lintOpenApi({
      ...sound,
      paths: { "/a": { get: { ...sound.paths["/a"].get, responses } } }
    })
    expect(problems.map((problem) => problem.rule)).toContain("no-unresolved-refs")
  })
})
