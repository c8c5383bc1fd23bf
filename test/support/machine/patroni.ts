/** Postgres under Debian's Patroni, with etcd: three nodes on this machine, and HAProxy in front of them. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Redacted, Schema, type Scope } from "effect"
import { eventually } from "../eventually.ts"
import { execute, temporaryFolder } from "../postgres.ts"
import { freePort } from "./free-port.ts"
import { asPostgres, postgresPrograms } from "./standby.ts"

const PATH = `${process.env.PATH}:/usr/sbin`
const programs = {
  patroni: Bun.which("patroni"),
  etcd: Bun.which("etcd"),
  haproxy: Bun.which("haproxy", { PATH })
}

/** The packages that tests need and that are missing; those tests are skipped by name. */
export const missingForPatroni = [
  ["patroni", programs.patroni],
  ["etcd-server", programs.etcd],
  ["haproxy", programs.haproxy],
  ["postgresql", postgresPrograms ?? null]
].flatMap(([name, path]) => (path === null ? [name] : []))

/** Seconds. The standbys look for a leader once its key is this old; 20 is the least that Patroni takes. */
const ttl = 20

export interface PatroniNode {
  readonly name: string
  /** A superuser's URL of the database `doorlock`. */
  readonly adminUrl: Redacted.Redacted<string>
  /** Kills Patroni and Postgres, as a power cut does. */
  readonly kill: Effect.Effect<void>
  readonly start: Effect.Effect<void>
  /** Lets this standby receive nothing from its leader, until `resume`. */
  readonly stall: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
}

export interface TestPatroni {
  /** Of the database `doorlock`, as the role that owns it: all nodes. */
  readonly url: Redacted.Redacted<string>
  /** The same through HAProxy, which asks Patroni who the leader is. */
  readonly proxyUrl: Redacted.Redacted<string>
  /** The same, of a standby. */
  readonly readUrl: Redacted.Redacted<string>
  /** Fails while there is none. */
  readonly leader: Effect.Effect<PatroniNode, Error>
  readonly standbys: Effect.Effect<ReadonlyArray<PatroniNode>, Error>
  /** Waits until all nodes run, and one standby is synchronous. Returns the leader. */
  readonly whole: Effect.Effect<PatroniNode, Error>
  /** From now on, commits wait for no standby. */
  readonly beAsynchronous: Effect.Effect<void>
  /** Makes a synchronous standby the leader, and the leader a standby. */
  readonly switchOver: Effect.Effect<void, Error>
}

const started = (command: ReadonlyArray<string>, log: string) => {
  const [program = "", ...words] = command
  const child = spawn("sh", ["-c", 'exec "$@" >>"$0" 2>&1', log, program, ...words], {
    stdio: "ignore",
    env: { PATH: `${PATH}:${postgresPrograms}`, LANG: "C.UTF-8" }
  })
  return { child, closed: once(child, "close") }
}

const running = (command: ReadonlyArray<string>, log: string): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => started(command, log)),
      ({ child, closed }) =>
        Effect.promise(async () => {
          child.kill("SIGKILL")
          await closed
        })
    )
  )

const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended.
  }
}

const childrenOf = async (pid: number): Promise<ReadonlyArray<number>> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => ""))
    .split(" ")
    .flatMap((child) => (child === "" ? [] : [Number(child)]))

const Cluster = Schema.decodeUnknownSync(
  Schema.Struct({
    members: Schema.Array(Schema.Struct({ name: Schema.String, role: Schema.String, state: Schema.String }))
  })
)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The settings of a file, with those of this machine. */
const adapted = (file: unknown, own: unknown): unknown =>
  isObject(file) && isObject(own)
    ? {
        ...file,
        ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name, adapted(file[name], value)]))
      }
    : own

