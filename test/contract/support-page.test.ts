/** test/support/README.md says what to use when: each helper is in it, and what it names is there. */
import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "@effect/vitest"

const folder = `${import.meta.dirname}/../support`
const page = readFileSync(`${folder}/README.md`, "utf8")

const helpers = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => /^(?!.*node_modules\/).*(?<!\.test)\.ts$/.test(file))
  .map((file) => file.replace(".ts", ""))

const named = [...page.matchAll(/`([a-z0-9-]+(?:\/[a-z0-9-]+)?)`/g)].map(([, name = ""]) => name)

it("names every helper", () => {
  expect(helpers.filter((helper) => !named.includes(helper))).toEqual([])
})

it("names only helpers that exist", () => {
  expect(named.filter((name) => !helpers.includes(name))).toEqual([])
})
