/**
 * A page shows things when it is ready, which may be after a test looks. So no test of `test/browser` reads it once: what it expects, it
 * waits for, by `expect.poll`.
 */
import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "@effect/vitest"

const folder = `${import.meta.dirname}/../browser`

/** Lines on which something that was just read from a page is expected. */
const readOnce = (source: string): ReadonlyArray<number> =>
  [...source.matchAll(/\bexpect\(\s*[\w.]*\(*\s*(?:yield\*\s+act\(|await\b)|\bexpect\([^)]*\burl\(\)/g)].map(
    ({ index }) => source.slice(0, index).split("\n").length
  )

it("no browser test asserts a single reading", () => {
  const found = readdirSync(folder)
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) => readOnce(readFileSync(`${folder}/${file}`, "utf8")).map((line) => `${file}:${line}`))
  expect(found).toEqual([])
})
