/** Which file may import what: the arrows of docs/architecture.md. Imports of types count: the reader depends on them, too. */
import { readFileSync } from "node:fs"
import { posix } from "node:path"
import { describe, expect, it } from "vitest"

const src = `${import.meta.dirname}/../../src`

const sourceFiles = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(src)].sort()

const textOf = (file: string) => readFileSync(`${src}/${file}`, "utf8")

/** The folder of each feature: every folder with a `feature.ts`. */
const features = sourceFiles
  .filter((file) => file.endsWith("/feature.ts"))
  .map((file) => posix.dirname(file))
  .sort()
const anyFeature = `{${features.join(",")}}`

/**
 * Of the imports of `files`, those that match `only` alone are permitted, and those that match `never` are not. An import is its path
 * below `src` without the extension, `own/<file>` within the same feature, or a package's specifier. Every row that is about a file applies.
 */
interface ImportRule {
  readonly files: string
  readonly except?: string
  readonly only?: ReadonlyArray<string>
  readonly never?: ReadonlyArray<string>
}

const [effect, platform, node] = ["effect{,/*}", "@effect/platform/*", "node:{*,*/*}"] as const
const preact = "preact{,/hooks}"
const models = ["own/{,*-}model", `${anyFeature}/{,*-}model`, "shared/*"]
const errors = ["own/{,*-}errors", `${anyFeature}/{,*-}errors`]
const contract = ["http/contract/*", platform, effect]
/** What assembles the features. */
const assembly = "{api,cli,command-line,feature,features,process/**,workers/**}"

const rules: ReadonlyArray<ImportRule> = [
  // The program.
  { files: "**", never: ["main", "@effect/*"] },
  { files: "**", except: "{main,process/worker-launch}.ts", never: ["process/program"] },
  { files: "**", except: "process/serving.ts", never: ["process/server"] },
  { files: "**", except: "db/**", never: ["db/driver/*"] },
  { files: "api.ts", only: ["features", "feature", ...contract] },

  // Below the features. The driver is treated as a package.
  {
    files: "{cli,db,http,limits,observability,secrets,shared}/**",
    never: [assembly, `${anyFeature}/**`]
  },
  { files: "{shared/**,config.ts}", only: ["shared/*", "bun", node, effect] },
  { files: "limits/**", only: ["limits/*", "shared/*", "lru-cache", node, effect] },
  { files: "secrets/**", only: ["secrets/*", "shared/error", "config", node, effect] },
  { files: "http/contract/**", only: ["limits/errors", "shared/*", ...contract] },
  { files: "db/**", never: ["http/**"] },
  {
    files: "db/driver/**",
    only: [
      "db/driver/*",
      "shared/tim{ing,es}",
      "@effect/{sql,sql-pg,experimental}/*",
      "pg{,-protocol}",
      node,
      effect
    ]
  },
  { files: "observability/**", never: ["db/**"] },

  // Features: use cases call those of others, and no other feature's rows, routes or commands. The server loads no commands.
  {
    files: `${anyFeature}/**`,
    except: `${anyFeature}/{feature,{,*-}cli,checks}.ts`,
    never: [assembly, "cli/**", "own/{{,*-}cli,cli-layer,checks,stdio}"]
  },
  { files: `${anyFeature}/**`, never: [`${anyFeature}/{,*-}{api,http,repo}`] },
  {
    files: `${anyFeature}/feature.ts`,
    only: ["own/**", "feature", `${anyFeature}/credential`, effect],
    never: ["own/{{,*-}cli,cli-layer,checks,stdio}"]
  },
  { files: `${anyFeature}/{,*-}cli.ts`, never: ["db/**", "own/{,*-}{http,repo}"] },
  {
    files: `${anyFeature}/{,*-}api.ts`,
    only: [...models, ...errors, ...contract, "own/{,*-}{api,examples}", "own/guards", `${anyFeature}/guards`]
  },
  { files: `${anyFeature}/guards.ts`, only: [...models, ...errors, ...contract, `${anyFeature}/guards`] },
  { files: `${anyFeature}/{,*-}http.ts`, never: ["own/{,*-}repo", `${anyFeature}/{,*-}service`, "db/**"] },
  { files: `${anyFeature}/{,*-}service.ts`, never: ["own/{,*-}{api,http}", "http/**"] },
  {
    files: `${anyFeature}/{,*-}repo.ts`,
    only: [...models, "own/{,*-}{errors,repo}", "db/*", "@effect/sql{,-pg}/*", effect]
  },
  { files: `${anyFeature}/{,*-}model.ts`, only: [...models, "secrets/*", effect] },
  { files: `${anyFeature}/{,*-}errors.ts`, only: [...errors, effect] },

  // Browser code imports browser code, packages for browsers, and the rules that page and server share.
  {
    files: "web/**",
    only: [
      "web/**",
      "client/package/{embed,index}",
      `${anyFeature}/{,*-}model`,
      "kyc/checks/{licence,sampling,zone-{candidates,lines,network,reading}}",
      preact,
      "@panzoom/panzoom",
      "aamva-parser",
      "altcha-lib{,/algorithms/web/*}",
      "jose",
      "lean-qr/{nano,extras/svg}",
      "uplot",
      "yaml",
      "zxing-wasm/reader"
    ]
  },
  { files: "web/{brand,ui,reference,docs,kyc}/**", never: ["web/dashboard/**", "client/package/index"] },
  { files: "web/{brand,ui,reference,docs}/**", never: [`${anyFeature}/**`, "web/kyc/**"] },
  {
    files: "web/dashboard/**",
    never: [
      "web/kyc/{captcha,dedup,embedding,files,handoffs,hints,reading,receipt,screens,sessions}/**",
      "web/kyc/{api,main}"
    ]
  },

  // The client runs without doorlock, and without any package.
  { files: "client/package/**", only: ["client/package/**"] },
  { files: "client/*", only: ["client/*", "http/contract/*", "../package.json", node] },
  { files: "webhooks/signature.ts", only: [node] }
]

