import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { emptyDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { install } from "../support/examples.ts"
import { opened, reviewerOf, reviewingCompany } from "../support/kyc/reviews.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { run, runUntilReady } from "../support/program.ts"
import { startServer } from "../support/server.ts"

const root = join(import.meta.dirname, "../..")
const page = (path: string) => readFileSync(join(root, path), "utf8")
const walk = [...page("docs/walk.md").matchAll(/```sh\n([\s\S]*?)```/g)].map(([, lines]) => lines).join("\n")

it.scopedLive(
  "The walk of docs/walk.md, pasted unchanged, completes and verifies a session and calls the gateway",
  () =>
    Effect.gen(function* () {
      // On a database of one's own as the page says, when the tests are run on one.
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
      assert.deepStrictEqual(session.assurance.dedup, {
        matchFound: false,
        seenCount: 1,
        earlierCompleted: false
      })
    })
)

it.scopedLive("The code in the README waits until a person has finished and is approved", () =>
  Effect.gen(function* () {
    const server = yield* startServer()
    const company = yield* reviewingCompany(server)
    const folder = yield* temporaryFolder
    yield* install(server, folder)
    const [code = ""] = [...page("README.md").matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block)
    const file = join(folder, "verify.ts")
    yield* Effect.promise(() => Bun.write(file, code))
    const program = yield* run(
      {
        DOORLOCK_URL: server.url,
        DOORLOCK_API_KEY: company.key.token,
        DOORLOCK_INSTANCE: company.instance.publicKey
      },
      file
    )
    const link = () => /^Open (\S+)$/m.exec(program.stdout())?.[1]
    yield* eventually("the link", () => link() !== undefined)
    const session = opened({ body: { verificationUrl: link() } })
    yield* company.progress(session, { progress: { s_person: { name: "Ada" } } })
    yield* company.complete(session)
    const { decide } = yield* reviewerOf(company)
    const decided = yield* decide(session, { decision: "approved", reasons: [] })
    assert.strictEqual(decided.status, 200)
    assert.strictEqual(yield* program.exited, 0)
    assert.match(program.stdout(), /\ncustomer-42 is approved\n$/)
  })
)
