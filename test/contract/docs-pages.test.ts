/** What pages of docs name exists: anchors, tests, metrics, alerts and the targets of links. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
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

/** As the usual hosts of Markdown make them. */
const anchorsIn = (text: string): ReadonlyArray<string> => [
  ...[...text.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, anchor = ""]) => anchor),
  ...[...text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-")
  )
]

it("every link between pages leads to a file and an anchor that exist", () => {
  const pages = ["README.md", "src", "test", "docs"].flatMap((place) =>
    place.endsWith(".md")
      ? [place]
      : readdirSync(join(root, place), { recursive: true, encoding: "utf8" })
          .filter((path) => path.endsWith(".md") && !path.includes("node_modules/"))
          .map((path) => join(place, path))
  )
  const links = pages.flatMap((page) =>
    [
      ...read(page)
        .replaceAll(/^ *```[\s\S]*?^ *```/gm, "")
        .matchAll(/\]\(([^()\s]+)\)/g)
    ].map(([, link = ""]) => ({ page, link }))
  )
  expect(links.length).toBeGreaterThan(400)
  const lost = links.filter(({ link, page }) => {
    if (URL.canParse(link)) return false
    const [path = "", anchor] = link.split("#")
    const target = path === "" ? join(root, page) : join(root, dirname(page), decodeURIComponent(path))
    if (!existsSync(target)) return true
    return (
      anchor !== undefined &&
      target.endsWith(".md") &&
      !anchorsIn(readFileSync(target, "utf8")).includes(anchor)
    )
  })
  expect(lost).toEqual([])
})
