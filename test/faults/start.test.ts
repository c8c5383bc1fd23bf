/** The program starts on an empty folder and on one it has used; when it cannot start, it says why in one sentence and leaves. */
import { createServer } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { send } from "../support/client.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { run, runUntilReady } from "../support/program.ts"

const secretKey = "a secret key of 32 bytes or more"

it.scopedLive(
  "starts on an empty folder, and again on the same folder: each time it prints its address and is ready",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      for (const start of ["first", "second"]) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const program = yield* runUntilReady({
              DATA_DIR: dataDir,
              ADMIN_PASSWORD: "correct horse battery"
            })
            const answer = yield* send(program, "GET", "/healthz")
            expect([start, answer.status, answer.text]).toEqual([start, 200, '{"ok":true}'])
            expect(program.stdout()).toContain(`doorlock listens on ${new URL(program.url).host} as `)
            expect(program.stderr(), `the ${start} start writes no error`).toBe("")
          })
        )
      }
    })
)

describe("says in one sentence why it does not start, without a stack, and exits with 1:", () => {
  const refuses = (environment: Readonly<Record<string, string>>, sentence: string | RegExp) =>
    Effect.gen(function* () {
      const program = yield* run({ DATA_DIR: yield* temporaryFolder, ...environment })
      expect(yield* program.exited).toBe(1)
      expect(program.stderr()).toEqual(
        typeof sentence === "string" ? `doorlock: ${sentence}\n` : expect.stringMatching(sentence)
      )
      expect(program.stderr().trimEnd()).not.toContain("\n")
      return program
    })

  for (const [environment, sentence] of [
    [{ PORT: "http" }, "PORT must be a whole number from 0 to 65535"],
    [{ LOG_LEVEL: "loud" }, "LOG_LEVEL must be one of trace, debug, info, warn, warning, error, none"],
    [{ DATABASE_URL: "postgres://u:hunter2@db/x" }, "SECRET_KEY must be set when DATABASE_URL is set"],
    [{ SECRET_KEY: "hunter2" }, "SECRET_KEY must be at least 32 bytes long"],
    [{ ADMIN_PASSWORD: "hunter2" }, "ADMIN_PASSWORD must be 12 to 1024 characters long"],
    [
      { CAPTCHA_JWT_SECRET: `hunter2${"s".repeat(32)}`, CAPTCHA_JWKS_URL: "https://x.test/jwks" },
      "CAPTCHA_JWT_SECRET and CAPTCHA_JWKS_URL must not both be set"
    ]
  ] as const) {
    it.scopedLive(JSON.stringify(environment), () =>
      Effect.gen(function* () {
        const program = yield* refuses(environment, sentence)
        expect(program.stdout()).toBe("")
        expect(program.stderr()).not.toContain("hunter2")
      })
    )
  }

  it.scopedLive("PORT in use", () =>
    Effect.gen(function* () {
      const taken = yield* Effect.acquireRelease(
        Effect.promise(
          () =>
            new Promise<ReturnType<typeof createServer>>((resolve) => {
              const server = createServer().listen(0, "127.0.0.1", () => resolve(server))
            })
        ),
        (server) => Effect.sync(() => server.close())
      )
      const address = taken.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      yield* refuses(
        { PORT: `${port}`, SEED_DEMO: "false" },
        new RegExp(`^doorlock: Cannot listen on HOST 127\\.0\\.0\\.1, PORT ${port}: [^\n]+\n$`)
      )
    })
  )

  it.scopedLive("DATABASE_URL with an unknown database, and its password is not shown", () =>
    Effect.gen(function* () {
      const url = new URL(inject("postgres").adminUrl)
      url.pathname = "/no_such_database"
      // A server that asks for no password takes any.
      if (url.password === "") url.password = "hunter2hunter2"
      const program = yield* refuses(
        { DATABASE_URL: url.href, SECRET_KEY: secretKey },
        /^doorlock: DATABASE_URL \S+\/no_such_database cannot be used: database "no_such_database" does not exist\.\n$/
      )
      expect(program.stdout() + program.stderr()).not.toContain(url.password)
    })
  )

  it.scopedLive("DATA_DIR in use by another process, which keeps running", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const first = yield* runUntilReady({ DATA_DIR: dataDir })
      yield* refuses(
        { DATA_DIR: dataDir },
        `Another doorlock process is using DATA_DIR ${dataDir}; stop it or choose another DATA_DIR.`
      )
      expect((yield* send(first, "GET", "/readyz")).status).toBe(200)
    })
  )
})
