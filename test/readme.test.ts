import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readConfiguration } from "../src/config.ts"
import { eventually } from "./support/eventually.ts"
import { temporaryFolder } from "./support/postgres.ts"

const root = join(import.meta.dirname, "..")
const readme = readFileSync(join(root, "README.md"), "utf8")
const walk = /```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? ""

/** The program itself, on an embedded database in `dataDir`; stopped with the scope. */
const start = (dataDir: string, port: number) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Bun.spawn([process.execPath, "src/main.ts"], {
        cwd: root,
        env: {
          PATH: process.env.PATH,
          PORT: String(port),
          HOST: "127.0.0.1",
          DATA_DIR: dataDir,
          LOG_LEVEL: "warning"
        },
        stdout: "ignore",
        stderr: "inherit"
      })
    ),
    (program) =>
      Effect.promise(() => {
        program.kill("SIGTERM")
        return program.exited
      })
  )

const freePort = Effect.sync(() => {
  const server = Bun.serve({ port: 0, fetch: () => new Response() })
  const { port = 0 } = server
  server.stop(true)
  return port
})

const isReady = (base: string) =>
  Effect.promise(() =>
    fetch(`${base}/readyz`).then(
      ({ ok }) => ok,
      () => false
    )
  )

it.scopedLive(
  "The README's walk, pasted as it stands, ends with a completed and verified session",
  () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const base = `http://localhost:${port}`
      yield* start(yield* temporaryFolder, port)
      yield* eventually("the service is ready", 15_000, isReady(base))

      const shell = Bun.spawn(["sh", "-e", "-c", walk.replace("http://localhost:3000", base)], {
        cwd: root,
        stdout: "pipe",
        stderr: "pipe"
      })
      const output = yield* Effect.promise(() => new Response(shell.stdout).text())
      assert.strictEqual(yield* Effect.promise(() => shell.exited), 0, output)

      const { session } = JSON.parse(output.trim().split("\n").at(-1) ?? "")
      assert.strictEqual(session.status, "completed")
      assert.deepStrictEqual(session.progress, { s_person: { givenName: "Ada" } })
      assert.deepStrictEqual(session.result, { outcome: "submitted" })
      assert.strictEqual(session.assurance.captcha.verified, true)
      assert.deepStrictEqual(session.assurance.dedup, { matchFound: false, seenCount: 1 })
    }),
  60_000
)

it.effect("The README's configuration table names every variable that is read, and no other", () =>
  Effect.gen(function* () {
    const read = new Set<string>()
    const environment = new Proxy<Record<string, string | undefined>>(
      {},
      {
        get: (_, name) => {
          read.add(String(name))
          return undefined
        }
      }
    )
    yield* readConfiguration(environment)
    const table = readme.slice(readme.indexOf("| Variable "), readme.indexOf("`docker compose up`"))
    const named = [...table.matchAll(/^\| (`[^|]*)\|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([A-Z_0-9]+)`/g)].map(([, name = ""]) => name)
    )
    assert.deepStrictEqual(named.sort(), [...read].sort())
  })
)
