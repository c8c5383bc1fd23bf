/** What docs/scale.md names exists: tests, metrics and alerts. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { testSource } from "../support/test-sources.ts"

const root = join(import.meta.dirname, "../..")

const page = readFileSync(join(root, "docs/scale.md"), "utf8")

const named = [...page.matchAll(/`([\w/-]+)`((?:,? "[^"]+")+)/g)].flatMap(([, file = "", titles = ""]) =>
  [...titles.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => ({ file, title }))
)

it("each test that the page names exists", () => {
  expect(named.length).toBeGreaterThanOrEqual(9)
  const missing = named.filter(({ file, title }) => testSource(file)?.includes(title) !== true)
  expect(missing).toEqual([])
})

it("each metric that the page names is one of doorlock's, and each alert is one of docs/grafana", () => {
  const metrics = [...page.matchAll(/`(doorlock_\w+)/g)].map(([, name = ""]) => name)
  expect(metrics.length).toBeGreaterThanOrEqual(7)
  const sources = [...new Bun.Glob("src/**/*.ts").scanSync(root)].map((file) =>
    readFileSync(join(root, file), "utf8")
  )
  expect(metrics.filter((name) => !sources.some((source) => source.includes(`"${name}"`)))).toEqual([])
  const alerts = readFileSync(join(root, "docs/grafana/alerts.yml"), "utf8")
  expect(
    [...page.matchAll(/`(Doorlock\w+)`/g)]
      .map(([, name = ""]) => name)
      .filter((name) => !alerts.includes(`alert: ${name}\n`))
  ).toEqual([])
})
