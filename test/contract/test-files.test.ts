/** Rules for the tests themselves. */
import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "@effect/vitest"

const folder = `${import.meta.dirname}/..`

const read = (file: string) => readFileSync(`${folder}/${file}`, "utf8")

/** Lines on which something that was just read from a page is expected. */
const readOnce = (source: string): ReadonlyArray<number> =>
  [...source.matchAll(/\bexpect\(\s*[\w.]*\(*\s*(?:yield\*\s+act\(|await\b)|\bexpect\([^)]*\burl\(\)/g)].map(
    ({ index }) => source.slice(0, index).split("\n").length
  )

it("no browser test asserts a single reading of a page, which may not be ready: it waits by expect.poll", () => {
  const found = readdirSync(`${folder}/browser`)
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) => readOnce(read(`browser/${file}`)).map((line) => `${file}:${line}`))
  expect(found).toEqual([])
})

it("only *.isolated.test.ts of the core ring replace functions of their process, which files share", () => {
  const files = [...new Bun.Glob("**/*.test.ts").scanSync(folder)].filter(
    (file) => !/^(?:browser|faults|pictures)\/|\.(?:isolated|system)\.test\.ts$/.test(file)
  )
  expect(files.length).toBeGreaterThan(100)
  const replacing = /\bvi\.(?:spyOn|stub|mock|useFakeTimers)|\bspied\(|\bheldHashes\b/
  expect(files.filter((file) => replacing.test(read(file)))).toEqual([])
})

it("test/support/README.md names each helper, and only those", () => {
  const helpers = readdirSync(`${folder}/support`, { recursive: true, encoding: "utf8" })
    .filter((file) => /^(?!.*node_modules\/).*(?<!\.test)\.ts$/.test(file))
    .map((file) => file.replace(".ts", ""))
  const named = [...read("support/README.md").matchAll(/`([a-z0-9-]+(?:\/[a-z0-9-]+)?)`/g)].map(
    ([, name = ""]) => name
  )
  expect(helpers.filter((helper) => !named.includes(helper))).toEqual([])
  expect(named.filter((name) => !helpers.includes(name))).toEqual([])
})
