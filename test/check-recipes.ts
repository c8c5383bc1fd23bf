/** Part of `bun run check`: types, formatting, lint and unused exports of the code in docs/CONTRIBUTING.md. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { followRecipes } from "./support/run/recipes.ts"

const folder = await mkdtemp(join(tmpdir(), "doorlock-recipes-"))
const checked = async (...command: ReadonlyArray<string>): Promise<boolean> =>
  (await Bun.spawn([process.execPath, "x", "--no-install", ...command], {
    cwd: folder,
    stdio: ["ignore", "inherit", "inherit"]
  }).exited) === 0
try {
  const paths = await followRecipes(folder)
  const typed = await checked("tsc", "--build", "src/web")
  const tidy = await checked(
    "biome",
    "ci",
    "--error-on-warnings",
    "--vcs-enabled=false",
    ...paths.filter((path) => !path.endsWith(".sql"))
  )
  const used = await checked("knip-bun")
  if (!typed || !tidy || !used) {
    process.stderr.write(
      "The code in docs/CONTRIBUTING.md, applied to a copy of the repository, does not pass.\n"
    )
    process.exitCode = 1
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
