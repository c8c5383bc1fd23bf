/** Applies the code blocks of docs/CONTRIBUTING.md to a copy of the repository. */
import { readFileSync } from "node:fs"
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"

const root = join(import.meta.dirname, "../../..")

interface Block {
  /** A path from the repository's root; `NNNN` is the next free number of a migration. */
  readonly path: string
  readonly language: string
  readonly code: string
}

const blocks: ReadonlyArray<Block> = [
  ...readFileSync(join(root, "docs/CONTRIBUTING.md"), "utf8").matchAll(
    /^\*\*`(?<path>[^`]+)`\*\*(?: \(new\))?\n\n```(?<language>\w+)\n(?<code>[\s\S]*?)^```$/gm
  )
].map(({ groups: { code = "", language = "", path = "" } = {} }) => ({ path, language, code }))

/** Applies a diff to the text. Line numbers are ignored; each hunk must match exactly once. */
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
 * Copies the service's files into a folder and follows the recipes there.
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
    "docs/examples",
    "LICENSE"
  ]) {
    await cp(join(root, name), join(folder, name), { recursive: true })
  }
  // Links packages one by one, because the compiler's cache in `node_modules/.cache` must not be shared.
  await mkdir(join(folder, "node_modules"))
  for (const name of await readdir(join(root, "node_modules"))) {
    if (name !== ".cache") {
      await symlink(join(root, "node_modules", name), join(folder, "node_modules", name))
    }
  }
  const applied = (await readdir(join(folder, "migrations"))).sort().at(-1) ?? ""
  let number = Number(applied.slice(0, 4))
  const paths = blocks.map(({ path }) => path.replace("NNNN", () => String(++number).padStart(4, "0")))
  for (const [index, { code, language, path }] of blocks.entries()) {
    const file = join(folder, paths[index] ?? path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, language === "diff" ? patched(path, await readFile(file, "utf8"), code) : code)
  }
  const writer = Bun.spawn([process.execPath, join(folder, "test/support/run/write-client.ts")], {
    stdio: ["ignore", "inherit", "inherit"]
  })
  if ((await writer.exited) !== 0) throw new Error("The client cannot be made from the contract")
  return paths
}
