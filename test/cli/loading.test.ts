/** Which files a program loads: at its start, and later. */
import { posix } from "node:path"
import { expect, it } from "@effect/vitest"

const src = `${import.meta.dirname}/../../src`
const transpilers = { ts: new Bun.Transpiler({ loader: "ts" }), tsx: new Bun.Transpiler({ loader: "tsx" }) }

/** The files of `src` that a file imports; types are not loaded. */
const importsOf = async (file: string, kinds: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  if (!/\.tsx?$/.test(file)) return []
  const transpiler = transpilers[file.endsWith("x") ? "tsx" : "ts"]
  return transpiler
    .scanImports(await Bun.file(`${src}/${file}`).text())
    .filter(({ kind, path }) => kinds.includes(kind) && path.startsWith("."))
    .map(({ path }) => posix.join(posix.dirname(file), path))
    .filter((path) => !path.startsWith(".."))
}

/** A file, and all that it loads, in alphabetical order. */
const loadedBy = async (first: string, kinds: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const found = new Set([first])
  // Iterating over a set also visits what is added during the loop.
  for (const file of found) for (const path of await importsOf(file, kinds)) found.add(path)
  return [...found].sort()
}

const atStart = ["import-statement"]
const ever = ["import-statement", "dynamic-import"]

const matching = (files: ReadonlyArray<string>, pattern: string) =>
  files.filter((file) => new Bun.Glob(pattern).match(file))

const ofCommands = "**/{{,*-}cli,cli-layer,checks}.ts"

it("the command line has the commands and checks of every feature", async () => {
  const files = [...new Bun.Glob(ofCommands).scanSync(src)].sort()
  expect(files).toContain("keys/cli.ts")
  expect(matching(await loadedBy("cli.ts", ever), ofCommands)).toEqual(files)
})

it("the service never loads a command", async () => {
  const files = await loadedBy("main.ts", ever)
  expect(files).toContain("keys/service.ts")
  expect(matching(files, `{${ofCommands},cli/**}`)).toEqual([])
})

it("`--help` loads every command, and nothing that commands do", async () => {
  const files = await loadedBy("cli.ts", atStart)
  expect(files).toContain("keys/cli.ts")
  const work = "**/{{,*-}{api,http,layer,repo,service},checks,feature,features,server}.ts"
  expect(matching(files, `{${work},db/**,cli/checks/**}`)).toEqual([])
})
