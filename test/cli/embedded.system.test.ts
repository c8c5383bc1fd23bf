/** Commands on the embedded database: while a service runs on it, alone, and in parallel. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { cli, cliEnvironment, cliFile, cliProcess, jsonOf } from "../support/cli.ts"
import { field, send } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { databasePid, isAlive, runUntilReady } from "../support/program.ts"

const files = (folder: string) => Effect.promise(() => readdir(folder))

it.scopedLive(
  "alone: only migrate creates a database, and each command stops the database that it started",
  () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const env = { DATA_DIR: folder }
      yield* cli(["key", "list"], { env, exitCode: 4 })
      yield* cli(["doctor"], { env })
      const refused = yield* cli(["company", "create", "One"], { env, exitCode: 4 })
      expect(refused.stderr).toBe(
        `doorlock: There is no database in DATA_DIR ${folder}; create one with the command migrate, or set DATA_DIR or DATABASE_URL to yours.\n`
      )
      expect(yield* files(folder)).toEqual([])

      const made = yield* cliProcess(["migrate", "--json"], { env })
      expect(made.stderr).toBe("")
      expect(field(jsonOf(made), "applied", 0)).toBe("0001_accounts.sql")
      expect(yield* files(join(folder, "postgres"))).not.toContain("postmaster.pid")
      yield* cli(["company", "create", "One"], { env })
      expect(yield* cli(["key", "list"], { env })).toEqual({
        exitCode: 0,
        stdout: "The company has no keys.\n",
        stderr: ""
      })
      expect(jsonOf(yield* cli(["doctor", "--json"], { env }))).toMatchObject({ ok: true })
      expect(yield* files(join(folder, "postgres"))).not.toContain("postmaster.pid")
    })
)

it.scopedLive(
  "in parallel: all commands succeed, even one that begins while another starts the database",
  () =>
    Effect.gen(function* () {
      const env = { DATA_DIR: yield* temporaryFolder }
      const migrated = yield* Effect.all(
        [cliProcess(["migrate"], { env }), cliProcess(["migrate"], { env })],
        {
          concurrency: "unbounded"
        }
      )
      expect(migrated.map(({ stderr }) => stderr)).toEqual(["", ""])
      const names = ["One", "Two", "Three"]
      const made = yield* Effect.forEach(names, (name) => cliProcess(["company", "create", name], { env }), {
        concurrency: "unbounded"
      })
      expect(made.map(({ stderr }) => stderr)).toEqual(names.map(() => ""))
      const verified = yield* cli(["audit", "verify", "--json"], { env })
      expect(field(jsonOf(verified), "trails")).toHaveLength(3)
    })
)

it.scopedLive("while a service runs: commands use its database and leave it running", () =>
  Effect.gen(function* () {
    const env = { DATA_DIR: yield* temporaryFolder }
    const service = yield* runUntilReady({ ...env, SEED_DEMO: "false" })
    const database = yield* databasePid(env.DATA_DIR)
    const made = yield* Effect.forEach(
      ["One", "Two"],
      (name) => cliProcess(["company", "create", name, "--json"], { env }),
      { concurrency: "unbounded" }
    )
    expect(made.map(({ stderr }) => stderr)).toEqual(["", ""])
    const password = "correct horse battery staple"
    yield* cli(
      ["user", "create", "a@example.com", "--company", "One", "--role", "owner", "--password-stdin"],
      { env, stdin: password }
    )
    const login = yield* send(service, "POST", "/api/auth/login", {
      json: { email: "a@example.com", password }
    })
    expect(login.status).toBe(200)
    expect(yield* databasePid(env.DATA_DIR)).toBe(database)
    expect(yield* isAlive(database)).toBe(true)
    yield* eventually(
      "it is ready",
      Effect.map(send(service, "GET", "/readyz"), ({ status }) => status === 200)
    )
  })
)

it.scopedLive("A command that is interrupted stops the database it has started", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const child = spawn(process.execPath, [cliFile, "migrate", "--json"], {
      env: cliEnvironment({ DATA_DIR: folder }),
      stdio: ["ignore", "pipe", "inherit"]
    })
    let stdout = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      stdout += chunk
    })
    const closed = once(child, "close")
    yield* eventually(
      "the database is being made or started",
      Effect.map(files(folder), (names) => names.some((name) => name.startsWith("postgres.new-")))
    )
    child.kill("SIGTERM")
    yield* Effect.promise(() => closed)
    expect([child.exitCode, JSON.parse(stdout)]).toEqual([130, { error: "Interrupted." }])
    // The next one is not in its way.
    yield* cli(["migrate"], { env: { DATA_DIR: folder } })
  })
)
