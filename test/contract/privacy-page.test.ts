/** The tests that docs/privacy.md names exist. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { testSource } from "../support/test-sources.ts"

const root = join(import.meta.dirname, "../..")

const page = readFileSync(join(root, "docs/privacy.md"), "utf8")

const named = [...page.matchAll(/`([\w/-]+)`((?:,? "[^"]+")+)/g)].flatMap(([, file = "", titles = ""]) =>
  [...titles.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => ({ file, title }))
)

it("each test that the page names exists", () => {
  expect(named.length).toBeGreaterThanOrEqual(11)
  const missing = named.filter(({ file, title }) => testSource(file)?.includes(title) !== true)
  expect(missing).toEqual([])
})

it("each article has a row", () => {
  for (const article of ["5(1)(e)", "5(1)(f)", "15", "17", "20", "25", "32"]) {
    expect(page).toContain(`\n| ${article} `)
  }
})
