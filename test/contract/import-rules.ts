import { posix } from "node:path"

/**
 * Which file may import what: the arrows of the architecture page.
 *
 * `files` are paths below `src/`; the first row that matches a file applies. `may` is read from left to right: the last
 * pattern that matches an import decides, and a pattern with a leading `!` refuses it. An import is written as its path
 * below `src/` without the extension (`http/contract/error-responses`), as `own/<file>` within the same feature, or as the package's
 * specifier (`effect/Schema`, `node:crypto`). Type-only imports count: the reader depends on them too.
 */
interface ImportRule {
  /** The row's name in an offence. */
  readonly role: string
  readonly files: string
  readonly may: ReadonlyArray<string>
}

/** The folder of each feature: every folder with a `feature.ts`. */
export const features = [...new Bun.Glob("**/*/feature.ts").scanSync(`${import.meta.dirname}/../../src`)]
  .map((file) => posix.dirname(file))
  .sort()
const anyFeature = `{${features.join(",")}}`

const effect = "effect{,/*}"
const node = "node:{*,*/*}"
const platform = "@effect/platform/*"
const preact = "preact{,/hooks}"
const contractHelpers = "http/contract/{error-responses,fields,guard,rejects,routes}"

/** Model files, the feature's own and any other feature's, and what all code shares. */
const models = ["own/{,*-}model", `${anyFeature}/{,*-}model`, "shared/*"]

/** Includes other features' errors: a failure of another feature's service passes through to the contract. */
const errors = ["own/{,*-}errors", `${anyFeature}/{,*-}errors`]

const aPage = [
  "own/**",
  "http/**",
  "web/brand/*",
  "config",
  platform,
  effect,
  node,
  "bun",
  "@fontsource-variable/figtree/package.json"
]

/** Code below the features imports no feature and nothing that assembles them. */
const anythingBelow = [
  "**",
  `!${anyFeature}/**`,
  "!{api,cli,cli/**,command-line,feature,features,process/**,workers/**}"
]

/** The server loads no commands. */
const noCommands = "!own/{{,*-}cli,cli-layer,checks}"

