/** What pages of docs name exists: anchors of the contract, tests, metrics and alerts. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { testSource } from "../support/test-sources.ts"

const root = join(import.meta.dirname, "../..")

const read = (path: string) => readFileSync(join(root, path), "utf8")

const [contract, scale, privacy] = ["contract", "scale", "privacy"].map((name) => read(`docs/${name}.md`))

/** The tests that a page names, written as: `file` "title", "title". */
const testsIn = (page = "") =>
  [...page.matchAll(/`([\w/-]+)`((?:,? "[^"]+")+)/g)].flatMap(([, file = "", titles = ""]) =>
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => ({ file, title }))
  )

describe("docs/contract.md", () => {
  /** Anchors of rules, and those that a heading has on every common host of Markdown. */
  const anchors = [
    ...[...(contract ?? "").matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, anchor = ""]) => anchor),
    ...[...(contract ?? "").matchAll(/^##? (.+)$/gm)].map(([, heading = ""]) =>
      heading.toLowerCase().replaceAll(" ", "-")
    )
  ]

  it("has each anchor once, among them all that code, tests and pages cite", () => {
    expect(anchors.length).toBeGreaterThan(50)
    expect(new Set(anchors).size).toBe(anchors.length)
    const cited = ["src", "test", "migrations", "docs"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((path) => /\.(ts|tsx|sql|md)$/.test(path))
        .flatMap((path) =>
          [...read(`${folder}/${path}`).matchAll(/contract\.md#([\w-]+)/g)].map(([, anchor = ""]) => ({
            file: `${folder}/${path}`,
            anchor
          }))
        )
    )
    expect(cited.length).toBeGreaterThan(80)
    expect(cited.filter(({ anchor }) => !anchors.includes(anchor))).toEqual([])
  })
})

it.each([
  ["docs/scale.md", scale, 9],
  ["docs/privacy.md", privacy, 11]
])("each test that %s names exists", (_, page, least) => {
  const named = testsIn(page)
  expect(named.length).toBeGreaterThanOrEqual(least)
  expect(named.filter(({ file, title }) => testSource(file)?.includes(title) !== true)).toEqual([])
})

it("docs/privacy.md has a row for each article", () => {
  for (const article of ["5(1)(e)", "5(1)(f)", "15", "17", "20", "25", "32"])
    expect(privacy).toContain(`\n| ${article} `)
})

it("each metric that docs/scale.md names is one of doorlock's, and each alert is one of docs/grafana", () => {
  const names = (pattern: RegExp) => [...(scale ?? "").matchAll(pattern)].map(([, name = ""]) => name)
  const metrics = names(/`(doorlock_\w+)/g)
  expect(metrics.length).toBeGreaterThanOrEqual(7)
  const sources = [...new Bun.Glob("src/**/*.ts").scanSync(root)].map(read)
  expect(metrics.filter((name) => !sources.some((source) => source.includes(`"${name}"`)))).toEqual([])
  const alerts = read("docs/grafana/alerts.yml")
  expect(names(/`(Doorlock\w+)`/g).filter((name) => !alerts.includes(`alert: ${name}\n`))).toEqual([])
})