const matches = (pattern: string, path: string): boolean => new Bun.Glob(pattern).match(path)

/** The feature that a path below `src` is in (`kyc/sessions`), or undefined. */
const featureOf = (path: string): string | undefined => {
  const [first = "", second = ""] = path.split("/")
  return [first, `${first}/${second}`].find((folder) => folder !== path && features.includes(folder))
}

const targetOf = (file: string, specifier: string): string => {
  if (!specifier.startsWith(".")) return specifier
  const path = posix.join(posix.dirname(file), specifier).replace(/\.[cm]?[jt]sx?$/, "")
  const feature = featureOf(path)
  return feature !== undefined && feature === featureOf(file) ? `own/${path.slice(feature.length + 1)}` : path
}

/** What follows `from`, `import` or `import(` where code can have it: text in comments and SQL does not begin so. */
const importForms = [
  /^(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?(?:\*(?:\s+as\s+[\w$]+)?|\{[^}]*\}|[\w$]+)\s+from\s+"([^"]+)"/gm,
  /^import\s+"([^"]+)"/gm,
  /\bimport\(\s*"([^"]+)"/g
]

const importsOf = (source: string): ReadonlyArray<string> =>
  importForms.flatMap((form) => [...source.matchAll(form)].map(([, specifier = ""]) => specifier))

/** The imports of a file that a rule refuses. */
const offencesOf = (file: string, source: string): ReadonlyArray<string> => {
  const own = rules.filter((rule) => matches(rule.files, file) && !matches(rule.except ?? "", file))
  return importsOf(source).filter((specifier) => {
    const target = targetOf(file, specifier)
    const isOne = (pattern: string) => matches(pattern, target)
    return own.some(({ never = [], only }) => never.some(isOne) || only?.some(isOne) === false)
  })
}

it("every import of src follows the rules", () => {
  const offences = sourceFiles.flatMap((file) =>
    offencesOf(file, textOf(file)).map((specifier) => `${file} imports ${specifier}`)
  )
  expect(offences).toEqual([])
})

it("every feature is in the list of features", () => {
  const listed = [...textOf("features.ts").matchAll(/from "\.\/(.*)\/feature\.ts"/g)].map(
    ([, folder]) => folder
  )
  expect(listed.sort()).toEqual(features)
})

it("a gateway loads no other feature than those that its calls need", () => {
  /** Imports of types load nothing. */
  const ofTypes = /^(?:import|export) type\b[^;]*? from "[^"]+"$/gm
  const loaded = new Set(["process/gateway.ts"])
  for (const file of loaded) {
    for (const specifier of importsOf(textOf(file).replaceAll(ofTypes, ""))) {
      const imported = posix.join(posix.dirname(file), specifier)
      if (specifier.startsWith(".") && sourceFiles.includes(imported)) loaded.add(imported)
    }
  }
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

describe("the rules", () => {
  it.each([
    ["keys/api.ts", "./service.ts"],
    ["keys/http.ts", "./repo.ts"],
    ["keys/service.ts", "../accounts/repo.ts"],
    ["keys/model.ts", "@effect/sql/SqlClient"],
    ["db/sql.ts", "../keys/model.ts"],
    ["http/runtime/serve.ts", "../../keys/errors.ts"],
    ["keys/cli.ts", "./repo.ts"],
    ["keys/feature.ts", "./cli.ts"],
    ["web/kyc/main.tsx", "../../kyc/sessions/service.ts"]
  ])("do not let %s import %s, in any form", (file, specifier) => {
    const forms = [
      `import * as It from "${specifier}"`,
      `import type { Row } from "${specifier}"`,
      `import {\n  one\n} from "${specifier}"`,
      `export * from "${specifier}"`,
      `const late = () => import("${specifier}")`,
      `type Four = import("${specifier}").Four`
    ]
    for (const form of forms) expect([form, offencesOf(file, form)]).toEqual([form, [specifier]])
    expect(offencesOf(file, `/** import * as No from "${specifier}" */`)).toEqual([])
  })
})
