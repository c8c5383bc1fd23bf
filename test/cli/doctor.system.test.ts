import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { configuration } from "../../src/cli/checks/configuration.ts"
import { clock } from "../../src/cli/checks/database.ts"
import { examine } from "../../src/cli/checks/examination.ts"
import { judged } from "../../src/cli/checks/replication.ts"
import { commandLine } from "../../src/command-line.ts"
import { readConfiguration } from "../../src/config.ts"
import { roomForSessions } from "../../src/kyc/sessions/checks.ts"
import { productionTimes } from "../../src/shared/timing.ts"
import { cli, jsonOf } from "../support/cli.ts"
import { emptyDatabase, freshDatabase } from "../support/database.ts"
import { pgBouncer, withoutPgBouncer } from "../support/machine/pgbouncer.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { patient } from "../support/run/timeouts.ts"
import { hurriedClock } from "../support/stopped-clock.ts"
import { withTimes } from "../support/timing.ts"

const secretKey = "a secret key for tests, 32 bytes at least"

/** An environment with its own database and folder, in which nothing is wrong. */
const healthy = (url: Redacted.Redacted<string>, dataDir: string) => ({
  DATABASE_URL: Redacted.value(url),
  SECRET_KEY: secretKey,
  BASE_URL: "https://doorlock.test",
  DATA_DIR: dataDir
})

/** What the checks find in an environment, by name. They wait for long for changes that arrive. */
const found = (environment: Readonly<Record<string, string>>) =>
  examine(environment, commandLine.features).pipe(
    Effect.provide(patient),
    Effect.map((checks) => Object.fromEntries(checks.map((check) => [check.name, check])))
  )

/** The same where the database or its changes do not answer: they wait for as long as the command. */
const foundSoon = (environment: Readonly<Record<string, string>>) =>
  found(environment).pipe(withTimes(productionTimes))

it.scopedLive("reports that all is well, as text and as JSON, with exit code 0", () =>
  Effect.gen(function* () {
    const env = healthy(yield* freshDatabase, yield* temporaryFolder)
    const people = yield* cli(["doctor"], { env })
    expect(people.stderr).toBe("")
    const lines = people.stdout.trimEnd().split("\n")
    const names = [
      ...["configuration", "data folder", "free space", "database", "migrations", "clock", "pooler"],
      ...[
        "changes",
        "time limits",
        "lock",
        "replication",
        "upstreams",
        "documents",
        "audit anchors",
        "work",
        "personal data",
        "partitions",
        "reviews",
        "months",
        "photo checks",
        "usage",
        "captcha"
      ]
    ]
    expect(lines.map((line) => line.slice(0, 22))).toEqual(names.map((name) => `ok       ${name.padEnd(13)}`))
    const program = yield* cli(["doctor", "--json"], { env })
    expect(program.stderr).toBe("")
    expect(jsonOf(program)).toEqual({
      ok: true,
      checks: names.map((name) => ({ name, status: "ok", message: expect.stringMatching(/^\S.+\.$/) }))
    })
  })
)

it("says when no session can be created, because its time has no partition", () => {
  const at = (now: string) =>
    roomForSessions(
      { count: 9, locks: 64, begin: new Date("2026-06-01"), end: new Date("2027-03-01") },
      new Date(now)
    )
  for (const now of ["2026-06-01T00:00:00Z", "2027-01-28T23:59:59Z"]) expect(at(now).status).toBe("ok")
  for (const now of ["1970-01-01T00:00:10Z", "2026-05-31T23:59:59Z", "2027-03-01T00:00:00Z"]) {
    expect(at(now)).toMatchObject({
      status: "failed",
      message: `This machine can create no session: its clock says ${now.slice(0, 10)}, and there are partitions from 2026-06-01 to before 2027-03-01.`
    })
  }
  expect(at("2027-01-30T00:00:00Z")).toMatchObject({
    status: "warning",
    message:
      "No session can be created from 2027-03-01 on, because no partition of sessions was created for later months."
  })
})

