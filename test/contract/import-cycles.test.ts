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

  it("finds none where imports go one way, even on several paths", () => {
    expect(
      cyclesOf({
        "main.ts": 'import { one } from "./keys/one.ts"\nimport { two } from "./keys/two.ts"\n',
        "keys/one.ts": 'import { two } from "./two.ts"\nimport * as Effect from "effect/Effect"\n',
        "keys/two.ts": "export const two = 2\n"
      })
    ).toEqual([])
  })

  it("names two files that import each other, even if one imports only a type", () => {
    expect(
      cyclesOf({
        "main.ts": 'import { two } from "./two.ts"\n',
        "one.ts": 'import type { Two } from "./two.ts"\n',
        "two.ts": 'import { one } from "./one.ts"\n'
      })
    ).toEqual(["one.ts -> two.ts -> one.ts"])
  })

  it("names a longer cycle across folders once, beginning with the first file", () => {
    expect(
      cyclesOf({
        "http/edge.ts": 'export { log } from "../observability/log.ts"\n',
        "observability/log.ts": 'const late = () => import("../keys/api.ts")\n',
        "keys/api.ts": 'import "../http/edge.ts"\n'
      })
    ).toEqual(["http/edge.ts -> observability/log.ts -> keys/api.ts -> http/edge.ts"])
  })

  it("names each of two cycles that share a file", () => {
    expect(
      cyclesOf({
        "hub.ts": 'import "./one.ts"\nimport "./two.ts"\n',
        "one.ts": 'import "./hub.ts"\n',
        "two.ts": 'import "./hub.ts"\n'
      })
    ).toEqual(["hub.ts -> one.ts -> hub.ts", "hub.ts -> two.ts -> hub.ts"])
  })

  it("names a file that imports itself", () => {
    expect(cyclesOf({ "one.ts": 'import type { One } from "./one.ts"\n' })).toEqual(["one.ts -> one.ts"])
  })
})
