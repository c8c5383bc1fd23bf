import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { connect } from "../../src/db/connection.ts"
import { demoInstance } from "../../src/kyc/instances/demo.ts"
import { type Answer, field, send } from "../support/client.ts"
import { emptyDatabase, freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"
import { run, runOn } from "../support/program.ts"
import { type ProgramHere, startHere } from "../support/program-here.ts"
import { anId, anInstant } from "../support/shapes.ts"

const login = (program: Pick<ProgramHere, "url">, email: string, password: string) =>
  send(program, "POST", "/api/auth/login", { json: { email, password } })

const cookieOf = ({ headers }: Answer) => headers.get("set-cookie")?.split(";")[0] ?? ""

const made = ({ databaseUrl }: Pick<ProgramHere, "databaseUrl">) =>
  execute(
    databaseUrl,
    `select (select count(*)::int from companies) as companies, (select count(*)::int from users) as users,
       (select count(*)::int from kyc_instances) as instances, (select count(*)::int from apis) as apis`
  )

const one = [{ companies: 1, users: 1, instances: 1, apis: 1 }]
const none = [{ companies: 0, users: 0, instances: 0, apis: 0 }]

const edge = "─+"

/** The frame at the end of the first start's output. */
const firstUser = new RegExp(
  `^┌${edge}┐\n│  Sign in at  (\\S+) +│\n│  Email       (\\S+) +│\n│  Password    (.+?) +│\n(?:│ +│\n│  The password is shown only once. +│\n)?└${edge}┘\n`,
  "gm"
)

/** The log lines in all output, which arrives in batches. */
const announced = (program: Pick<ProgramHere, "output">) => [...program.output().matchAll(firstUser)]

const generated = (program: Pick<ProgramHere, "output">) =>
  Effect.gen(function* () {
    yield* eventually("the first user is announced", () => announced(program).length > 0)
    const lines = announced(program)
    expect(lines.length).toBe(1)
    const [frame = "", address, email = "", password = ""] = lines[0] ?? []
    expect(address).toMatch(/^http:\/\/localhost:\d+\/dashboard$/)
    expect(password).toMatch(/^[0-9A-Za-z]{20}$/)
    expect(frame).toContain("The password is shown only once.")
    expect(
      new Set(
        frame
          .trimEnd()
          .split("\n")
          .map((line) => line.length)
      ).size
    ).toBe(1)
    return { email, password }
  })

it.scopedLive("a start that opens sign-up and private upstreams to others warns of it", () =>
  Effect.gen(function* () {
    const open = { SIGNUP: "open", GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" }
    const { output } = yield* startHere(yield* emptyDatabase, open)
    yield* eventually("the warning", () =>
      output().includes("whoever reaches the service can read other services")
    )
  })
)

describe("First start on an empty database (contract.md#first-start)", () => {
  it.scopedLive(
    "creates a company, an admin user, one KYC instance and one published API, and prints the password once",
    () =>
      Effect.gen(function* () {
        const databaseUrl = yield* emptyDatabase
        const { email, output, password } = yield* Effect.scoped(
          Effect.gen(function* () {
            const program = yield* runOn(databaseUrl)
            const user = yield* generated(program)
            expect(yield* made(program)).toStrictEqual(one)
            // Printed last, after one line for all migrations.
            const started = program.output().split("┘")[0] ?? ""
            expect(started.match(/migration/g)).toHaveLength(1)
            expect(started).toMatch(/ INFO Applied \d\d migrations\n/)
            expect(started).toMatch(/doorlock listens on .+\n┌/)

            const answer = yield* login(program, user.email, user.password)
            expect(answer.status).toBe(200)
            expect(answer.body).toStrictEqual({
              ok: true,
              user: { id: anId, email: "admin@example.com", role: "owner" },
              company: { id: anId, name: "Demo" }
            })
            const instances = yield* send(program, "GET", "/api/kyc/instances", {
              headers: { cookie: cookieOf(answer) }
            })
            expect(instances.body).toStrictEqual({
              instances: [
                {
                  id: anId,
                  name: "Demo verification",
                  public_key: expect.stringMatching(/^kyc_pk_[0-9A-Za-z]+$/),
                  config: demoInstance.config,
                  workflow: demoInstance.workflow,
                  disabled_at: null,
                  created_at: anInstant
                }
              ]
            })
            const apis = yield* send(program, "GET", "/api/api-marketplace/apis")
            expect(apis.body).toStrictEqual({
              apis: [
                {
                  id: anId,
                  publisher_slug: "demo",
                  slug: "echo",
                  name: "Echo",
                  description: expect.any(String),
                  versions: [{ id: anId, version: "1", created_at: anInstant }],
                  plans: [
                    { id: anId, name: "Free", requests_per_minute: 60, requests_per_month: 10_000 },
                    { id: anId, name: "Pro", requests_per_minute: 600, requests_per_month: 100_000 }
                  ]
                }
              ],
              total: 1,
              limit: 20,
              offset: 0
            })
            const described = yield* send(program, "GET", "/api/api-marketplace/openapi.json")
            expect(Object.keys(Object(field(described.body, "paths")))).toStrictEqual([
              "/demo/echo/v/1/v1/health",
              "/demo/echo/v/1/v1/echo"
            ])
            expect(program.output().split(user.password).length).toBe(2)
            return { ...user, output: program.output }
          })
        )
        // Nor when it stops.
        expect(output().split(password).length).toBe(2)

        const again = yield* startHere(databaseUrl)
        expect(yield* made(again)).toStrictEqual(one)
        expect((yield* login(again, email, password)).status).toBe(200)
        expect(announced(again)).toStrictEqual([])
        expect(again.output()).not.toContain(password)
        const [user] = yield* execute(databaseUrl, "select password_hash from users")
        expect(user?.password_hash).toMatch(/^\$argon2id\$/)
      })
  )

  it.scopedLive("creates them once even when three services start together", () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      // All three see an empty database before the first of them may write.
      const holder = yield* connect(databaseUrl)
      yield* Effect.promise(() => holder.query("begin; lock table companies in share mode"))
      const starting = yield* Effect.fork(startHere(databaseUrl, {}, 3))
      yield* eventually(
        "all three wait",
        Effect.map(
          execute(
            databaseUrl,
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
          ),
          (waiting) => waiting.length === 3
        )
      )
      yield* Effect.promise(() => holder.query("commit"))
      const programs = yield* Fiber.join(starting)
      const { email, password } = yield* generated(programs)
      expect(yield* made({ databaseUrl })).toStrictEqual(one)
      expect(programs.urls).toHaveLength(3)
      for (const url of programs.urls) expect((yield* login({ url }, email, password)).status).toBe(200)
    })
  )

  it.scopedLive("uses ADMIN_EMAIL and ADMIN_PASSWORD; the password is not printed", () =>
    Effect.gen(function* () {
      const password = "a password of my own"
      const program = yield* startHere(yield* freshDatabase, {
        ADMIN_EMAIL: "Root@Example.com",
        ADMIN_PASSWORD: password
      })
      yield* eventually("the first user is announced", () => announced(program).length > 0)
      expect(announced(program).map(([, , email, shown]) => [email, shown])).toStrictEqual([
        ["Root@Example.com", "the one in ADMIN_PASSWORD"]
      ])
      expect(program.output()).not.toContain("shown only this once")
      expect(program.output()).not.toContain(password)
      const answer = yield* login(program, "root@example.com", password)
      expect(answer.status).toBe(200)
      expect(field(answer.body, "user")).toStrictEqual({
        id: anId,
        email: "root@example.com",
        role: "owner"
      })
      // Where DATABASE_URL is set, sign-up is closed by default.
      const another = yield* send(program, "POST", "/api/auth/signup", {
        json: { companyName: "Acme", email: "a@example.com", password }
      })
      expect([another.status, another.body]).toStrictEqual([403, { error: "Sign-up is closed" }])
    })
  )

  it.scopedLive("a start that fails after creating them still prints them", () =>
    Effect.gen(function* () {
      const databaseUrl = yield* emptyDatabase
      const taken = yield* Effect.acquireRelease(
        Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() })),
        (server) => Effect.promise(() => server.stop(true))
      )
      const program = yield* run({
        DATABASE_URL: Redacted.value(databaseUrl),
        SECRET_KEY: "a secret key for tests, 32 bytes at least",
        LOG_FORMAT: "pretty",
        PORT: String(taken.port)
      })
      expect(yield* program.exited).toBe(1)
      expect(program.stderr()).toMatch(/^doorlock: Cannot listen on HOST 127\.0\.0\.1/)
      const { email, password } = yield* generated({ output: program.stdout })
      const again = yield* startHere(databaseUrl)
      expect((yield* login(again, email, password)).status).toBe(200)
    })
  )

  it.scopedLive("SEED_DEMO=false creates nothing, and a database with a company is not changed", () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      yield* Effect.scoped(
        Effect.gen(function* () {
          const program = yield* startHere(databaseUrl, { SEED_DEMO: "false" })
          expect(yield* made(program)).toStrictEqual(none)
          expect(announced(program)).toStrictEqual([])
        })
      )
      yield* execute(
        databaseUrl,
        "insert into companies (id, name) values ('00000000-0000-7000-8000-000000000000', 'Mine')"
      )
      const program = yield* startHere(databaseUrl)
      expect(yield* made(program)).toStrictEqual([{ companies: 1, users: 0, instances: 0, apis: 0 }])
      expect(announced(program)).toStrictEqual([])
    })
  )
})
