/** Test files share processes. One that replaces or observes what a process has once may change what another sees. */
import { readFileSync } from "node:fs"
import { expect, it } from "@effect/vitest"

const folder = `${import.meta.dirname}/..`

it("only *.isolated.test.ts of the core ring replace functions of their process", () => {
  const files = [...new Bun.Glob("**/*.test.ts").scanSync(folder)].filter(
    (file) => !/^(?:browser|faults|pictures)\/|\.(?:isolated|system)\.test\.ts$/.test(file)
  )
  expect(files.length).toBeGreaterThan(100)
  const replacing = files.filter((file) =>
    /\bvi\.(?:spyOn|stub|mock|useFakeTimers)|\bspied\(|\bheldHashes\b/.test(
      readFileSync(`${folder}/${file}`, "utf8")
    )
  )
  expect(replacing).toEqual([])
})
