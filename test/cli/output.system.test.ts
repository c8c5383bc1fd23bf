/** What the command line says to whom, and how it ends. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { arrange, emptyOption } from "../../src/cli/command.ts"
import { help } from "../../src/cli/help.ts"
import { oneLine, table } from "../../src/cli/output.ts"
import { commandsOf } from "../../src/cli/run.ts"
import { commandLine } from "../../src/command-line.ts"
import { productionTimes } from "../../src/shared/times.ts"
import { cli, cliEnvironment, cliFile, cliProcess, jsonOf, onDatabase } from "../support/cli.ts"
import { send } from "../support/client.ts"
import { emptyDatabase, freshDatabase } from "../support/database.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { startServer } from "../support/server.ts"
import { hurriedClock } from "../support/stopped-clock.ts"
import { withTimes } from "../support/timing.ts"

const commands = [
  ["doctor"],
  ["migrate"],
  ["company", "create"],
  ["company", "list"],
  ["user", "create"],
  ["user", "list"],
  ["user", "password"],
  ["key", "create"],
  ["key", "list"],
  ["key", "revoke"],
  ["instance", "create"],
  ["instance", "list"],
  ["session", "show"],
  ["session", "cancel"],
  ["session", "resume"],
  ["receipt", "verify"],
  ["receipt", "rotate"],
  ["events"],
  ["listen"],
  ["mcp"],
  ["publish"],
  ["api", "list"],
  ["api", "unpublish"],
  ["api", "allow"],
  ["audit", "verify"],
  ["audit", "seal"],
  ["work", "list"],
  ["work", "retry"],
  ["work", "drop"],
  ["secrets", "reseal"],
  ["openapi"]
]

describe("--help", () => {
  it.live("of the program names every command and the exit codes", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* cliProcess(["--help"])
      expect(stderr).toBe("")
      const named = [...stdout.matchAll(/^ {2}([a-z]+(?: [a-z]+)?) {2,}[A-Z]/gm)].map(([, name]) => name)
      expect(named).toEqual(commands.map((words) => words.join(" ")))
      for (const code of [
        "0 done",
        "1 refused",
        "2 wrong usage",
        "3 wrong configuration",
        "70 an internal error"
      ]) {
        expect(stdout).toContain(code)
      }
      expect((yield* cli([])).stdout).toBe(stdout)
    })
  )

  it.each(commands.map((words) => words.join(" ")))(
    "of %s says what it does, how it is called, and what every option is",
    (name) => {
      const text = help(commandsOf("bun cli", commandLine), name.split(" "), (_, word) => word)
      const [about, , usage = "", , ...listed] = text.split("\n")
      expect(about).toMatch(/^[A-Z].+\.$/)
      expect(usage.startsWith(`Usage: bun cli ${name} `)).toBe(true)
      for (const line of listed) expect(line).toMatch(/^ {2}(?:<\w+>|--[a-z-]+).* {2}[A-Z].+\.$/)
      const options = [...usage.matchAll(/--[a-z-]+|<\w+>/g)].map(String)
      expect(options).toContain("--json")
      for (const option of options) expect(listed.join("\n")).toContain(option)
    }
  )

  it.live("is one JSON value with --json, and completions are for the command name doorlock", () =>
    Effect.gen(function* () {
      expect(jsonOf(yield* cli(["key", "revoke", "-h", "--json"]))).toEqual({
        text: expect.stringMatching(/^Revoke a platform API key[\s\S]+Usage: bun cli key revoke /)
      })
      const { stdout } = yield* cli(["--completions", "bash"])
      expect(stdout).toContain(
        "complete -F _doorlock_bash_completions -o nosort -o bashdefault -o default doorlock"
      )
    })
  )
})

describe("wrong usage is exit code 2 and one sentence:", () => {
  for (const [words, sentence] of [
    [["frob"], "There is no command frob; available: doctor, migrate, company, "],
    [["key"], "The command key needs a subcommand."],
    [["key", "frob"], "There is no command key frob; available: key create, key list, key revoke."],
    [["key", "create"], "Expected to find option: '--name'"],
    [["key", "list", "--frob"], "Received unknown argument: '--frob'"],
    [
      ["publish", "x.yaml", "--plan", "Free:many"],
      "Free:many is not a plan. Write name:requests per minute:requests per month."
    ]
  ] as const) {
    it.live(words.join(" "), () =>
      Effect.gen(function* () {
        const people = yield* cli(words, { exitCode: 2 })
        expect(people.stdout).toBe("")
        expect(people.stderr.startsWith(`doorlock: ${sentence}`)).toBe(true)
        expect(people.stderr.split("\n").slice(1)).toEqual(["Add --help for usage.", ""])
      })
    )
  }

  it.live("as JSON for programs", () =>
    Effect.gen(function* () {
      const ran = yield* cliProcess(["key", "--json", "frob"], { exitCode: 2 })
      expect(ran.stderr).toBe("")
      expect(jsonOf(ran)).toEqual({ error: expect.stringMatching(/^There is no command key frob; /) })
    })
  )
})

describe('an empty value of an option is exit code 2, as `--scope "$SCOPE"` gives it while the variable is unset:', () => {
  for (const [words, option] of [
    [["key", "create", "--name", "x", "--scope", ""], "--scope"],
    [["key", "create", "--name", "x", "--scope="], "--scope"],
    [["--scope", "", "key", "create", "--name", "x", "--scope", "kyc:sessions"], "--scope"],
    [["key", "create", "--name", ""], "--name"],
    [["publish", "x.yaml", "--plan", "Free:10:100", "--plan", ""], "--plan"],
    [["doctor", "--log-level", ""], "--log-level"]
  ] as const) {
    it.live(words.map((word) => (word === "" ? '""' : word)).join(" "), () =>
      Effect.gen(function* () {
        expect(yield* cli(words, { exitCode: 2 })).toEqual({
          exitCode: 2,
          stdout: "",
          stderr: `doorlock: ${option} must not be empty.\nAdd --help for usage.\n`
        })
      })
    )
  }

  it("a value that ends in `=` and an operand after `--` do not count as empty", () => {
    expect(emptyOption(["key", "create", "--name=a=", "--company", "=", "--json", "--", "--name="])).toBe(
      undefined
    )
  })
})

describe("what a command depends on", () => {
  for (const [env, sentence] of [
    [{ PORT: "hunter2" }, "PORT must be a whole number from 0 to 65535"],
    [{ DATABASE_URL: "postgres://u:hunter2@db/x" }, "SECRET_KEY must be set when DATABASE_URL is set"]
  ] as const) {
    it.live(`a bad configuration is exit code 3: ${sentence}`, () =>
      Effect.gen(function* () {
        expect(yield* cli(["openapi"], { env, exitCode: 3 })).toEqual({
          exitCode: 3,
          stdout: "",
          stderr: `doorlock: ${sentence}\n`
        })
        const asJson = yield* cli(["key", "list", "--json"], { env, exitCode: 3 })
        expect([asJson.stderr, jsonOf(asJson)]).toEqual(["", { error: sentence }])
      })
    )
  }

  it.live("an unreachable database is exit code 4, and its password is not shown", () =>
    Effect.gen(function* () {
      const env = {
        DATABASE_URL: "postgres://doorlock:hunter2@127.0.0.1:1/doorlock",
        SECRET_KEY: "a secret key for tests, 32 bytes at least"
      }
      const ran = yield* cli(["key", "list", "--json"], { env, exitCode: 4 }).pipe(
        withTimes(productionTimes),
        Effect.withClock(hurriedClock())
      )
      expect([ran.stderr, jsonOf(ran)]).toEqual([
        "",
        {
          error:
            "DATABASE_URL postgres://doorlock@127.0.0.1:1/doorlock did not answer within 5s: connect ECONNREFUSED 127.0.0.1:1."
        }
      ])
    })
  )

  it.scopedLive("missing migrations are exit code 4, until migrate applies them and names them", () =>
    Effect.gen(function* () {
      const database = onDatabase(yield* emptyDatabase)
      const lacking = yield* cli(["key", "list"], { ...database, exitCode: 4 })
      expect(lacking.stdout).toBe("")
      expect(lacking.stderr).toMatch(
        /^doorlock: The database lacks \d+ migrations \(0001_accounts\.sql, .+\.sql\); apply them with the command migrate\.\n$/
      )
      const applied = yield* cli(["migrate", "--json"], database)
      expect(applied.stderr).toBe("")
      expect(jsonOf(applied)).toMatchObject({
        applied: expect.arrayContaining(["0001_accounts.sql", "0002_api_keys.sql"])
      })
      expect(yield* cli(["migrate"], database)).toEqual({
        exitCode: 0,
        stdout: "The database has all migrations.\n",
        stderr: ""
      })
      // Nothing is seeded by the way.
      expect((yield* cli(["key", "list"], { ...database, exitCode: 1 })).stderr).toMatch(
        /^doorlock: There is no company yet/
      )
    })
  )

  it.scopedLive("a database that is newer than the code is exit code 4", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* execute(
        url,
        "insert into schema_migrations (version, name, checksum) values (9999, '9999_later.sql', 'x')"
      )
      const ran = yield* cli(["migrate"], { ...onDatabase(url), exitCode: 4 })
      expect([ran.stdout, ran.stderr]).toEqual([
        "",
        "doorlock: The database is newer than this version of the code: it has migration 9999_later.sql, which the code does not have.\n"
      ])
    })
  )

  it.scopedLive("an internal error is exit code 70, with its trace on standard error", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      // A row that no version of the code has written.
      yield* execute(url, "insert into companies (id, name) values (gen_random_uuid(), 'One')")
      yield* execute(url, "alter table companies alter column name type int using 1")
      const ran = yield* cliProcess(["key", "list", "--json"], { ...onDatabase(url), exitCode: 70 })
      expect(jsonOf(ran)).toEqual({ error: "This is a bug in doorlock." })
      expect(ran.stderr).toMatch(/Expected string, actual 1[\s\S]* {4}at /)
    })
  )
})

describe("openapi", () => {
  it.scopedLive("is what the service serves, byte for byte, on standard output and in a file", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ BASE_URL: "https://api.example.com/base" })
      const served = (yield* send(server, "GET", "/openapi.json")).text
      const env = { BASE_URL: "https://api.example.com/base" }
      expect(yield* cli(["openapi"], { env })).toEqual({ exitCode: 0, stdout: served, stderr: "" })

      const folder = yield* temporaryFolder
      const file = join(folder, "openapi.json")
      const ran = yield* cli(["openapi", "--json", "--output", file], { env })
      expect(jsonOf(ran)).toEqual({ file, bytes: Buffer.byteLength(served) })
      expect(yield* Effect.promise(() => readFile(file, "utf8"))).toBe(served)

      const nowhere = join(folder, "no/openapi.json")
      const failed = yield* cli(["openapi", "--output", nowhere], { env, exitCode: 1 })
      expect(failed.stderr).toMatch(new RegExp(`^doorlock: ${nowhere} cannot be written: ENOENT`))
    })
  )
})

/** Runs a command on a terminal of its own, and answers what it asks. */
const onTerminal = (
  words: ReadonlyArray<string>,
  { env, answers = {} }: { env?: Record<string, string>; answers?: Readonly<Record<string, string>> }
) =>
  Effect.promise(async () => {
    let shown = ""
    const asked = new Set<string>()
    const child = Bun.spawn([process.execPath, cliFile, ...words], {
      env: cliEnvironment({ TERM: "xterm", ...env }),
      terminal: {
        cols: 200,
        rows: 50,
        data: (terminal, bytes) => {
          shown += new TextDecoder().decode(bytes)
          for (const [question, answer] of Object.entries(answers)) {
            if (asked.has(question) || !shown.includes(question)) continue
            asked.add(question)
            terminal.write(answer)
          }
        }
      }
    })
    const exitCode = await child.exited
    return { exitCode, shown }
  })

