/** The tests and items that docs/security.md and docs/owasp.md name exist. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { testSource } from "../support/test-sources.ts"

const root = join(import.meta.dirname, "../..")

const pages = ["docs/security.md", "docs/owasp.md"].map((path) => readFileSync(join(root, path), "utf8"))

/** A table row that states a protection. */
interface Row {
  readonly item: string
  readonly held: string
  readonly how: string
  readonly tests: string
}

const rowsOf = (text: string): ReadonlyArray<Row> =>
  [
    ...text.matchAll(
      /^\| Item +\| Held.*\n\|[- |]+\n((?:\|.*\n?)+)|^\| What +\| Held.*\n\|[- |]+\n((?:\|.*\n?)+)/gm
    )
  ].flatMap(([, items, whats]) =>
    (items ?? whats ?? "")
      .trim()
      .split("\n")
      .map((line) => {
        const [, item = "", held = "", how = "", tests = ""] = line.split("|").map((cell) => cell.trim())
        return { item, held, how, tests }
      })
  )

/** The tests that a row names, written as: `file` "title", "title". */
const named = (tests: string): ReadonlyArray<{ readonly file: string; readonly title: string }> =>
  [...tests.matchAll(/`([\w/-]+)`((?:,? "[^"]+")+)/g)].flatMap(([, file = "", titles = ""]) =>
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => ({ file, title }))
  )

/** The titles of a file's tests and groups, as in its source; `${...}` stays as it is. */
const titlesOf = (source: string): ReadonlyArray<string> =>
  [
    ...source.matchAll(/(?:\b(?:it|describe|test)(?:\.\w+)*\(|\)\()\s*(["'`])((?:\\.|(?!\1)[^\\])*)\1\s*,/g)
  ].map(([, , title = ""]) => title.replaceAll("\\", ""))

/** The tests that a page names and that do not exist. */
const missingOf = (text: string, read: (file: string) => string | undefined): ReadonlyArray<string> =>
  rowsOf(text)
    .flatMap(({ tests }) => named(tests))
    .filter(({ file, title }) => {
      const source = read(file)
      return source === undefined || !titlesOf(source).some((known) => known.includes(title))
    })
    .map(({ file, title }) => `${file}: ${title}`)

/** The number of items in each section of ASVS 5.0.0, for the chapters that the page covers in full. */
const sections = {
  "3.2": 3,
  "3.3": 5,
  "3.4": 8,
  "3.5": 8,
  "6.1": 3,
  "6.2": 12,
  "6.3": 8,
  "6.4": 6,
  "7.1": 3,
  "7.2": 4,
  "7.3": 2,
  "7.4": 5,
  "7.5": 3,
  "7.6": 2,
  "8.1": 4,
  "8.2": 4,
  "8.3": 3,
  "8.4": 2,
  "9.1": 3,
  "9.2": 4,
  "16.1": 1,
  "16.2": 5,
  "16.3": 4,
  "16.4": 3,
  "16.5": 4
} as const

const rows = pages.flatMap(rowsOf)

describe("docs/security.md and docs/owasp.md", () => {
  it("names only tests that exist", () => {
    expect(rows.flatMap(({ tests }) => named(tests)).length).toBeGreaterThan(150)
    expect(pages.flatMap((page) => missingOf(page, testSource))).toStrictEqual([])
  })

  it("says for each item whether it is held, by which test, or why not", () => {
    for (const row of rows) {
      const { held, how, item, tests } = row
      expect({ item, held }).toMatchObject({ held: expect.stringMatching(/^(?:yes|part|no|you|none)$/) })
      // The last column contains nothing but tests.
      expect({ item, rest: tests.replaceAll(/`[\w/-]+`(?:,? "[^"]+")+(?:; )?/g, "") }).toStrictEqual({
        item,
        rest: ""
      })
      if (held === "yes" || held === "part") expect({ item, tests }).not.toMatchObject({ tests: "" })
      if (held !== "yes") expect({ item, how }).not.toMatchObject({ how: "" })
    }
  })

  it("has every item of its chapters", () => {
    const items = rows.flatMap(({ item }) => item.split(", "))
    const expected = [
      ...Array.from({ length: 10 }, (_, i) => `API${i + 1}`),
      ...Object.entries(sections).flatMap(([section, count]) =>
        Array.from({ length: count }, (_, i) => `${section}.${i + 1}`)
      )
    ]
    const inRange = (range: string, wanted: string) => {
      const [from, to] = range.split("–").map((end) => end.split(".").map(Number))
      const number = wanted.split(".").map(Number)
      return (
        from !== undefined &&
        to !== undefined &&
        from.slice(0, -1).join() === number.slice(0, -1).join() &&
        Number(from.at(-1)) <= Number(number.at(-1)) &&
        Number(number.at(-1)) <= Number(to.at(-1))
      )
    }
    const absent = expected.filter(
      (wanted) =>
        !items.some((item) => item === wanted || item.startsWith(`${wanted} `) || inRange(item, wanted))
    )
    expect(absent).toStrictEqual([])
    expect(items.filter((item, at) => items.indexOf(item) !== at)).toStrictEqual([])
  })

  it("has no line that nobody can read", () => {
    const lines = pages.flatMap((page) => page.split("\n"))
    expect(lines.filter((line) => line.length > 1000)).toStrictEqual([])
  })

  it("fails when a test is removed or renamed", () => {
    const text =
      '| Item | Held | How | Shown by |\n| - | - | - | - |\n| 1.1.1 | yes | | `a/b` "one", "two"; `c` "three" |\n'
    const source = 'it.effect("one", () => {})\nlayer(X.layer, {})("two", () => {})\n// "three",\n'
    expect(missingOf(text, () => source)).toStrictEqual(["c: three"])
    expect(missingOf(text, (file) => (file === "c" ? 'describe("three", f)' : undefined))).toStrictEqual([
      "a/b: one",
      "a/b: two"
    ])
  })
})
