import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { readConfiguration } from "../../src/config.ts"
import { emptyDatabase } from "../support/database.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { runUntilReady } from "../support/program.ts"

const root = join(import.meta.dirname, "../..")
const readme = readFileSync(join(root, "README.md"), "utf8")
const walk = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, lines]) => lines).join("\n")

it.scopedLive(
  "The README's walk, pasted unchanged, completes and verifies a session and calls the gateway",
  () =>
    Effect.gen(function* () {
      // On a database of one's own as the README says, when the tests are run on one.
      const database =
        process.env.DATABASE_URL === undefined
          ? { DATA_DIR: yield* temporaryFolder }
          : {
              DATABASE_URL: Redacted.value(yield* emptyDatabase),
              SECRET_KEY: "a secret key for tests, 32 bytes at least",
              SIGNUP: "open"
            }
      const { url } = yield* runUntilReady({ ...database, LOG_LEVEL: "warning" })
      const shell = Bun.spawn(["sh", "-e", "-c", walk.replace("http://localhost:3000", url)], {
        cwd: root,
        stdout: "pipe",
        stderr: "pipe"
      })
      const output = yield* Effect.promise(() => new Response(shell.stdout).text())
      assert.strictEqual(yield* Effect.promise(() => shell.exited), 0, output)

      const lines = output.trim().split("\n")
      assert.strictEqual(lines.at(-1), '{"status":"ok"}')
      const { session } = JSON.parse(lines.find((line) => line.includes('"assurance"')) ?? "")
      assert.strictEqual(session.status, "completed")
      assert.deepStrictEqual(session.progress, { s_person: { givenName: "Ada" } })
      assert.deepStrictEqual(session.result, { outcome: "submitted" })
      assert.strictEqual(session.assurance.captcha.verified, true)
      assert.deepStrictEqual(session.assurance.dedup, { matchFound: false, seenCount: 1 })
    })
)

it.effect("The README's configuration table names exactly the variables that doorlock reads", () =>
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