/** A cluster whose leader waits for one standby with each commit, and takes no writes without (`synchronous_mode_strict`). */
export const patroni: Effect.Effect<TestPatroni, Error, Scope.Scope> = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  yield* Effect.promise(async () => {
    await chmod(folder, 0o755)
    await mkdir(join(folder, "run"), { mode: 0o777 })
    await chmod(join(folder, "run"), 0o777)
  })
  const ports = yield* Effect.replicateEffect(freePort, 9)
  const [clientPort = 0, peerPort = 0, proxyPort = 0] = ports
  const log = (name: string) => join(folder, "run", `${name}.log`)
  const [clients, peers] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`]
  yield* running(
    [
      [programs.etcd ?? "", "--data-dir", join(folder, "run/etcd"), "--unsafe-no-fsync"],
      ["--listen-client-urls", clients, "--advertise-client-urls", clients],
      ["--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers],
      ["--initial-cluster", `default=${peers}`]
    ].flat(),
    log("etcd")
  )

  const file: unknown = Bun.YAML.parse(
    yield* Effect.promise(() =>
      readFile(join(import.meta.dirname, "../../../docs/deploy/patroni/node.yml"), "utf8")
    )
  )
  const settingsOf = (name: string, port: number, api: number) =>
    adapted(file, {
      name,
      restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
      etcd3: { hosts: `127.0.0.1:${clientPort}` },
      bootstrap: { dcs: { ttl, loop_wait: 2, retry_timeout: 5 } },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        data_dir: join(folder, "run", name),
        bin_dir: postgresPrograms,
        pgpass: join(folder, "run", `${name}.pgpass`),
        authentication: { superuser: { password: "postgres" }, replication: { password: "replicator" } },
        parameters: { unix_socket_directories: join(folder, "run") }
      },
      watchdog: { mode: "off" }
    })

  const makeNode = (name: string, port: number, api: number) =>
    Effect.gen(function* () {
      const file = join(folder, `${name}.yml`)
      yield* Effect.promise(() => writeFile(file, JSON.stringify(settingsOf(name, port, api))))
      let process: ReturnType<typeof started> | undefined
      const start = Effect.sync(() => {
        process = started([...asPostgres, programs.patroni ?? "", file], log(name))
      })
      const postmaster = async () =>
        Number.parseInt(
          await readFile(join(folder, "run", name, "postmaster.pid"), "utf8").catch(() => "0"),
          10
        )
      const kill = Effect.promise(async () => {
        const database = await postmaster()
        const children = database > 0 ? await childrenOf(database) : []
        process?.child.kill("SIGKILL")
        for (const pid of [database, ...children]) if (pid > 0) signal(pid, "SIGKILL")
        await process?.closed
      })
      const toReceiver = (name: NodeJS.Signals) =>
        Effect.promise(async () => {
          for (const pid of await childrenOf(await postmaster())) {
            const title = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")
            if (title.includes("walreceiver")) signal(pid, name)
          }
        })
      const node = {
        name,
        port,
        api,
        adminUrl: Redacted.make(`postgres://postgres:postgres@127.0.0.1:${port}/doorlock`),
        kill,
        start,
        stall: toReceiver("SIGSTOP"),
        resume: toReceiver("SIGCONT")
      }
      yield* Effect.acquireRelease(start, () => kill)
      return node
    })
  const first = yield* makeNode("node1", ports[3] ?? 0, ports[4] ?? 0)
  const ask = (path: string, init?: RequestInit) =>
    Effect.promise(async () => {
      for (const { api } of [first, ...others]) {
        const answer = await fetch(`http://127.0.0.1:${api}${path}`, init).catch(() => undefined)
        if (answer !== undefined) return answer
      }
      return new Response("nobody answers", { status: 503 })
    })
  const others: Array<typeof first> = []
  const members = Effect.map(
    Effect.flatMap(ask("/cluster"), (answer) =>
      Effect.promise(async () => (answer.ok ? Cluster(await answer.json()).members : []))
    ),
    (found) =>
      found.flatMap((member) => {
        const node = [first, ...others].find(({ name }) => name === member.name)
        return node === undefined ? [] : [{ ...member, node }]
      })
  )
  const leader = Effect.flatMap(members, (found) => {
    const it = found.find(({ role, state }) => role === "leader" && state === "running")
    return it === undefined ? Effect.fail(new Error("There is no leader")) : Effect.succeed(it.node)
  })
  const is = (name: string) =>
    Effect.map(Effect.option(leader), (found) => found._tag === "Some" && found.value.name === name)
  yield* eventually("the first node leads", is("node1"))
  others.push(
    ...(yield* Effect.all(
      [makeNode("node2", ports[5] ?? 0, ports[6] ?? 0), makeNode("node3", ports[7] ?? 0, ports[8] ?? 0)],
      { concurrency: "unbounded" }
    ))
  )
  const all = [first, ...others]
  const isWhole = Effect.map(
    members,
    (found) =>
      found.length === all.length &&
      found.every(({ state }) => state === "running" || state === "streaming") &&
      ["leader", "sync_standby"].every((wanted) => found.filter(({ role }) => role === wanted).length === 1)
  )
  const whole = Effect.zipRight(eventually("all nodes run, and one standby is synchronous", isWhole), leader)
  const leading = yield* whole
  const maintenance = new URL(Redacted.value(leading.adminUrl))
  maintenance.pathname = "/postgres"
  yield* execute(Redacted.make(maintenance.href), "create role doorlock login password 'doorlock'")
  yield* execute(Redacted.make(maintenance.href), "create database doorlock owner doorlock")

  const configuration = [
    "defaults",
    "  mode tcp",
    "  timeout connect 1s",
    "  timeout client 1h",
    "  timeout server 1h",
    "listen postgres",
    `  bind 127.0.0.1:${proxyPort}`,
    "  option httpchk GET /primary",
    "  http-check expect status 200",
    "  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions",
    ...all.map(({ api, name, port }) => `  server ${name} 127.0.0.1:${port} check port ${api}`)
  ]
  yield* Effect.promise(() => writeFile(join(folder, "haproxy.cfg"), `${configuration.join("\n")}\n`))
  yield* running([programs.haproxy ?? "", "-db", "-f", join(folder, "haproxy.cfg")], log("haproxy"))

  const urlOf = (hosts: string, wanted: string) =>
    Redacted.make(`postgres://doorlock:doorlock@${hosts}/doorlock?target_session_attrs=${wanted}`)
  const hosts = all.map(({ port }) => `127.0.0.1:${port}`).join(",")
  return {
    url: urlOf(hosts, "primary"),
    proxyUrl: urlOf(`127.0.0.1:${proxyPort}`, "primary"),
    readUrl: urlOf(hosts, "standby"),
    leader,
    standbys: Effect.map(members, (found) =>
      found.flatMap(({ node, role }) => (role === "leader" ? [] : [node]))
    ),
    whole,
    beAsynchronous: Effect.asVoid(
      ask("/config", { method: "PATCH", body: JSON.stringify({ synchronous_mode: false }) })
    ),
    switchOver: Effect.gen(function* () {
      const from = yield* leader
      const to = (yield* members).find(({ role }) => role === "sync_standby")
      if (to === undefined) return yield* Effect.fail(new Error("No standby is synchronous"))
      const answer = yield* ask("/switchover", {
        method: "POST",
        body: JSON.stringify({ leader: from.name, candidate: to.name })
      })
      if (!answer.ok) {
        return yield* Effect.fail(new Error(yield* Effect.promise(() => answer.text())))
      }
      yield* eventually("the other leads", is(to.name))
    })
  }
})
