import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { cyclesIn, importGraph } from "./import-cycles.ts"

const src = `${import.meta.dirname}/../../src`

const sources = new Map(
  [...new Bun.Glob("**/*.{ts,tsx}").scanSync(src)].map((file) => [
    file,
    readFileSync(`${src}/${file}`, "utf8")
  ])
)

it("src has no import cycles", () => {
  const graph = importGraph(sources)
  expect([...graph.values()].flat().length).toBeGreaterThan(sources.size)
  expect(cyclesIn(graph)).toEqual([])
})

describe("the search for cycles", () => {
  const cyclesOf = (files: Readonly<Record<string, string>>) =>
    cyclesIn(importGraph(new Map(Object.entries(files))))

  it("names a longer cycle across folders once, beginning with the first file", () => {
    expect(
      cyclesOf({
        "http/edge.ts": 'export { log } from "../observability/log.ts"\n',
        "observability/log.ts": 'const late = () => import("../keys/api.ts")\n',
        "keys/api.ts": 'import "../http/edge.ts"\n'
      })
    ).toEqual(["http/edge.ts -> observability/log.ts -> keys/api.ts -> http/edge.ts"])
  })
})
