/** Debian's Postgres with a standby, each in a process of its own. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { appendFile, chmod, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Redacted, type Scope } from "effect"
import { connect } from "../../../src/db/connection.ts"
import { eventually } from "../eventually.ts"
import { execute, temporaryFolder } from "../postgres.ts"
import { freePort } from "./free-port.ts"

const debians = "/usr/lib/postgresql"

/** The newest version's folder, if several are installed; undefined: tests that need it are skipped by name. */
export const postgresPrograms = [
  ...(existsSync(debians) ? new Bun.Glob("*/bin/initdb").scanSync(debians) : [])
]
  .sort((left, right) => Number.parseInt(left, 10) - Number.parseInt(right, 10))
  .map((found) => join(debians, found, ".."))
  .at(-1)

/** As Debian's user `postgres`, since Postgres does not run as root. */
export const asPostgres =
  process.getuid?.() === 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"] : []

const begin = (program: string, ...words: ReadonlyArray<string>) => {
  const [command = "", ...rest] = [...asPostgres, join(postgresPrograms ?? "", program), ...words]
  const child = spawn(command, rest, { stdio: "ignore", env: { LANG: "C.UTF-8", PATH: process.env.PATH } })
  return { child, closed: once(child, "close") }
}

const run = (program: string, ...words: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const { child, closed } = begin(program, ...words)
    await closed
    if (child.exitCode !== 0) throw new Error(`${program} exited with ${child.exitCode}`)
  })

/** Until it accepts connections; stops with the scope. */
const serve = (folder: string, port: number) =>
  Effect.gen(function* () {
    const url = Redacted.make(`postgres://postgres@127.0.0.1:${port}/postgres`)
    const settings = { listen_addresses: "127.0.0.1", port, unix_socket_directories: "", fsync: "off" }
    const words = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    const { child, closed } = yield* Effect.acquireRelease(
      Effect.sync(() => begin("postgres", "-D", folder, ...words)),
      ({ child, closed }) =>
        Effect.promise(async () => {
          if (child.exitCode === null && child.signalCode === null) child.kill("SIGQUIT")
          await closed
        })
    )
    yield* eventually(
      "Postgres accepts connections",
      Effect.map(Effect.exit(Effect.scoped(connect(url))), ({ _tag }) => _tag === "Success")
    )
    const stop = Effect.promise(async () => {
      child.kill("SIGQUIT")
      await closed
    })
    return { url, stop }
  })

export interface Replicated {
  /** An empty database, as a superuser. */
  readonly url: Redacted.Redacted<string>
  /** The same on the standby. */
  readonly standbyUrl: Redacted.Redacted<string>
  /** The standby receives changes, but does not apply them until `resume`. */
  readonly pause: Effect.Effect<unknown, Error>
  readonly resume: Effect.Effect<unknown, Error>
  readonly stopStandby: Effect.Effect<void>
  /** Lets the standby lead. The former leader goes on by itself. */
  readonly promote: Effect.Effect<unknown, Error>
  /** Lets the former leader follow the new one, as it is. */
  readonly demote: Effect.Effect<void, Error, Scope.Scope>
}

/** A folder for clusters. */
const clusters = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  yield* Effect.promise(async () => {
    await chmod(folder, 0o755)
    await mkdir(join(folder, "run"))
    await chmod(join(folder, "run"), 0o777)
  })
  return join(folder, "run")
})

const initialize = (folder: string) =>
  run("initdb", "-D", folder, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-sync")

/** A server that trusts everybody, with nothing in it: the URL of its superuser. Stops with the scope. */
export const emptyServer = Effect.gen(function* () {
  const folder = join(yield* clusters, "alone")
  yield* initialize(folder)
  const { url } = yield* serve(folder, yield* freePort)
  return url
})

/** A server with an asynchronous standby; both stop with the scope. */
export const replicated: Effect.Effect<Replicated, Error, Scope.Scope> = Effect.gen(function* () {
  const folder = yield* clusters
  const [first, second] = [join(folder, "first"), join(folder, "second")]
  const [port, standbyPort] = [yield* freePort, yield* freePort]
  yield* initialize(first)
  const leader = yield* serve(first, port)
  const { url } = leader
  yield* run("pg_basebackup", "-D", second, "-R", "-c", "fast", "--no-sync", "-d", Redacted.value(url))
  const standby = yield* serve(second, standbyPort)
  return {
    url,
    standbyUrl: standby.url,
    pause: execute(standby.url, "select pg_wal_replay_pause()"),
    resume: execute(standby.url, "select pg_wal_replay_resume()"),
    stopStandby: standby.stop,
    promote: execute(standby.url, "select pg_promote()"),
    demote: Effect.gen(function* () {
      yield* leader.stop
      yield* Effect.promise(async () => {
        await appendFile(
          join(first, "postgresql.auto.conf"),
          `primary_conninfo = 'host=127.0.0.1 port=${standbyPort} user=postgres'\n`
        )
        await writeFile(join(first, "standby.signal"), "")
        await chmod(join(first, "standby.signal"), 0o644)
      })
      yield* serve(first, port)
    })
  }
})