describe("on a terminal", () => {
  it.live("colours are used unless NO_COLOR is set", () =>
    Effect.gen(function* () {
      const bold = "\u001b[1m"
      const [coloured, ...plain] = yield* Effect.forEach(
        [{}, { NO_COLOR: "1" }, { TERM: "dumb" }],
        (env) => onTerminal(["--help"], { env }),
        { concurrency: "unbounded" }
      )
      expect(coloured?.shown).toContain(bold)
      for (const { shown } of plain) expect(shown).not.toContain("\u001b[")
    })
  )

  it.scopedLive("a password is asked for twice and not shown", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const { env = {} } = onDatabase(url)
      yield* cli(["company", "create", "One"], { env })
      const create = ["user", "create", "ada@example.com", "--role", "owner"]
      const secret = "correct horse battery"
      const made = yield* onTerminal(create, {
        env,
        // A mistyped letter and a backspace.
        answers: { "Password: ": `${secret}x\u007f\r`, "Repeat the password: ": `${secret}\r` }
      })
      expect([made.exitCode, made.shown.includes("ada@example.com")]).toEqual([0, true])
      expect(made.shown).not.toContain("correct")
      const [row] = yield* execute(url, "select password_hash from users")
      expect(yield* Effect.promise(() => Bun.password.verify(secret, String(row?.password_hash)))).toBe(true)

      const [different, left] = yield* Effect.all(
        [
          onTerminal(create, {
            env,
            answers: { "Password: ": `${secret}\r`, "Repeat the password: ": "another one, as long\r" }
          }),
          onTerminal(create, { env, answers: { "Password: ": "\u0003" } })
        ],
        { concurrency: "unbounded" }
      )
      expect(different.exitCode).toBe(2)
      expect(different.shown).toContain("The two passwords differ.")
      expect(left.exitCode).toBe(130)
    })
  )
})

