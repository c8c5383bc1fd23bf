import { mkdtemp, rm } from "node:fs/promises"
import type { NetConnectOpts } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Logger, LogLevel, Redacted, Scope } from "effect"
import { Pool } from "pg"
import type { TestProject } from "vitest/node"
import { applicationName, connect, whenReady } from "../../src/db/connection.ts"
import { roles } from "../../src/db/embedded/roles.ts"
import { type EmbeddedPostgresError, startEmbeddedPostgres } from "../../src/db/embedded.ts"
import { migrate } from "../../src/db/migrations.ts"
import type { Access } from "../../src/db/postgres.ts"
import { Timing } from "../../src/shared/timing.ts"
import { patientTiming } from "./timing.ts"

/** The address of the tests' Postgres server, and the database that tests clone. */
export interface TestPostgres {
  /** A URL that may create databases, and roles too if the server belongs to the tests. */
  readonly adminUrl: string
  /**
   * The role that the service uses on the template and its clones. If the server belongs to the tests, this
   * role owns nothing.
   */
  readonly serviceUrl: string
  /** The name of a database with all migrations applied and no connections. */
  readonly template: string
  /** What follows `create database ... template ...`: copying the files takes half as long as writing all pages to the log. */
  readonly cloning: string
  /** The prefix of every database name in this run. */
  readonly prefix: string
  /** The default `DATA_DIR` for servers, so that a run leaves nothing in the checkout. */
  readonly dataDir: string
}

declare module "vitest" {
  export interface ProvidedContext {
    readonly postgres: TestPostgres
  }
}

/**
 * One server for the whole run: the one in `DATABASE_URL`, where the user needs CREATEDB, or an embedded one
 * in a temporary folder. Everything created here is deleted after the run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scope = await Effect.runPromise(Scope.make())
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    project.provide(
      "postgres",
      await Effect.runPromise(
        Scope.extend(prepare, scope).pipe(
          Logger.withMinimumLogLevel(LogLevel.Warning),
          Effect.provideService(Timing, patientTiming)
        )
      )
    )
  } catch (error) {
    await close()
    throw error
  }
  return close
}

const prepare: Effect.Effect<TestPostgres, unknown, Scope.Scope> = Effect.gen(function* () {
  const { adminUrl: url, migrator, url: serviceUrl } = yield* server
  // Random, so that leftovers of a killed run do not collide with this one.
  const prefix = `doorlock_test_${crypto.randomUUID().slice(0, 8)}`
  const template = `${prefix}_template`
  yield* Effect.acquireRelease(execute(url, `create database ${template}`), () =>
    Effect.orDie(dropAll(url, prefix))
  )
  const owner = migrator.grantee === undefined ? "current_user" : roles.owner
  yield* execute(url, `alter database ${template} owner to ${owner}`)
  yield* migrate({ ...migrator, url: databaseUrl(migrator.url, template) })
  const [version] = yield* execute(url, "select current_setting('server_version_num')::int as number")
  return {
    // Postgres 14 knows no other way.
    cloning: Number(version?.number) >= 150_000 ? "strategy file_copy" : "",
    adminUrl: Redacted.value(url),
    serviceUrl: Redacted.value(databaseUrl(serviceUrl, template)),
    template,
    prefix,
    dataDir: yield* temporaryFolder
  }
})

/** Drops every database and role with the prefix, including those that a process of the run kept until its end. */
const dropAll = (url: Redacted.Redacted, prefix: string) =>
  Effect.gen(function* () {
    const found = yield* execute(url, "select datname from pg_database where starts_with(datname, $1)", [
      prefix
    ])
    yield* Effect.forEach(found, ({ datname }) => execute(url, `drop database ${datname} with (force)`))
    const owners = yield* execute(url, "select rolname from pg_roles where starts_with(rolname, $1)", [
      prefix
    ])
    yield* Effect.forEach(owners, ({ rolname }) => execute(url, `drop role ${rolname}`))
  })

const server = Effect.suspend(
  (): Effect.Effect<
    Access & { readonly adminUrl: Redacted.Redacted },
    EmbeddedPostgresError,
    Scope.Scope
  > => {
    if (process.env.DATABASE_URL) {
      const url = Redacted.make(process.env.DATABASE_URL)
      return Effect.succeed({ adminUrl: url, migrator: { url }, url })
    }
    return Effect.flatMap(temporaryFolder, (dataDir) => startEmbeddedPostgres({ dataDir, fsync: false }))
  }
)

/** Every row of every table as text, as a dump has it: bytes are in hex. */
export const everyRow = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const tables = yield* execute(
      url,
      "select format('%I', tablename) as name from pg_tables where schemaname = 'public' order by 1"
    )
    const all = tables.map(({ name }) => `select '${name} ' || t::text as line from ${name} t`)
    const rows = yield* execute(url, `${all.join(" union all ")} order by 1`)
    return rows.map(({ line }) => String(line))
  })

/** An empty folder, deleted with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "doorlock-test-"))),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
)

/** Where the server of this URL listens: on TCP, or on a socket, whose folder is in the place of the host. */
export const listeningAt = (url: Redacted.Redacted): NetConnectOpts => {
  const { hostname, port } = new URL(Redacted.value(url))
  const host = decodeURIComponent(hostname)
  return host.startsWith("/")
    ? { path: join(host, `.s.PGSQL.${port}`) }
    : { host, port: Number(port || 5432) }
}

/** The same server and user, but another database. */
export const databaseUrl = (url: Redacted.Redacted, database: string): Redacted.Redacted => {
  const parsed = new URL(Redacted.value(url))
  parsed.pathname = `/${database}`
  return Redacted.make(parsed.href)
}

/** The pools of `keepConnections`, by URL. */
const kept = new Map<string, Pool>()

/** From now on, `execute` reuses its connections to a database, because each new one costs Postgres 30 ms. */
export const keepConnections = (url: Redacted.Redacted): void => {
  const connectionString = Redacted.value(url)
  if (kept.has(connectionString)) return
  const pool = new Pool({
    connectionString,
    application_name: applicationName,
    // Several connections, because statements may wait for each other.
    max: 50,
    allowExitOnIdle: true
  })
  // Without a listener, an "error" event would end the process.
  pool.on("error", () => {})
  kept.set(connectionString, pool)
}

/** Ends what `keepConnections` began: from now on, each `execute` has a connection of its own. */
export const dropConnections = (url: Redacted.Redacted): Effect.Effect<void> =>
  Effect.sync(() => {
    const pool = kept.get(Redacted.value(url))
    kept.delete(Redacted.value(url))
    // It may wait for a statement that another connection's lock holds up.
    void pool?.end()
  })

/**
 * Runs a statement outside any transaction, on a connection that nobody else is using, and returns its rows. Databases of
 * `freshDatabase` keep these connections.
 */
export const execute = (
  url: Redacted.Redacted,
  text: string,
  values: ReadonlyArray<unknown> = []
): Effect.Effect<ReadonlyArray<Record<string, unknown>>, Error> =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = kept.get(Redacted.value(url)) ?? (yield* whenReady(url, "db.ready", connect(url)))
      const result = yield* Effect.tryPromise({
        try: () => client.query<Record<string, unknown>>(text, [...values]),
        catch: (cause) => new Error(`${text} failed`, { cause })
      })
      return result.rows
    })
  ).pipe(Effect.provideService(Timing, patientTiming))