it.scopedLive("reports what is wrong and what to do, with exit code 1, and shows no secret", () =>
  Effect.gen(function* () {
    const env = {
      DATABASE_URL: "postgres://doorlock:hunter2@127.0.0.1:1/doorlock",
      SECRET_KEY: secretKey,
      DATA_DIR: yield* temporaryFolder,
      CAPTCHA_JWKS_URL: "http://127.0.0.1:2/keys.json?token=hunter2",
      REDIS_URL: "redis://:hunter2@127.0.0.1:3",
      S3_BUCKET: "files",
      S3_ENDPOINT: "http://127.0.0.1:4",
      S3_REGION: "x",
      S3_ACCESS_KEY_ID: "hunter2",
      S3_SECRET_ACCESS_KEY: "hunter2"
    }
    const ran = yield* cli(["doctor", "--json"], { env, exitCode: 1 }).pipe(
      withTimes(productionTimes),
      Effect.withClock(hurriedClock())
    )
    expect(ran.stderr).toBe("")
    expect(ran.stdout).not.toContain("hunter2")
    const skipped = { status: "skipped", message: "Needs the database first." }
    expect(jsonOf(ran)).toEqual({
      ok: false,
      checks: [
        {
          name: "configuration",
          status: "warning",
          message: "BASE_URL is http://localhost:3000, which only this machine can open.",
          advice: "Set BASE_URL to the address by which clients reach the service."
        },
        { name: "data folder", status: "ok", message: `DATA_DIR ${env.DATA_DIR} is writable.` },
        { name: "free space", status: "ok", message: expect.stringMatching(/ MiB are free on the disk/) },
        {
          name: "database",
          status: "failed",
          message:
            "DATABASE_URL postgres://doorlock@127.0.0.1:1/doorlock did not answer within 2s: connect ECONNREFUSED 127.0.0.1:1.",
          advice: "Check DATABASE_URL, and that the server runs and accepts this machine."
        },
        { name: "migrations", ...skipped },
        { name: "clock", ...skipped },
        { name: "pooler", ...skipped },
        { name: "changes", ...skipped },
        { name: "time limits", ...skipped },
        { name: "lock", ...skipped },
        { name: "replication", ...skipped },
        { name: "upstreams", ...skipped },
        { name: "documents", ...skipped },
        { name: "audit anchors", ...skipped },
        { name: "work", ...skipped },
        { name: "personal data", ...skipped },
        { name: "partitions", ...skipped },
        { name: "reviews", ...skipped },
        { name: "months", ...skipped },
        { name: "photo checks", ...skipped },
        { name: "usage", ...skipped },
        {
          name: "captcha",
          status: "failed",
          message: expect.stringMatching(
            /^CAPTCHA_JWKS_URL http:\/\/127\.0\.0\.1:2\/keys\.json gives no keys: .+\.$/
          ),
          advice: expect.any(String)
        },
        {
          name: "redis",
          status: "failed",
          message: "Redis at REDIS_URL cannot be used: 127.0.0.1:3: connect ECONNREFUSED 127.0.0.1:3.",
          advice: expect.any(String)
        },
        {
          name: "bucket",
          status: "failed",
          message: expect.stringMatching(
            /^The bucket files at http:\/\/127\.0\.0\.1:4 cannot be used: .+\.$/
          ),
          advice: expect.any(String)
        }
      ]
    })
  })
)

describe("replication", () => {
  const sync = { synchronousStandbyNames: '"node2"', synchronousCommit: "on" }
  const asynchronous = [
    "warning",
    /^Replication is asynchronous: .* A revoked key may be valid again/
  ] as const
  it.each([
    ["unseen, asynchronous", { standbys: 2, synchronousStandbyNames: "" }, ...asynchronous],
    [
      "commits that wait for none",
      { standbys: 2, synchronous: 1, synchronousCommit: "local" },
      ...asynchronous
    ],
    ["synchronous", { standbys: 2, synchronous: 1 }, "ok", /\(1 of 2 may be that\)/],
    ["none that is synchronous", { standbys: 2, synchronous: 0 }, "failed", /every write waits/]
  ] as const)("%s", (_, facts, status, message) => {
    expect(judged({ synchronous: undefined, ...sync, ...facts })).toMatchObject({
      status,
      message: expect.stringMatching(message)
    })
  })
})

describe.skipIf(withoutPgBouncer)("with a pooler (needs pgbouncer)", () => {
  const fine = { pooler: "ok", changes: "ok", "time limits": "ok", lock: "ok", migrations: "ok" }
  const statuses = (checks: Effect.Effect.Success<ReturnType<typeof found>>) =>
    Object.fromEntries(Object.keys(fine).map((name) => [name, checks[name]?.status]))

  it.scopedLive("all is well with a direct DATABASE_LISTEN_URL, and nothing is cached without", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const env = healthy((yield* pgBouncer(database)).url, yield* temporaryFolder)
      expect(statuses(yield* found({ ...env, DATABASE_LISTEN_URL: Redacted.value(database) }))).toEqual(fine)
      const alone = yield* foundSoon(env)
      expect(statuses(alone)).toEqual({ ...fine, changes: "failed" })
      expect(alone.changes?.message).toMatch(/set DATABASE_LISTEN_URL to a direct connection/)
      const wrong = yield* foundSoon({ ...env, DATABASE_POOLER: "session" })
      expect(wrong.pooler?.message).toBe("DATABASE_POOLER is session, but the pooler pools transactions.")
    })
  )
})

