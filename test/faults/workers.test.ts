/** `WORKERS`: several processes serve as one. A killed process is replaced, and all start and stop together. */
import { readdir, readFile, readlink } from "node:fs/promises"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { onboard } from "../support/client.ts"
import { proxied } from "../support/database/tcp-proxy.ts"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { allWell, allWork, client, usualRequests } from "../support/http/keep-alive.ts"
import { parseMetrics } from "../support/http/metrics.ts"
import { open } from "../support/http/raw.ts"
import { freePort } from "../support/machine/free-port.ts"
import { redis, withoutRedis } from "../support/machine/redis.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { databasePid, isAlive, type Program, run, runUntilReady, workersOf } from "../support/program.ts"

/** The test reaches the database only over HTTP. */
const nowhere = Redacted.make("")

const settings = { SEED_DEMO: "false", LOG_LEVEL: "warning", LOG_FORMAT: "json" }

/** How many client connections a process has. */
const connectionsOf = (pid: number, port: number): Effect.Effect<number> =>
  Effect.promise(async () => {
    const folder = `/proc/${pid}/fd`
    const links = await Promise.all(
      (await readdir(folder)).map((name) => readlink(`${folder}/${name}`).catch(() => ""))
    )
    const own = new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
    const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`
    const established = "01"
    return (await readFile(`/proc/${pid}/net/tcp`, "utf8"))
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[1]?.endsWith(local) && fields[3] === established && own.has(fields[9] ?? ""))
      .length
  })

const portOf = ({ url }: { readonly url: string }) => Number(new URL(url).port)

/** Sends a request on a new connection, which the system assigns to a worker. */
const onOwnConnection = (program: { readonly url: string }, path: string) =>
  Effect.scoped(
    Effect.flatMap(open(program), (connection) => {
      connection.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
      return connection.answer
    })
  )

/** A Redis server, and the environment for this many workers. */
const workers = (count: number) =>
  Effect.map(redis, ({ url }) => ({ ...settings, WORKERS: String(count), REDIS_URL: url }))

describe.skipIf(withoutRedis)("WORKERS (needs redis-server)", () => {
  it.scopedLive(
    "what one of them stores, another reads, on the embedded database and on an external one",
    () =>
      Effect.gen(function* () {
        const databaseUrl = yield* freshDatabase
        const program = yield* runUntilReady({
          ...(yield* workers(2)),
          DATABASE_URL: Redacted.value(databaseUrl),
          DATABASE_POOL: "2",
          SECRET_KEY: "a secret key for tests, 32 bytes at least",
          SIGNUP: "open"
        })
        const { session } = yield* onboard({ ...program, databaseUrl })
        const answers = yield* Effect.replicateEffect(
          onOwnConnection(program, `${session.path}?token=${session.token}`),
          20
        )
        const statuses = answers.map(({ status }) => status)
        expect(new Set(statuses)).toEqual(new Set([200]))
      })
  )

  it.scopedLive("kill -9 of one: the others keep serving, and it is replaced", () =>
    Effect.gen(function* () {
      const program = yield* runUntilReady({ ...(yield* workers(2)), DATA_DIR: yield* temporaryFolder })
      const { session } = yield* onboard({ ...program, databaseUrl: nowhere })
      const read = onOwnConnection(program, `${session.path}?token=${session.token}`)
      const [victim = 0, survivor = 0] = yield* workersOf(program)
      process.kill(victim, "SIGKILL")
      yield* eventually(
        "it is gone",
        Effect.map(isAlive(victim), (alive) => !alive)
      )
      // Only one worker is left to answer these.
      for (let i = 0; i < 20; i++) expect((yield* read).status).toBe(200)
      expect(yield* workersOf(program)).toContain(survivor)
      yield* eventually("its end is told", () =>
        program.stdout().includes(`Worker ${victim} ended unexpectedly (SIGKILL); starting another in 1 s`)
      )
      yield* eventually(
        "another serves in its place",
        Effect.gen(function* () {
          const replacement = (yield* workersOf(program)).find((pid) => pid !== survivor)
          if (replacement === undefined) return false
          return yield* Effect.scoped(
            Effect.gen(function* () {
              const connections = yield* Effect.replicateEffect(open(program), 10)
              for (const connection of connections)
                connection.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
              for (const connection of connections) yield* connection.answer
              return (yield* connectionsOf(replacement, portOf(program))) > 0
            })
          )
        })
      )
    })
  )

  it.scopedLive("failures are counted together: a password cannot be tried on each of them", () =>
    Effect.gen(function* () {
      const program = yield* runUntilReady({
        ...(yield* workers(3)),
        DATA_DIR: yield* temporaryFolder,
        TRUSTED_PROXIES: "127.0.0.1"
      })
      const body = JSON.stringify({ email: "nobody@example.com", password: "not the password" })
      const head = [
        "POST /api/auth/login HTTP/1.1",
        "Host: localhost",
        "X-Forwarded-For: 203.0.113.1",
        "Connection: close",
        "Content-Type: application/json",
        `Content-Length: ${body.length}`
      ]
      const guess = Effect.scoped(
        Effect.flatMap(open(program), (connection) => {
          connection.write(`${head.join("\r\n")}\r\n\r\n${body}`)
          return Effect.map(connection.answer, ({ status }) => status)
        })
      )
      const began = performance.now()
      // Enough for each worker to get more than sixty of them.
      const statuses = yield* Effect.replicateEffect(guess, 260)
      const minutes = (performance.now() - began) / 60_000
      expect([401, 429]).toEqual(expect.arrayContaining([...new Set(statuses)]))
      const passed = statuses.filter((status) => status === 401).length
      // Sixty, and thirty more a minute. A worker that does not know yet that the limit is reached permits one more. Three workers with separate
      // counts would permit 180, and ninety more a minute.
      expect(passed, "guesses that were let pass").toBeGreaterThanOrEqual(60)
      expect(passed, `guesses that were let pass in ${minutes} minutes`).toBeLessThan(80 + 30 * minutes)
    })
  )

  it.scopedLive("/metrics: each worker answers for all, and the counts of one that died are kept", () =>
    Effect.gen(function* () {
      const program = yield* runUntilReady({ ...(yield* workers(3)), DATA_DIR: yield* temporaryFolder })
      const health = { route: "/healthz", method: "GET", status: "2xx" }
      const scrape = onOwnConnection(program, "/metrics").pipe(
        // A supervisor that stands still for two seconds makes it a 500.
        Effect.repeat({ until: ({ status }) => status === 200 }),
        Effect.map(({ body }) => parseMetrics(body))
      )
      const counted = Effect.map(
        scrape,
        ({ value }) => value("doorlock_http_request_duration_seconds_count", health) ?? 0
      )
      let [last, atOnce] = [0, 0]
      for (let asked = 1; asked <= 40; asked++) {
        yield* onOwnConnection(program, "/healthz")
        let questions = 0
        yield* eventually(
          // Each request reaches any of the workers. If a worker is slow to report its count, its last report stands.
          `${asked} are counted`,
          Effect.map(counted, (count) => {
            questions++
            expect(count).toBeGreaterThanOrEqual(last)
            expect(count).toBeLessThanOrEqual(asked)
            last = count
            return count === asked
          })
        )
        if (questions <= 2) atOnce++
      }
      // If each worker reported only once a second, every count would take many questions. Now only those do for which a worker was slow.
      expect(atOnce, "requests of 40 that were counted by the second question").toBeGreaterThan(20)
      const before = yield* scrape
      // 0 is the supervisor process.
      expect(before.labelled("process_resident_memory_bytes", "worker")).toEqual(
        new Set(["0", "1", "2", "3"])
      )
      expect(before.value("doorlock_worker_restarts_total")).toBe(0)
      expect(before.value("doorlock_database_connections_max", { worker: "2" })).toBe(10)

      const [victim = 0] = yield* workersOf(program)
      process.kill(victim, "SIGKILL")
      yield* eventually("its end is noticed", () => program.stdout().includes(`Worker ${victim} ended`))
      const after = yield* scrape
      expect(after.value("doorlock_http_request_duration_seconds_count", health)).toBe(40)
      expect(after.value("doorlock_worker_restarts_total")).toBe(1)
      // On a slow machine, another may have taken its number by now.
      if ((yield* workersOf(program)).length === 2)
        expect(after.labelled("process_resident_memory_bytes", "worker").size).toBe(3)
    })
  )

  it.scopedLive("SIGTERM under load: every request is answered, the workers end, then the database", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      const program = yield* runUntilReady({ ...(yield* workers(2)), DATA_DIR: dataDir })
      const requests = yield* usualRequests({ ...program, databaseUrl: nowhere })
      const database = yield* databasePid(dataDir)
      const pids = yield* workersOf(program)
      const clients = yield* Effect.forEach(requests, (request) => Effect.fork(client(program, request)))
      yield* allWork(program, clients.length)
      program.signal("SIGTERM")
      const exits = yield* Effect.forEach(clients, (fiber) => fiber.await)
      for (const exit of exits) expect(exit).toMatchObject({ _tag: "Success" })
      const seen = exits.flatMap((exit) => (exit._tag === "Success" ? exit.value : []))
      allWell(seen)
      expect(yield* program.exited).toBe(0)
      expect(program.stderr()).toBe("")
      for (const pid of [...pids, database]) expect(yield* isAlive(pid)).toBe(false)
    })
  )

  it.scopedLive(
    "kill -9 of the main process: the workers exit by themselves, and the next start gets the port",
    () =>
      Effect.gen(function* () {
        const port = yield* freePort
        const environment = {
          ...(yield* workers(2)),
          DATA_DIR: yield* temporaryFolder,
          PORT: String(port)
        }
        const first = yield* runUntilReady(environment)
        const pids = yield* workersOf(first)
        first.signal("SIGKILL")
        const second = yield* runUntilReady(environment)
        expect([first, second].map(portOf)).toEqual([port, port])
        for (const pid of pids)
          yield* eventually(
            `${pid} has ended`,
            Effect.map(isAlive(pid), (alive) => !alive)
          )
      })
  )

  it.scopedLive("a worker that cannot start: all stop, with its error message", () =>
    Effect.gen(function* () {
      const admin = Redacted.make(inject("postgres").adminUrl)
      const database = yield* freshDatabase
      const url = new URL(Redacted.value(database))
      const [owner] = yield* execute(
        database,
        "select quote_ident(tableowner) as name from pg_tables where tablename = 'schema_migrations'"
      )
      const role = `limited_${crypto.randomUUID().slice(0, 8)}`
      yield* Effect.acquireRelease(
        execute(admin, `create role ${role} login password 'limited' in role ${owner?.name}`),
        () => Effect.orDie(execute(admin, `drop role ${role}`))
      )
      url.username = role
      url.password = "limited"
      // The supervisor process keeps its connections.
      const refused = yield* Effect.cached(execute(admin, `alter role ${role} nologin`))
      let running: Program | undefined
      const noneForWorkers = Effect.gen(function* () {
        if (running !== undefined && (yield* workersOf(running)).length > 0) yield* refused
      })
      // Workers reach the database only through this proxy.
      const proxy = yield* proxied(Redacted.make(url.href), () => Effect.runPromise(noneForWorkers))
      const program = yield* run({
        ...(yield* workers(2)),
        DATABASE_URL: Redacted.value(proxy.url),
        SECRET_KEY: "a secret key for tests, 32 bytes at least"
      })
      running = program
      expect(yield* program.exited).toBe(1)
      expect(program.stderr()).toMatch(
        /^doorlock: DATABASE_URL \S+ cannot be used: role "\w+" is not permitted to log in\.\n$/
      )
    })
  )
})