const importRules: ReadonlyArray<ImportRule> = [
  {
    role: "the program",
    files: "{main,cli,command-line,features,process/*,workers/*}.ts",
    may: ["**"]
  },
  { role: "what all commands need", files: "cli/**", may: [...anythingBelow, "cli/**"] },
  {
    role: "the contract",
    files: "api.ts",
    may: ["features", "feature", "http/contract/*", platform, effect]
  },
  { role: "how features are put together", files: "feature.ts", may: ["work/model", platform, effect] },
  {
    // Adds the feature to the program. The list of features imports no other file of the feature.
    role: "a feature's feature.ts",
    files: `${anyFeature}/feature.ts`,
    may: ["own/**", noCommands, `${anyFeature}/credential`, effect]
  },
  {
    // A command calls a service, which it loads when it runs. The schemas of the API check its values. `listen` signs what it forwards.
    role: "a feature's cli.ts",
    files: `${anyFeature}/{,*-}cli.ts`,
    may: [
      "own/{{,*-}{api,cli,errors,service},cli-layer,checks}",
      ...models,
      "accounts/company-cli",
      "cli/{command,document,failures,installation,on-database,output,surroundings}",
      "secrets/*",
      "webhooks/signature",
      "../package.json",
      "@effect/cli/*",
      node,
      effect
    ]
  },
  {
    role: "a feature's checks.ts",
    files: `${anyFeature}/checks.ts`,
    may: [
      "own/**",
      "!own/{feature,{,*-}{api,cli,http,repo}}",
      `${anyFeature}/{,*-}service`,
      "cli/check",
      "config",
      "shared/*",
      node,
      effect
    ]
  },
  {
    // Gives use cases their dependencies. The catalog declares `upstreams`, and the gateway implements it.
    role: "a feature's layer.ts",
    files: `${anyFeature}/{,*-}layer.ts`,
    may: [
      "own/**",
      "!own/{feature,{,*-}{api,cli,http}}",
      `${anyFeature}/{,*-}{layer,service}`,
      "marketplace/catalog/upstreams",
      effect
    ]
  },

  {
    // Types, and the default. The server owns the schema; the page reads configurations that an older server may have stored.
    role: "the hosted page's config and workflow",
    files: "web/kyc/instances/{config,workflow}.ts",
    may: ["web/**", "kyc/instances/{config,workflow,default-workflow}-model"]
  },

  // Browser code imports browser code, packages for browsers, and the rules that page and server share. These rules import
  // only types.
  {
    // For all pages, those that the server renders too.
    role: "icons and the mark",
    files: "web/brand/**",
    may: ["web/brand/**"]
  },
  {
    role: "what all pages are made of",
    files: "web/{ui/**,context.ts,json.ts,timing.ts}",
    may: ["web/ui/**", preact]
  },
  {
    // For the dashboard and for the pages of the docs, which the server renders.
    role: "what shows OpenAPI documents",
    files: "web/reference/**",
    may: ["web/{reference/**,context,json}", preact]
  },
  {
    role: "the page that checks receipts",
    files: "web/kyc/receipt/*.{ts,tsx}",
    may: ["web/{brand,kyc,ui}/**", "kyc/receipts/{receipt,type}-model", preact, "jose"]
  },
  {
    // The page and the server read zones by the same code.
    role: "what reads documents in the hosted page",
    files: "web/kyc/reading/*.ts",
    may: [
      "web/kyc/{files/image,hints/frame,instances/workflow,screens/{own-worker,surroundings}}",
      "web/timing",
      "web/kyc/reading/*",
      "kyc/checks/{licence,licences-model,sampling,zone-{candidates,layouts-model,lines,model,network,reading}}",
      "aamva-parser",
      "zxing-wasm/reader",
      preact
    ]
  },
  {
    // Partners have the types of the events from the client.
    role: "the events of the hosted page in a frame, and its script",
    files: "web/kyc/embedding/{embed,events}.ts",
    may: ["web/kyc/embedding/events", "web/{json,timing}", "client/package/embed"]
  },
  {
    role: "the hosted page",
    files: "web/kyc/**/*.{ts,tsx}",
    may: [
      "web/{brand,kyc,ui}/**",
      "web/{json,timing}",
      "kyc/instances/{rules,colour,country,own-consent}-model",
      "kyc/checks/field-meanings-model",
      preact,
      "altcha-lib{,/algorithms/web/*}",
      "lean-qr/{nano,extras/svg}"
    ]
  },
  {
    role: "what draws charts",
    files: "web/dashboard/charts/drawing.ts",
    may: ["web/dashboard/charts/bars", "uplot"]
  },
  {
    role: "what reads YAML in the dashboard",
    files: "web/dashboard/marketplace/publishing/yaml.ts",
    may: ["web/dashboard/common/json/syntax", "web/json", "yaml"]
  },
  {
    // From the hosted page, only the modules that edit and preview an instance, and those that read a session.
    role: "the dashboard",
    files: "web/dashboard/**/*.{ts,tsx}",
    may: [
      "web/{brand,dashboard,reference,ui}/**",
      "web/{context,json,timing}",
      "client/package/index",
      "web/kyc/{i18n/languages,instances/*,preview/messages,steps/countries}",
      "@panzoom/panzoom",
      "keys/scopes-model",
      "kyc/instances/default-workflow-model",
      preact
    ]
  },
  {
    role: "the script of the docs",
    files: "web/docs/**/*.{ts,tsx}",
    may: ["web/{brand,docs,reference,ui}/**", "web/{json,timing}", preact]
  },

  // The TypeScript client runs without doorlock, and without any package.
  { role: "the client", files: "client/package/**", may: ["client/package/**"] },
  {
    role: "what makes the client",
    files: "client/*",
    may: ["client/*", "http/contract/*", "../package.json", node]
  },
  {
    // The one page whose headers depend on stored data.
    role: "the KYC page",
    files: "pages/kyc.ts",
    may: [...aPage, "kyc/embedding/service"]
  },
  {
    // Whether the browser has a dashboard session decides what the script asks for.
    role: "the docs and the dashboard",
    files: "pages/{docs,dashboard}.ts",
    may: [...aPage, "accounts/guards"]
  },
  {
    role: "the pages of the docs",
    files: "pages/docs/**",
    may: [
      "own/docs/*",
      "client/names",
      "web/{brand/**,reference/**,json}",
      "marked",
      "node:path",
      "preact{,-render-to-string}"
    ]
  },
  { role: "the package of the client", files: "pages/client.ts", may: [...aPage, "../package.json"] },
  { role: "a page", files: "pages/**", may: [...aPage, "web/json"] },

  { role: "the signatures of webhooks", files: "webhooks/signature.ts", may: [node] },

  // A feature. `partner-repo.ts` is a `repo.ts`.
  {
    role: "a feature's api.ts",
    files: `${anyFeature}/{,*-}api.ts`,
    may: [
      ...models,
      ...errors,
      "own/{{,*-}{api,examples},guards}",
      `${anyFeature}/guards`,
      contractHelpers,
      platform,
      effect
    ]
  },
  {
    // Who may call: middleware tags for any feature's routes, and their part of the OpenAPI description.
    role: "a feature's guards.ts",
    files: `${anyFeature}/guards.ts`,
    may: [...models, ...errors, `${anyFeature}/guards`, contractHelpers, platform, effect]
  },
  {
    role: "a feature's http.ts",
    files: `${anyFeature}/{,*-}http.ts`,
    // A credential identifies the caller. Routes that accept several families of credentials compose them.
    may: [
      "own/**",
      "!own/{,*-}repo",
      noCommands,
      ...models,
      `${anyFeature}/{credential,guards}`,
      "http/**",
      "observability/{figures,metrics}",
      "config",
      platform,
      effect
    ]
  },
  {
    // The "ports" are the feature's other files (`own/passwords`). db/sql and SqlClient are for `transaction`.
    role: "a feature's service.ts",
    files: `${anyFeature}/{,*-}service.ts`,
    may: [
      "own/**",
      "!own/{,*-}{api,http}",
      noCommands,
      `${anyFeature}/{,*-}service`,
      ...models,
      ...errors,
      "config",
      "secrets/*",
      "limits/*",
      "observability/metrics",
      "db/sql",
      "@effect/sql/SqlClient",
      "lru-cache",
      effect
    ]
  },
  {
    // Own errors: the statement that violates a constraint turns the violation into a domain error. Own repos: they share
    // pieces of SQL.
    role: "a feature's repo.ts",
    files: `${anyFeature}/{,*-}repo.ts`,
    may: [...models, "own/{,*-}{errors,repo}", "db/*", "@effect/sql{,-pg}/*", effect]
  },
  {
    role: "a feature's model.ts",
    files: `${anyFeature}/{,*-}model.ts`,
    may: [...models, "secrets/*", effect]
  },
  { role: "a feature's errors.ts", files: `${anyFeature}/{,*-}errors.ts`, may: [effect] },
  {
    // A credential that accepts several families composes them.
    role: "a feature's credential.ts",
    files: `${anyFeature}/credential.ts`,
    may: [
      ...anythingBelow,
      ...models,
      `${anyFeature}/{credential,guards}`,
      "own/**",
      "!own/{,*-}{api,http,repo}",
      noCommands
    ]
  },
  {
    // Endpoints are called by the gateway's own client, with its checks of addresses and certificates.
    role: "the requests to webhook endpoints",
    files: "webhooks/posting.ts",
    may: [
      "own/{,*-}model",
      "gateway/{chunked,connection,dial,faults,pool,resolve,response-head,upstream}",
      "shared/{storable,timing}",
      effect
    ]
  },
  {
    // All other files of a feature: credentials, caches, batches, adapters of a library.
    role: "another file of a feature",
    files: `${anyFeature}/**`,
    may: [
      "**",
      `!${anyFeature}/**`,
      "!{api,cli,cli/**,command-line,feature,features,process/**,workers/**}",
      "!own/{,*-}{api,http}",
      noCommands,
      ...models,
      `${anyFeature}/{credential,{,*-}service}`
    ]
  },

  // Below the features.
  {
    role: "http/contract",
    files: "http/contract/**",
    may: ["http/contract/*", "limits/errors", "shared/*", platform, effect]
  },
  { role: "http/runtime", files: "http/runtime/**", may: anythingBelow },
  {
    // Treated as a package: of the rest of doorlock, it imports only the timers, and db/ imports only its index.ts.
    role: "db/driver/",
    files: "db/driver/**",
    may: [
      "db/driver/*",
      "shared/timing",
      "@effect/sql{,-pg}/*",
      "@effect/experimental/Reactivity",
      "pg{,-protocol}",
      node,
      effect
    ]
  },
  {
    role: "db/",
    files: "db/**",
    may: [...anythingBelow, "!http/**", "!db/driver/**", "db/driver/index"]
  },
  {
    role: "limits/",
    files: "limits/**",
    may: ["limits/*", "shared/*", "lru-cache", node, effect]
  },
  { role: "secrets/", files: "secrets/**", may: ["secrets/*", "shared/error", "config", node, effect] },
  { role: "observability/", files: "observability/**", may: [...anythingBelow, "!db/**"] },
  {
    role: "config.ts",
    files: "config.ts",
    may: ["shared/*", node, effect]
  },
  { role: "shared/", files: "shared/**", may: ["shared/*", "bun", node, effect] }
]