describe("finds", () => {
  it.scopedLive("missing migrations, without querying the outdated schema", () =>
    Effect.gen(function* () {
      const { documents, migrations, upstreams } = yield* found(
        healthy(yield* emptyDatabase, yield* temporaryFolder)
      )
      expect(migrations).toMatchObject({
        status: "failed",
        message: expect.stringMatching(
          /^These migrations are missing: 0001_accounts\.sql to \d{4}_\w+\.sql \(\d+\)\.$/
        ),
        advice: "Apply them with the command migrate."
      })
      expect([upstreams, documents]).toMatchObject([{ status: "skipped" }, { status: "skipped" }])
    })
  )

  it("clocks that differ", () => {
    const ahead = (clockAheadMillis: number) => clock({ version: "18", roundTripMillis: 1, clockAheadMillis })
    expect(ahead(-1_900)).toMatchObject({ status: "ok" })
    expect(ahead(2_100)).toMatchObject({
      status: "warning",
      message: "The database's clock is 2.1 s ahead of this machine's."
    })
    expect(ahead(-31_000)).toMatchObject({
      status: "failed",
      message: "The database's clock is 31.0 s behind this machine's."
    })
  })

  it.effect("settings that are allowed but probably wrong", () =>
    Effect.gen(function* () {
      const own = { DATABASE_URL: "postgres://x/y", SECRET_KEY: secretKey }
      for (const [env, message] of [
        [
          { ...own, BASE_URL: "http://api.example.com" },
          /^BASE_URL is http:\/\/api\.example\.com: without https/
        ],
        [{ ...own, BASE_URL: "https://api.example.com", SIGNUP: "open" }, /^SIGNUP is open/],
        [{ CAPTCHA_JWT_SECRET: "short" }, /^CAPTCHA_JWT_SECRET has 5 bytes, fewer than the 32/]
      ] as const) {
        expect(configuration(yield* readConfiguration(env))).toMatchObject([
          { status: "warning", message: expect.stringMatching(message) }
        ])
      }
      expect(configuration(yield* readConfiguration({}))).toMatchObject([{ status: "ok" }])
      // None of them hides another.
      const all = configuration(
        yield* readConfiguration({ ...own, SIGNUP: "open", CAPTCHA_JWT_SECRET: "short" })
      )
      expect(all.map(({ message }) => message.split(" ", 1)[0])).toEqual([
        "BASE_URL",
        "SIGNUP",
        "CAPTCHA_JWT_SECRET"
      ])
    })
  )
})

it.scopedLive("reports audit trails that are not or cannot be anchored", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const dataDir = yield* temporaryFolder
    const anchors = Effect.map(found(healthy(url, dataDir)), (checks) => checks["audit anchors"])
    const file = join(dataDir, "audit-anchors.jsonl")
    expect(yield* anchors).toMatchObject({
      status: "ok",
      message: `There is no anchor in ${file} yet; the service makes the first when it starts.`
    })
    yield* cli(["company", "create", "One"], { env: healthy(url, dataDir) })
    yield* execute(
      url,
      `alter table audit_events disable trigger audit_events_kept;
       update audit_events set at = at - interval '3 hours';
       alter table audit_events enable always trigger audit_events_kept`
    )
    expect(yield* anchors).toMatchObject({
      status: "warning",
      message: `An audit trail has events older than two hours that no anchor in ${file} covers.`
    })
    const [head] = yield* execute(url, "select company_id, encode(hash, 'hex') as hash from audit_heads")
    const anchored = (hash: unknown) =>
      Effect.promise(() =>
        writeFile(file, `{"at":"2026-11-22T10:00:00.000Z","heads":["${head?.company_id}:1:${hash}"]}\n`)
      )
    yield* anchored(head?.hash)
    expect(yield* anchors).toMatchObject({
      status: "ok",
      message: `The audit trails are anchored in ${file}.`
    })
    yield* anchored("0".repeat(64))
    expect(yield* anchors).toMatchObject({
      status: "failed",
      message: `An audit trail is not the one that was anchored in ${file}.`
    })
  })
)
