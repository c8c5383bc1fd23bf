/**
 * `bun run build:client [FOLDER]` builds the client into a folder that can be published as it is, by default `dist/client`. Without FOLDER, it also
 * packs `doorlock-client.tgz`, which doorlock serves. That file is in the repository, because an installation has no compiler.
 */
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import service from "../../package.json" with { type: "json" }

const root = join(import.meta.dirname, "../..")
const source = join(import.meta.dirname, "package")

const description = {
  name: "doorlock-client",
  version: service.version,
  description: "Client of doorlock: identity verification, API keys and an API marketplace.",
  license: service.license,
  type: "module",
  sideEffects: false,
  engines: { node: ">=20.3" },
  exports: {
    ".": { types: "./lib/index.d.ts", default: "./lib/index.js" },
    "./embed": { types: "./lib/embed.d.ts", default: "./lib/embed.js" }
  },
  types: "./lib/index.d.ts"
}

const folder = resolve(process.argv[2] ?? join(root, "dist/client"))
const lib = join(folder, "lib")
// A file of an older build must not be published.
await rm(lib, { recursive: true, force: true })
await mkdir(lib, { recursive: true })
const compiler = Bun.spawn(
  [
    process.execPath,
    "x",
    "--no-install",
    "tsc",
    ...["--project", join(source, "tsconfig.build.json"), "--outDir", lib]
  ],
  { cwd: root, stdio: ["ignore", "inherit", "inherit"] }
)
if ((await compiler.exited) !== 0) process.exit(1)
for (const file of new Bun.Glob("**/*.d.ts").scanSync(lib)) {
  // The compiler rewrites the imports of scripts only.
  const text = await readFile(join(lib, file), "utf8")
  await writeFile(join(lib, file), text.replaceAll(/(from "\.[^"]*)\.ts"/g, '$1.js"'))
}
await writeFile(join(folder, "package.json"), `${JSON.stringify(description, null, 2)}\n`)
await cp(join(source, "README.md"), join(folder, "README.md"))
await cp(join(root, "LICENSE"), join(folder, "LICENSE"))
if (process.argv[2] === undefined) {
  const packing = Bun.spawn(
    [
      process.execPath,
      ...["pm", "pack", "--quiet", "--filename", join(import.meta.dirname, "doorlock-client.tgz")]
    ],
    { cwd: folder, stdio: ["ignore", "ignore", "inherit"] }
  )
  if ((await packing.exited) !== 0) process.exit(1)
}
process.stdout.write(`${folder}\n`)
