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
  "web/json",
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
const noCommands = "!own/{{,*-}cli,cli-layer,checks,stdio}"

const rule = (role: string, files: string, may: ReadonlyArray<string>): ImportRule => ({ role, files, may })

const importRules: ReadonlyArray<ImportRule> = [
  rule("the program", "{main,cli,command-line,features,process/*,workers/*}.ts", ["**"]),
  rule("what all commands need", "cli/**", [...anythingBelow, "cli/**"]),
  rule("the contract", "api.ts", ["features", "feature", "http/contract/*", platform, effect]),
  rule("how features are put together", "feature.ts", ["work/model", platform, effect]),
  // Adds the feature to the program. The list of features imports no other file of the feature.
  rule("a feature's feature.ts", `${anyFeature}/feature.ts`, [
    "own/**",
    noCommands,
    `${anyFeature}/credential`,
    effect
  ]),
  // A command calls a service, which it loads when it runs. The schemas of the API check its values. `listen` signs what it forwards.
  rule("a feature's cli.ts", `${anyFeature}/{,*-}cli.ts`, [
    "own/{{,*-}{api,cli,errors,service},cli-layer,checks,stdio}",
    ...models,
    "accounts/company-cli",
    "cli/{command,document,failures,installation,on-database,output,surroundings}",
    "secrets/*",
    "webhooks/signature",
    "../package.json",
    "@effect/cli/*",
    node,
    effect
  ]),
  rule("a feature's checks.ts", `${anyFeature}/checks.ts`, [
    "own/**",
    "!own/{feature,{,*-}{api,cli,http,repo}}",
    `${anyFeature}/{,*-}service`,
    "cli/check",
    "config",
    "shared/*",
    node,
    effect
  ]),
  // Gives use cases their dependencies. The catalog declares `upstreams`, and the gateway implements it.
  rule("a feature's layer.ts", `${anyFeature}/{,*-}layer.ts`, [
    "own/**",
    "!own/{feature,{,*-}{api,cli,http}}",
    `${anyFeature}/{,*-}{layer,service}`,
    "marketplace/catalog/upstreams",
    effect
  ]),

  // Types, and the default. The server owns the schema; the page reads configurations that an older server may have stored.
  rule("the hosted page's config and workflow", "web/kyc/instances/{config,workflow}.ts", [
    "web/**",
    "kyc/instances/{config,workflow,default-workflow}-model"
  ]),

  // Browser code imports browser code, packages for browsers, and the rules that page and server share. These rules import
  // only types.
  // For all pages, those that the server renders too.
  rule("icons and the mark", "web/brand/**", ["web/brand/**"]),
  rule("what all pages are made of", "web/{ui/**,context.ts,json.ts,timing.ts}", ["web/ui/**", preact]),
  // For the dashboard and for the pages of the docs, which the server renders.
  rule("what shows OpenAPI documents", "web/reference/**", ["web/{reference/**,context,json}", preact]),
  rule("the page that checks receipts", "web/kyc/receipt/*.{ts,tsx}", [
    "web/{brand,kyc,ui}/**",
    "kyc/receipts/{receipt,type}-model",
    preact,
    "jose"
  ]),
  // The page and the server read zones by the same code.
  rule("what reads documents in the hosted page", "web/kyc/reading/*.ts", [
    "web/kyc/{files/image,hints/frame,instances/workflow,screens/{own-worker,surroundings}}",
    "web/timing",
    "web/kyc/reading/*",
    "kyc/instances/country-model",
    "kyc/checks/{licence,sampling,zone-{candidates,layouts-model,lines,model,network,reading}}",
    "aamva-parser",
    "zxing-wasm/reader",
    preact
  ]),
  // Partners have the types of the events from the client.
  rule("the events of the hosted page in a frame, and its script", "web/kyc/embedding/{embed,events}.ts", [
    "web/kyc/embedding/events",
    "web/{json,timing}",
    "client/package/embed"
  ]),
  rule("the hosted page", "web/kyc/**/*.{ts,tsx}", [
    "web/{brand,kyc,ui}/**",
    "web/{json,timing}",
    "kyc/instances/{rules,colour,country,own-consent}-model",
    "kyc/checks/field-meanings-model",
    "kyc/dedup/identity-model",
    preact,
    "altcha-lib{,/algorithms/web/*}",
    "lean-qr/{nano,extras/svg}"
  ]),
  rule("what draws charts", "web/dashboard/charts/drawing.ts", ["uplot"]),
  rule("what reads YAML in the dashboard", "web/dashboard/marketplace/publishing/yaml.ts", [
    "web/dashboard/common/json/syntax",
    "web/json",
    "yaml"
  ]),
  // From the hosted page, only the modules that edit and preview an instance, and those that read a session.
  rule("the dashboard", "web/dashboard/**/*.{ts,tsx}", [
    "web/{brand,dashboard,reference,ui}/**",
    "web/{context,json,timing}",
    "client/package/index",
    "web/kyc/{i18n/languages,instances/*,preview/messages,steps/countries}",
    "@panzoom/panzoom",
    "keys/scopes-model",
    "kyc/checks/field-meanings-model",
    "kyc/instances/default-workflow-model",
    "kyc/sessions/files-named-model",
    preact
  ]),
  rule("the script of the docs", "web/docs/**/*.{ts,tsx}", [
    "web/{brand,docs,reference,ui}/**",
    "web/{json,timing}",
    preact
  ]),

  // The TypeScript client runs without doorlock, and without any package.
  rule("the client", "client/package/**", ["client/package/**"]),
  rule("what makes the client", "client/*", ["client/*", "http/contract/*", "../package.json", node]),
  // The one page whose headers depend on stored data.
  rule("the KYC page", "pages/kyc.ts", [...aPage, "kyc/embedding/service"]),
  // Whether the browser has a dashboard session decides what the script asks for.
  rule("the docs and the dashboard", "pages/{docs,dashboard}.ts", [...aPage, "accounts/guards"]),
  rule("the pages of the docs", "pages/docs/**", [
    "own/docs/*",
    "client/names",
    "web/{brand/**,reference/**,json}",
    "marked",
    "node:path",
    "preact{,-render-to-string}"
  ]),
  rule("the package of the client", "pages/client.ts", [...aPage, "../package.json"]),
  rule("a page", "pages/**", aPage),

  rule("the signatures of webhooks", "webhooks/signature.ts", [node]),

  // A feature. `partner-repo.ts` is a `repo.ts`.
  rule("a feature's api.ts", `${anyFeature}/{,*-}api.ts`, [
    ...models,
    ...errors,
    "own/{{,*-}{api,examples},guards}",
    `${anyFeature}/guards`,
    contractHelpers,
    platform,
    effect
  ]),
  // Who may call: middleware tags for any feature's routes, and their part of the OpenAPI description.
  rule("a feature's guards.ts", `${anyFeature}/guards.ts`, [
    ...models,
    ...errors,
    `${anyFeature}/guards`,
    contractHelpers,
    platform,
    effect
  ]),
  // A credential identifies the caller. Routes that accept several families of credentials compose them.
  rule("a feature's http.ts", `${anyFeature}/{,*-}http.ts`, [
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
  ]),
  // The "ports" are the feature's other files (`own/passwords`). db/sql and SqlClient are for `transaction`.
  rule("a feature's service.ts", `${anyFeature}/{,*-}service.ts`, [
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
  ]),
  // Own errors: the statement that violates a constraint turns the violation into a domain error. Own repos: they share
  // pieces of SQL.
  rule("a feature's repo.ts", `${anyFeature}/{,*-}repo.ts`, [
    ...models,
    "own/{,*-}{errors,repo}",
    "db/*",
    "@effect/sql{,-pg}/*",
    effect
  ]),
  rule("a feature's model.ts", `${anyFeature}/{,*-}model.ts`, [...models, "secrets/*", effect]),
  // An error may have the reasons of another.
  rule("a feature's errors.ts", `${anyFeature}/{,*-}errors.ts`, [...errors, effect]),
  // A credential that accepts several families composes them.
  rule("a feature's credential.ts", `${anyFeature}/credential.ts`, [
    ...anythingBelow,
    ...models,
    ...errors,
    `${anyFeature}/{credential,guards}`,
    "own/**",
    "!own/{,*-}{api,http,repo}",
    noCommands
  ]),
  // Endpoints are called by the gateway's own client, with its checks of addresses and certificates.
  rule("the requests to webhook endpoints", "webhooks/posting.ts", [
    "own/{,*-}model",
    "gateway/{chunked,connection,dial,faults,pool,resolve,response-head,upstream}",
    "shared/{storable,timing}",
    effect
  ]),
  // All other files of a feature: credentials, caches, batches, adapters of a library.
  rule("another file of a feature", `${anyFeature}/**`, [
    "**",
    `!${anyFeature}/**`,
    "!{api,cli,cli/**,command-line,feature,features,process/**,workers/**}",
    "!own/{,*-}{api,http}",
    noCommands,
    ...models,
    `${anyFeature}/{credential,{,*-}service}`
  ]),

  // Below the features.
  rule("http/contract", "http/contract/**", [
    "http/contract/*",
    "limits/errors",
    "shared/*",
    platform,
    effect
  ]),
  rule("http/runtime", "http/runtime/**", anythingBelow),
  // Treated as a package: of the rest of doorlock, it imports only the timers, and db/ imports only its index.ts.
  rule("db/driver/", "db/driver/**", [
    "db/driver/*",
    "shared/timing",
    "@effect/sql{,-pg}/*",
    "@effect/experimental/Reactivity",
    "pg{,-protocol}",
    node,
    effect
  ]),
  rule("db/", "db/**", [...anythingBelow, "!http/**", "!db/driver/**", "db/driver/index"]),
  rule("limits/", "limits/**", ["limits/*", "shared/*", "lru-cache", node, effect]),
  rule("secrets/", "secrets/**", ["secrets/*", "shared/error", "config", node, effect]),
  rule("observability/", "observability/**", [...anythingBelow, "!db/**"]),
  rule("config.ts", "config.ts", ["shared/*", node, effect]),
  rule("shared/", "shared/**", ["shared/*", "bun", node, effect])
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
const importsOf = (source: string): ReadonlyArray<{ readonly line: number; readonly specifier: string }> =>
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