/** Refused in every file, whatever its row says; `except` names the exception. */
const refusedEverywhere: ReadonlyArray<{
  readonly imports: string
  readonly except?: string
  readonly because: string
}> = [
  { imports: "main", because: "nothing imports main" },
  {
    imports: "process/program",
    except: "{main,process/worker-launch}.ts",
    because: "nothing but main and a worker imports the program"
  },
  {
    imports: "process/server",
    except: "process/serving.ts",
    because: "nothing but the program imports server"
  },
  { imports: "db/driver/*", except: "db/**", because: "nothing but db/ imports its driver" },
  {
    imports: "@effect/*",
    because: "the barrel costs tens of MB of memory: import the module by its subpath"
  }
]

/** An import that breaks a rule. */
export interface Offence {
  /** `<path below src>:<line>` */
  readonly at: string
  readonly specifier: string
  readonly because: string
}

const matches = (pattern: string, path: string): boolean => new Bun.Glob(pattern).match(path)

/** The feature a path below `src/` is in (`kyc/sessions`), or undefined. */
const featureOf = (path: string): string | undefined => {
  const segments = path.split("/")
  return [segments.slice(0, 1), segments.slice(0, 2)]
    .filter((folder) => folder.length < segments.length)
    .map((folder) => folder.join("/"))
    .find((folder) => matches(anyFeature, folder))
}