it.scopedLive("`bun cli` writes nothing but the result to standard output", () =>
  Effect.gen(function* () {
    const { env } = onDatabase(yield* freshDatabase)
    const ran = yield* Effect.promise(async () => {
      const child = Bun.spawn([process.execPath, "cli", "company", "create", "One", "--json"], {
        cwd: join(import.meta.dirname, "../.."),
        env: cliEnvironment(env),
        stdio: ["ignore", "pipe", "pipe"]
      })
      const [stdout, stderr] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text()
      ])
      return { exitCode: await child.exited, stdout, stderr }
    })
    expect([ran.exitCode, ran.stderr]).toEqual([0, ""])
    expect(jsonOf(ran)).toMatchObject({ company: { name: "One" } })
  })
)

describe("the words of a command line", () => {
  it.each([
    ["--json key create red", "key create --json red"],
    ["key --name x create red --json green", "key create --name x --json red green"],
    ["single operand --name -x", "single --name -x operand"],
    ["key create --json -- --name x", "key create --json -- --name x"],
    ["key create -", "key create -"],
    ["", ""]
  ])("%s", (typed, parsed) => {
    const words = (line: string) => (line === "" ? [] : line.split(" "))
    expect(arrange(words(typed))).toEqual(words(parsed))
  })
})

it("tables are aligned by the visible width of a text, without trailing spaces", () => {
  expect(
    table([
      ["a", "b", "c"],
      ["日本", "\u001b[1mbold\u001b[22m", ""],
      ["x", "y", "z"]
    ])
  ).toBe("a     b     c\n日本  \u001b[1mbold\u001b[22m\nx     y     z")
  expect(oneLine("a\u0000\n\r\tb\u001b]0;title\u0007c")).toBe("a bc")
})
