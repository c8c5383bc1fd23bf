import { type ChildProcess, execFile, type SpawnOptions, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmod, link, lstat, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Schema, Scope } from "effect"
import * as embedded from "../../src/db/embedded.ts"
import { Timing } from "../../src/shared/timing.ts"
import { eventually } from "../support/eventually.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { databasePid, isAlive } from "../support/program.ts"
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

/** `nobody`: earlier versions ran the database as this user, and other programs run as it, too. */
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
      const [dataDir, other] = [yield* temporaryFolder, yield* temporaryFolder]
      yield* Effect.promise(() => Promise.all([chmod(dataDir, 0o755), chmod(other, 0o755)]))
      const cluster = join(dataDir, "postgres")
      yield* cycle(dataDir)
      const [uid = 0] = yield* owners(cluster)
      expect(yield* owners(cluster)).toEqual(new Set([uid]))
      const users = yield* Effect.promise(() => readFile("/etc/passwd", "utf8"))
      expect(users.split("\n").map((line) => Number(line.split(":")[2]))).not.toContain(uid)
      expect(uid).toBeGreaterThan(60_000)
      expect(uid).not.toBe(nobody)

      yield* startEmbeddedPostgres({ dataDir })
      const { capabilities, ...ids } = yield* statusOf(yield* databasePid(dataDir))
      expect(ids).toEqual({ uids: new Set([uid]), groups: "" })
      // Where other users cannot enter this checkout (below /root, for example), the process keeps the one capability to
      // enter it.
      const checkout = join(import.meta.dirname, "../..")
      const isOpen = spawnSync("test", ["-x", checkout], { uid: nobody, gid: nobody, cwd: "/" }).status === 0
      expect(isOpen ? ["0000000000000000"] : ["0000000000000002", "0000000000000004"]).toContain(capabilities)
      yield* startEmbeddedPostgres({ dataDir: other })
      expect(yield* owners(join(other, "postgres"))).not.toContain(uid)
    })
  )

  it.scopedLive("takes over a database of an earlier version from `nobody`, once", () =>
    Effect.gen(function* () {
      const dataDir = yield* copyOfUsedFolder
      const cluster = join(dataDir, "postgres")
      yield* Effect.scoped(
        Effect.flatMap(startEmbeddedPostgres({ dataDir }), ({ adminUrl }) =>
          execute(adminUrl, "drop table if exists kept; create table kept as select 1 as id")
        )
      )
      yield* Effect.promise(() => promisify(execFile)("chown", ["-R", "-h", `${nobody}:${nobody}`, cluster]))
      const { adminUrl: url } = yield* startEmbeddedPostgres({ dataDir })
      expect(yield* execute(url, "select id from kept")).toEqual([{ id: 1 }])
      const [uid = 0, ...others] = yield* owners(cluster)
      expect([others, [0, nobody].includes(uid)]).toEqual([[], false])
    })
  )

  /** A database that `nobody` owns; `plant` adds files to it as root. */
  const ofNobody = (plant: (cluster: string) => Promise<unknown>) =>
    Effect.gen(function* () {
      const dataDir = yield* copyOfUsedFolder
      const cluster = join(dataDir, "postgres")
      yield* Effect.promise(async () => {
        await promisify(execFile)("chown", ["-R", "-h", `${nobody}:${nobody}`, cluster])
        await plant(cluster)
      })
      return { dataDir, cluster }
    })

  it.scopedLive("asks for the password whatever `nobody` wrote about connections", () =>
    Effect.gen(function* () {
      const trust = "local all all trust\nhost all all 127.0.0.1/32 trust\nhost all all all trust\n"
      const { dataDir } = yield* ofNobody(async (cluster) => {
        await writeFile(join(cluster, "pg_hba.conf"), trust)
        await writeFile(join(cluster, "pg_ident.conf"), "any /.* doorlock\n")
      })
      const { url } = yield* startEmbeddedPostgres({ dataDir })
      const wrong = Redacted.make(Redacted.value(url).replace(/:[^:@]+@/, ":wrong@"))
      expect((yield* Effect.flip(one(wrong))).message).toMatch(/password authentication failed/)
    })
  )

  it.scopedLive("changes the owner of no file that has a hard link elsewhere", () =>
    Effect.gen(function* () {
      const elsewhere = yield* temporaryFolder
      const bait = join(elsewhere, "bait")
      for (const folder of ["", "base", "base/1"]) {
        const { cluster, dataDir } = yield* ofNobody(async (made) => {
          await writeFile(bait, "")
          await link(bait, join(made, folder, "hard"))
        })
        const refused = yield* Effect.flip(Effect.scoped(startEmbeddedPostgres({ dataDir })))
        expect(refused.message).toContain(
          `: ${join(cluster, folder, "hard")} has another name elsewhere (a hard link); remove that`
        )
        expect((yield* Effect.promise(() => stat(bait))).uid).toBe(0)
        yield* Effect.promise(() => rm(join(cluster, folder, "hard")))
        yield* cycle(dataDir)
      }
    })
  )

  for (const [what, plant] of [
    ["global/1260", (path, target) => rename(path, target).then(() => symlink(target, path))],
    ["base/1", (path, target) => rename(path, target).then(() => symlink(target, path))],
    ["pg_xact/dangling", (path, target) => symlink(target, path)],
    ["base/1/pipe", (path) => promisify(execFile)("mkfifo", [path])]
  ] as ReadonlyArray<[string, (path: string, target: string) => Promise<unknown>]>) {
    it.scopedLive(
      `refuses a database of \`nobody\` in which ${what} is a link or a pipe, and changes nothing there`,
      () =>
        Effect.gen(function* () {
          const target = join(yield* temporaryFolder, "moved")
          const { cluster, dataDir } = yield* ofNobody((made) => plant(join(made, what), target))
          expect((yield* Effect.flip(startEmbeddedPostgres({ dataDir }))).message).toContain(
            `: ${join(cluster, what)} is neither a file nor a folder; remove that`
          )
          expect((yield* Effect.promise(() => stat(cluster))).uid).toBe(nobody)
          const moved = yield* Effect.promise(() => stat(target).catch(() => undefined))
          expect([nobody, undefined]).toContain(moved?.uid)
        })
    )
  }
})

it.scopedLive("accepts no connection without the password, over any socket", () =>
  Effect.gen(function* () {
    const { adminUrl: url } = yield* startEmbeddedPostgres({ dataDir: yield* usedFolder })
    const rules = yield* execute(url, "select distinct auth_method from pg_hba_file_rules")
    expect(rules).toEqual([{ auth_method: "scram-sha-256" }])
    expect(
      yield* execute(
        url,
        "select current_setting('unix_socket_directories') as sockets, rolname from pg_authid where rolcanlogin order by rolname"
      )
    ).toEqual(["doorlock", "doorlock_owner", "doorlock_service"].map((rolname) => ({ sockets: "", rolname })))
  })
)

it.scopedLive("asks for the password, uses UTF-8 and its own locale", () =>
  Effect.gen(function* () {
    const { url } = yield* startEmbeddedPostgres({ dataDir: yield* usedFolder })
    expect(
      yield* execute(
        url,
        `select upper('ärger') as upper, current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
          current_setting('listen_addresses') as addresses`
      )
    ).toEqual([{ upper: "ÄRGER", encoding: "UTF8", fsync: "on", addresses: "127.0.0.1" }])
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

it.scopedLive("restarts a killed server on the same port", () =>
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
