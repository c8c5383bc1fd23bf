/** The client as a partner gets it: packed, installed into an empty folder, compiled there, and run. */
import { cp, readdir } from "node:fs/promises"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { temporaryFolder } from "../support/postgres.ts"
import { startServer } from "../support/server.ts"

const root = join(import.meta.dirname, "../..")

/** The output of a command that has to succeed. */
const run = (folder: string, ...command: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const child = Bun.spawn([...command], { cwd: folder, stdout: "pipe", stderr: "pipe" })
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited
    ])
    assert.strictEqual(code, 0, `${command.join(" ")}: ${stdout}${stderr}`)
    return stdout.trim()
  })

/** The scripts of the package as they are published, compressed together. */
const weight = (lib: string) =>
  Effect.promise(async () => {
    const files = [...new Bun.Glob("**/*.js").scanSync(lib)]
    const texts = await Promise.all(files.map((file) => Bun.file(join(lib, file)).text()))
    return Bun.gzipSync(texts.join("\n"), { level: 9 }).length
  })

it.scopedLive("walks KYC, marketplace and webhooks on Node and on Bun, and weighs less than 15 kB", () =>
  Effect.gen(function* () {
    const server = yield* startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" })
    const built = yield* temporaryFolder
    const folder = yield* temporaryFolder
    yield* run(root, process.execPath, "src/client/build.ts", built)
    expect(yield* weight(join(built, "lib"))).toBeLessThan(15_000)

    yield* run(built, "npm", "pack", "--silent", "--pack-destination", folder)
    const [tarball = ""] = yield* Effect.promise(() => readdir(folder))
    yield* Effect.promise(async () => {
      await Bun.write(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }))
      await cp(join(import.meta.dirname, "consumer/walk.ts"), join(folder, "walk.ts"))
    })
    yield* run(folder, "npm", "install", "--silent", "--offline", "--no-audit", `./${tarball}`)
    const installed = yield* Effect.promise(() => readdir(join(folder, "node_modules")))
    expect(installed.filter((name) => !name.startsWith("."))).toEqual(["doorlock-client"])

    const strict = ["--strict", "--exactOptionalPropertyTypes", "--ignoreConfig", "walk.ts"]
    const target = ["--target", "es2022", "--lib", "es2022,dom"]
    const compilers = [
      // The compiler of today, and the last one before it, which many still have.
      [join(root, "node_modules/typescript/bin/tsc"), "--module", "nodenext", ...target, ...strict],
      [
        join(root, "node_modules/typescript5/bin/tsc"),
        ...["--noEmit", "--module", "esnext", "--moduleResolution", "bundler"],
        ...target,
        ...strict.filter((option) => option !== "--ignoreConfig")
      ]
    ]
    for (const command of compilers) expect(yield* run(folder, "node", ...command)).toBe("")

    for (const runtime of ["node", process.execPath])
      expect(yield* run(folder, runtime, "walk.js", server.url)).toBe("walked")
  })
)
