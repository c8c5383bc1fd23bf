/** The code blocks of docs/CONTRIBUTING.md, and a copy of the repository that has them. */
import { readFileSync } from "node:fs"
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"

const root = join(import.meta.dirname, "../../..")

interface Block {
  /** Below the root; `NNNN` is the number of the next migration. */
  readonly path: string
  readonly language: string
  readonly code: string
}

const blocks: ReadonlyArray<Block> = [
  ...readFileSync(join(root, "docs/CONTRIBUTING.md"), "utf8").matchAll(
    /^\*\*`(?<path>[^`]+)`\*\*(?: \(new\))?\n\n```(?<language>\w+)\n(?<code>[\s\S]*?)^```$/gm
  )
].map(({ groups: { code = "", language = "", path = "" } = {} }) => ({ path, language, code }))

/** The text with a diff applied. Line numbers do not matter; each hunk has to be found exactly once. */
const patched = (path: string, text: string, diff: string): string =>
  diff
    .split(/^@@\n/m)
    .slice(1)
    .reduce((result, hunk) => {
      const lines = hunk.trimEnd().split("\n")
      const side = (without: string) =>
        lines
          .filter((line) => !line.startsWith(without))
          .map((line) => `${line.slice(1)}\n`)
          .join("")
      const parts = result.split(side("+"))
      if (parts.length !== 2)
        throw new Error(
          `docs/CONTRIBUTING.md shows lines of ${path} that have changed; bring its diff up to date:\n${side("+")}`
        )
      return parts.join(side("-"))
    }, text)

/**
 * Copies what the service consists of into a folder, and follows the recipes there.
 *
 * @returns the paths of the files that the recipes create or change
 */
export const followRecipes = async (folder: string): Promise<ReadonlyArray<string>> => {
  for (const name of [
    "src",
    "test",
    "migrations",
    "package.json",
    "tsconfig.json",
    "biome.json",
    "LICENSE"
  ]) {
    await cp(join(root, name), join(folder, name), { recursive: true })
  }
  // Packages one by one: what the compiler keeps in `node_modules/.cache` is not shared.
  await mkdir(join(folder, "node_modules"))
  for (const name of await readdir(join(root, "node_modules"))) {
    if (name !== ".cache") {
      await symlink(join(root, "node_modules", name), join(folder, "node_modules", name))
    }
  }
  const applied = (await readdir(join(folder, "migrations"))).sort().at(-1) ?? ""
  const next = String(Number(applied.slice(0, 4)) + 1).padStart(4, "0")
  const paths = blocks.map(({ path }) => path.replace("NNNN", next))
  for (const [index, { code, language, path }] of blocks.entries()) {
    const file = join(folder, paths[index] ?? path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, language === "diff" ? patched(path, await readFile(file, "utf8"), code) : code)
  }
  return paths
}
