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

it("the rule finds every form of this, and nothing else", () => {
  const source = [
    "expect(yield* act(() => page.getByRole('row').count())).toBe(51)",
    "expect((yield* act(() => names.allTextContents())).sort()).toEqual([])",
    "expect(",
    "  yield* act(() => page.title())",
    ").toBe('')",
    "expect(await field.getAttribute('type')).toBe('password')",
    "expect(types(yield* act(() => eventsOn(page)))).toEqual([])",
    "expect(page.url()).toBe(target)",
    "expect(new URL(page.url()).hash).toBe('')",
    "yield* act(() => expect.poll(() => rows.count()).toBe(51))",
    "expect(yield* outcome).toMatchObject({})"
  ].join("\n")
  expect(readOnce(source)).toEqual([1, 2, 3, 6, 7, 8, 9])
})
