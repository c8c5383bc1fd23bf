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

  it("has no line that nobody can read", () => {
    const lines = pages.flatMap((page) => page.split("\n"))
    expect(lines.filter((line) => line.length > 1000)).toStrictEqual([])
  })
})
