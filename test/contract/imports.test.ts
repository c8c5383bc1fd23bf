import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { features, importGraph, offencesOf } from "./import-rules.ts"

const src = `${import.meta.dirname}/../../src`

const sourceFiles = (): ReadonlyArray<string> => {
  try {
    return [...new Bun.Glob("**/*.{ts,tsx}").scanSync(src)].sort()
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return []
    throw error
  }
}

it("every import of src follows the table in import-rules.ts", () => {
  const offences = sourceFiles().flatMap((file) => offencesOf(file, readFileSync(`${src}/${file}`, "utf8")))
  expect(
    offences.map(({ at, specifier, because }) => `src/${at} imports "${specifier}": ${because}`)
  ).toEqual([])
})

it("every feature is in the list of features", () => {
  const list = readFileSync(`${src}/features.ts`, "utf8")
  const listed = [...list.matchAll(/from "\.\/(.*)\/feature\.ts"/g)].map(([, folder]) => folder)
  expect(listed.sort()).toEqual(features)
})

it("a gateway loads no other feature than those that its calls need", () => {
  /** Imports of types load nothing. */
  const ofTypes = /^(?:import|export) type\b[^;]*? from "[^"]+"$/gm
  const graph = importGraph(
    new Map(
      sourceFiles().map((file) => [file, readFileSync(`${src}/${file}`, "utf8").replaceAll(ofTypes, "")])
    )
  )
  const loaded = new Set(["process/gateway.ts"])
  for (const file of loaded) for (const imported of graph.get(file) ?? []) loaded.add(imported)
  const folders = features.filter((folder) => [...loaded].some((file) => file.startsWith(`${folder}/`)))
  expect(folders).toEqual([
    "gateway",
    "marketplace/catalog",
    "marketplace/limits",
    "marketplace/subscriptions",
    "marketplace/usage",
    "operations"
  ])
  for (const file of ["api.ts", "features.ts"]) expect([...loaded]).not.toContain(file)
})

describe("the checker", () => {
  it.each([
    ["keys/api.ts", "./model.ts"],
    ["keys/http.ts", "./service.ts"],
    ["keys/service.ts", "./repo.ts"],
    ["kyc/sessions/service.ts", "../instances/service.ts"],
    ["main.ts", "./process/program.ts"],
    ["web/kyc/steps/form.tsx", "../screens/parts.tsx"]
  ])("lets %s import %s", (file, specifier) => {
    expect(offencesOf(file, `import * as It from "${specifier}"\n`)).toEqual([])
  })

  it.each([
    ["keys/api.ts", "./service.ts"],
    ["keys/http.ts", "./repo.ts"],
    ["keys/service.ts", "../accounts/repo.ts"],
    ["keys/model.ts", "@effect/sql/SqlClient"],
    ["db/sql.ts", "../keys/model.ts"],
    ["http/runtime/serve.ts", "../../keys/errors.ts"],
    ["keys/cli.ts", "./repo.ts"],
    ["keys/feature.ts", "./cli.ts"],
    ["web/kyc/main.tsx", "../../kyc/sessions/model.ts"],
    ["somewhere/new.ts", "effect/Effect"]
  ])("does not let %s import %s", (file, specifier) => {
    expect(offencesOf(file, `import * as It from "${specifier}"\n`)).toMatchObject([
      { at: `${file}:1`, specifier }
    ])
  })

  it("finds every form of import, with its line, and nothing else", () => {
    const source = [
      '/** import * as No from "./repo.ts" */',
      'import "./repo.ts"',
      'import type { Row } from "./repo.ts"',
      "import {",
      "  one,",
      "  type Two",
      '} from "./repo.ts"',
      'import Default, { type Three } from "./repo.ts"',
      'export * from "./repo.ts"',
      'export { one } from "./repo.ts"',
      'const late = () => import("./repo.ts")',
      'type Four = import("./repo.ts").Four',
      'export const sql = `select 1 from "./repo.ts"`',
      'const words = "import it from there"'
    ].join("\n")
    expect(offencesOf("keys/http.ts", source).map(({ at }) => at)).toEqual(
      [2, 3, 7, 8, 9, 10, 11, 12].map((line) => `keys/http.ts:${line}`)
    )
  })
})
