import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { importGraph } from "./import-cycles.ts"
import { features, offencesOf } from "./import-rules.ts"

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
    ["keys/api.ts", "../http/contract/error-responses.ts"],
    ["keys/api.ts", "@effect/platform/HttpApiGroup"],
    ["keys/http.ts", "./service.ts"],
    ["keys/service.ts", "./repo.ts"],
    ["kyc/sessions/service.ts", "../instances/service.ts"],
    ["kyc/sessions/service.ts", "../instances/errors.ts"],
    ["kyc/sessions/service.ts", "../../db/sql.ts"],
    ["kyc/sessions/partner-service.ts", "./partner-repo.ts"],
    ["kyc/sessions/repo.ts", "../../db/sql.ts"],
    ["kyc/sessions/model.ts", "../../secrets/token.ts"],
    ["marketplace/catalog/model.ts", "../../keys/model.ts"],
    ["keys/errors.ts", "effect/Schema"],
    ["keys/api.ts", "../accounts/guards.ts"],
    ["kyc/files/guards.ts", "../sessions/guards.ts"],
    ["http/runtime/serve.ts", "../contract/reflection.ts"],
    ["config.ts", "./shared/email.ts"],
    ["http/runtime/serve.ts", "node:net"],
    ["db/sql.ts", "./driver/index.ts"],
    ["db/driver/pool.ts", "./execution.ts"],
    ["main.ts", "./process/program.ts"],
    ["process/serving.ts", "./server.ts"],
    ["cli/doctor.ts", "../db/visit.ts"],
    ["command-line.ts", "./keys/cli.ts"],
    ["keys/cli.ts", "./service.ts"],
    ["keys/cli.ts", "../cli/output.ts"],
    ["keys/cli.ts", "../accounts/company-cli.ts"],
    ["marketplace/catalog/publish-cli.ts", "./manifest-cli.ts"],
    ["keys/cli-layer.ts", "../accounts/cli-layer.ts"],
    ["gateway/checks.ts", "../marketplace/catalog/published-upstreams-service.ts"],
    ["pages/docs.ts", "@effect/platform/HttpApiBuilder"],
    ["pages/kyc.ts", "../kyc/embedding/service.ts"],
    ["web/kyc/steps/form.tsx", "../screens/parts.tsx"],
    ["web/kyc/i18n/i18n.ts", "preact/hooks"],
    ["web/kyc/instances/config.ts", "../../../kyc/instances/config-model.ts"],
    ["web/dashboard/common/contract.ts", "../../../client/package/index.ts"],
    ["web/dashboard/keys/keys.tsx", "../../ui/parts.tsx"],
    ["client/generate.ts", "../http/contract/openapi-json.ts"]
  ])("lets %s import %s", (file, specifier) => {
    expect(offencesOf(file, `import * as It from "${specifier}"\n`)).toEqual([])
  })

  it.each([
    ["keys/api.ts", "./service.ts"],
    ["keys/api.ts", "../http/runtime/serve.ts"],
    ["keys/http.ts", "./repo.ts"],
    ["keys/http.ts", "../api.ts"],
    ["keys/http.ts", "../accounts/service.ts"],
    ["keys/service.ts", "./api.ts"],
    ["keys/service.ts", "../http/contract/error-responses.ts"],
    ["keys/service.ts", "../accounts/repo.ts"],
    ["keys/service.ts", "@effect/platform/HttpApiError"],
    ["keys/repo.ts", "./service.ts"],
    ["keys/repo.ts", "@effect/platform/HttpApi"],
    ["keys/model.ts", "@effect/sql/SqlClient"],
    ["keys/model.ts", "./errors.ts"],
    ["keys/errors.ts", "./model.ts"],
    ["keys/verification.ts", "./http.ts"],
    ["keys/verification.ts", "../accounts/repo.ts"],
    ["db/sql.ts", "../keys/model.ts"],
    ["db/sql.ts", "../http/contract/error-responses.ts"],
    ["http/runtime/serve.ts", "../../keys/errors.ts"],
    ["http/contract/openapi.ts", "../runtime/document.ts"],
    ["http/contract/openapi.ts", "../../accounts/guards.ts"],
    ["accounts/guards.ts", "./service.ts"],
    ["accounts/guards.ts", "../http/runtime/source.ts"],
    ["config.ts", "./accounts/model.ts"],
    ["limits/guesses.ts", "../http/contract/error-responses.ts"],
    ["http/runtime/serve.ts", "../../api.ts"],
    ["http/runtime/serve.ts", "@effect/platform"],
    ["db/sql.ts", "./driver/pool.ts"],
    ["db/driver/index.ts", "../connection.ts"],
    ["db/driver/index.ts", "../../observability/metrics.ts"],
    ["keys/repo.ts", "../db/driver/index.ts"],
    ["process/server.ts", "../db/driver/pool.ts"],
    ["main.ts", "@effect/platform-bun"],
    ["main.ts", "./process/server.ts"],
    ["cli.ts", "./process/server.ts"],
    ["cli.ts", "./process/program.ts"],
    ["cli/doctor.ts", "../keys/service.ts"],
    ["cli/run.ts", "../api.ts"],
    ["cli/run.ts", "../command-line.ts"],
    ["keys/cli.ts", "./repo.ts"],
    ["keys/cli.ts", "./http.ts"],
    ["keys/cli.ts", "../accounts/cli.ts"],
    ["keys/cli.ts", "../kyc/instances/service.ts"],
    ["keys/cli.ts", "../cli/doctor.ts"],
    ["keys/checks.ts", "./repo.ts"],
    ["keys/layer.ts", "../accounts/repo.ts"],
    ["keys/feature.ts", "./cli.ts"],
    ["keys/service.ts", "./checks.ts"],
    ["db/sql.ts", "../cli/output.ts"],
    ["keys/service.ts", "../cli/output.ts"],
    ["process/server.ts", "../main.ts"],
    ["pages/docs.ts", "../keys/service.ts"],
    ["pages/kyc.ts", "../kyc/sessions/service.ts"],
    ["web/docs/docs.ts", "effect/Effect"],
    ["web/kyc/main.tsx", "../../kyc/sessions/model.ts"],
    ["web/kyc/main.tsx", "preact/compat"],
    ["web/kyc/main.tsx", "../dashboard/common/form.tsx"],
    ["web/ui/parts.tsx", "../kyc/api.ts"],
    ["web/dashboard/keys/keys.tsx", "../../../api.ts"],
    ["pages/docs.ts", "../web/docs/docs.ts"],
    ["client/package/calls.ts", "../names.ts"],
    ["client/package/calls.ts", "node:crypto"],
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
