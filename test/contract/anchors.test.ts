/** Code, tests and pages cite rules of docs/contract.md by anchors that exist. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"

const root = join(import.meta.dirname, "../..")

const contract = readFileSync(join(root, "docs/contract.md"), "utf8")

/** Anchors of rules, and those that a heading has on every common host of Markdown. */
const anchors = [
  ...[...contract.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, anchor = ""]) => anchor),
  ...[...contract.matchAll(/^##? (.+)$/gm)].map(([, heading = ""]) =>
    heading.toLowerCase().replaceAll(" ", "-")
  )
]

const citations = ["src", "test", "migrations", "docs"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(ts|tsx|sql|md)$/.test(path))
    .flatMap((path) =>
      [...readFileSync(join(root, folder, path), "utf8").matchAll(/contract\.md#([\w-]+)/g)].map(
        ([, anchor = ""]) => ({ file: `${folder}/${path}`, anchor })
      )
    )
)

it("each anchor exists once", () => {
  expect(anchors.length).toBeGreaterThan(50)
  expect(new Set(anchors).size).toBe(anchors.length)
})

it("every cited anchor exists", () => {
  expect(citations.length).toBeGreaterThan(80)
  expect(citations.filter(({ anchor }) => !anchors.includes(anchor))).toEqual([])
})
