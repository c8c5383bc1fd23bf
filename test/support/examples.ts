/** The programs of docs/examples, as a partner runs them: copied, and with the client that the server has for download. */
import { cp, mkdir, rename, symlink } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { eventually } from "./eventually.ts"
import { temporaryFolder } from "./postgres.ts"
import { run } from "./program.ts"
import type { RunningServer } from "./server.ts"

const root = join(import.meta.dirname, "../..")

/** Installs the client, and links packages, in a folder that has no packages yet. */
export const install = (server: RunningServer, folder: string, packages: ReadonlyArray<string> = []) =>
  Effect.promise(async () => {
    const modules = join(folder, "node_modules")
    await mkdir(modules)
    const served = await fetch(`${server.url}/client/doorlock-client.tgz`)
    await new Bun.Archive(await served.bytes()).extract(modules)
    await rename(join(modules, "package"), join(modules, "doorlock-client"))
    for (const name of packages) await symlink(join(root, "node_modules", name), join(modules, name))
    await Bun.write(join(folder, "package.json"), '{"type":"module"}')
  })

/** Copies an example into a new folder, and installs there what it needs. */
export const copied = (server: RunningServer, example: string, packages: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    yield* Effect.promise(() => cp(join(root, "docs/examples", example), folder, { recursive: true }))
    yield* install(server, folder, packages)
    return folder
  })

/** Starts a program that says where it listens, and returns that address without a trailing slash. */
export const started = (environment: Readonly<Record<string, string>>, file: string, runtime?: string) =>
  Effect.gen(function* () {
    const program = yield* run(environment, file, [], runtime)
    const address = () => / at (http:\S+)\/$/m.exec(program.stdout())?.[1]
    yield* eventually(`${file} listens`, () => address() !== undefined).pipe(
      Effect.tapErrorCause(() => Effect.logError(program.stderr()))
    )
    return { program, url: address() ?? "" }
  })
