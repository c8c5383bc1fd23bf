/** docs/operations.md, Back up and restore: a dump, and the folder of the embedded database, copied while nothing runs on it. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createSession, onboard, send } from "../support/client.ts"
import { check, newKeyHash } from "../support/kyc/dedup.ts"
import { emptyServer, postgresPrograms } from "../support/machine/standby.ts"
import { databaseUrl, execute, temporaryFolder } from "../support/postgres.ts"
import { runUntilReady } from "../support/program.ts"

const settings = { SEED_DEMO: "false", LOG_LEVEL: "warning" }

it.scopedLive(
  "a copy of DATA_DIR is a whole installation: data, keys, and everything derived from SECRET_KEY",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const copy = join(yield* temporaryFolder, "copy")
      const keyHash = newKeyHash()
      const given = yield* Effect.scoped(
        Effect.gen(function* () {
          const program = yield* runUntilReady({ ...settings, DATA_DIR: dataDir })
          const server = { ...program, databaseUrl: Redacted.make("") }
          const company = yield* onboard(server)
          yield* check({ server }, company.session, keyHash)
          return company
        })
      )
      // With owners and modes, as `node:fs` does not copy it.
      execFileSync("cp", ["-a", dataDir, copy])
      const program = yield* runUntilReady({ ...settings, DATA_DIR: copy })
      const server = { ...program, databaseUrl: Redacted.make("") }
      const { path, token } = given.session
      expect((yield* send(server, "GET", `${path}?token=${token}`)).status).toBe(200)
      const session = yield* createSession(server, given.key.token, given.instance.id)
      expect((yield* check({ server }, session, keyHash)).body).toMatchObject({
        matchFound: true,
        firstSessionId: given.session.id
      })
    })
)

const page = readFileSync(join(import.meta.dirname, "../../docs/operations.md"), "utf8")

/** What the page has between the two texts. */
const between = (before: string, after: string): string => {
  const [, rest = ""] = page.split(before)
  const [found = ""] = rest.split(after)
  expect(found, before).not.toBe("")
  return found
}

describe.skipIf(postgresPrograms === undefined)("a dump (needs Debian's Postgres)", () => {
  it.scopedLive("is restored by the commands of the page, and doorlock serves from it as its own role", () =>
    Effect.gen(function* () {
      const superuser = yield* emptyServer
      const setUp = between("2. **Create the database**, on Postgres 14 or newer: `", "`")
      for (const statement of setUp.split("; ")) yield* execute(superuser, statement)
      const asService = (name: string) => {
        const url = new URL(Redacted.value(databaseUrl(superuser, name)))
        url.username = "doorlock"
        return url.href
      }
      const folder = yield* temporaryFolder
      const own = { ...settings, SIGNUP: "open", SECRET_KEY: crypto.randomUUID(), DATA_DIR: folder }
      const given = yield* Effect.scoped(
        Effect.gen(function* () {
          const program = yield* runUntilReady({ ...own, DATABASE_URL: asService("doorlock") })
          return yield* onboard({ ...program, databaseUrl: superuser })
        })
      )
      const commands = between(
        "To back up your own database while it is in use, and to restore the backup:\n\n",
        "\n\n"
      )
      const { hostname, port } = new URL(Redacted.value(superuser))
      execFileSync("sh", ["-e", "-c", commands.replaceAll(/^ {4}/gm, "")], {
        cwd: folder,
        env: {
          PATH: `${postgresPrograms}:${process.env.PATH}`,
          PGHOST: hostname,
          PGPORT: port,
          PGUSER: "postgres",
          DATABASE_URL: asService("doorlock"),
          RESTORED_URL: asService("restored")
        }
      })
      const program = yield* runUntilReady({ ...own, DATABASE_URL: asService("restored") })
      const server = { ...program, databaseUrl: superuser }
      const { path, token } = given.session
      expect((yield* send(server, "GET", `${path}?token=${token}`)).status).toBe(200)
      yield* createSession(server, given.key.token, given.instance.id)
    })
  )
})