/** An import's name in the table. */
const targetOf = (file: string, specifier: string): string => {
  if (!specifier.startsWith(".")) return specifier
  const path = posix.join(posix.dirname(file), specifier).replace(/\.[cm]?[jt]sx?$/, "")
  const feature = featureOf(path)
  return feature !== undefined && feature === featureOf(file) ? `own/${path.slice(feature.length + 1)}` : path
}

const permits = (may: ReadonlyArray<string>, target: string): boolean => {
  const decisive = may.findLast((pattern) => matches(pattern.replace(/^!/, ""), target))
  return decisive !== undefined && !decisive.startsWith("!")
}

/**
 * `import` and `export ... from` statements, bare imports, and `import("...")` as a call and as a type. Statements must
 * start a line, as the formatter leaves them, so that text in comments and SQL does not count.
 */
const importForms = [
  /^(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?(?:\*(?:\s+as\s+[\w$]+)?|\{[^}]*\}|[\w$]+)\s+from\s+"([^"]+)"/gm,
  /^import\s+"([^"]+)"/gm,
  /\bimport\(\s*"([^"]+)"/g
]

/** Every import of a file, in line order. */
export const importsOf = (
  source: string
): ReadonlyArray<{ readonly line: number; readonly specifier: string }> =>
  importForms
    .flatMap((form) => [...source.matchAll(form)])
    .map((found) => ({
      // The statement's last line, which names the module.
      line: source.slice(0, found.index + found[0].length).split("\n").length,
      specifier: found[1] ?? ""
    }))
    .sort((left, right) => left.line - right.line)

const reasonAgainst = (file: string, specifier: string): string | undefined => {
  const target = targetOf(file, specifier)
  const refused = refusedEverywhere.find(
    (row) => !(row.except !== undefined && matches(row.except, file)) && matches(row.imports, target)
  )
  if (refused !== undefined) return refused.because
  const rule = importRules.find((row) => matches(row.files, file))
  if (rule === undefined) return "no row of the table is about this file"
  return permits(rule.may, target) ? undefined : `${rule.role} may not import ${target}`
}

/**
 * Every import of a file that breaks a rule, in line order.
 *
 * @param file path below `src/`, such as `keys/http.ts`
 * @param source the file's text
 */
export const offencesOf = (file: string, source: string): ReadonlyArray<Offence> =>
  importsOf(source).flatMap(({ line, specifier }) => {
    const because = reasonAgainst(file, specifier)
    return because === undefined ? [] : [{ at: `${file}:${line}`, specifier, because }]
  })

/** The imports of each file, including type-only imports, by paths below `src/`. */
export type ImportGraph = ReadonlyMap<string, ReadonlyArray<string>>

/** @param sources the files' texts, by path below `src/` */
export const importGraph = (sources: ReadonlyMap<string, string>): ImportGraph =>
  new Map(
    [...sources].map(([file, source]) => [
      file,
      importsOf(source)
        .filter(({ specifier }) => specifier.startsWith("."))
        .map(({ specifier }) => posix.join(posix.dirname(file), specifier))
        .filter((target) => sources.has(target))
    ])
  )
