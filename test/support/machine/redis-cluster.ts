/** A cluster of Debian's Redis: three masters, each with a replica, in separate processes. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { eventually } from "../eventually.ts"
import { temporaryFolder } from "../postgres.ts"
import { freePort } from "./free-port.ts"

/** Undefined without Redis: tests that need it are skipped by name. */
const program = Bun.which("redis-server")

const slotsOfAll = 16_384

interface ClusterNode {
  readonly id: string
  readonly port: number
  readonly kill: Effect.Effect<void>
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  /** Rejects with the node's own error, such as `MOVED`. */
  readonly send: (command: string, ...args: ReadonlyArray<string>) => Effect.Effect<unknown>
}

export interface TestCluster {
  /** One node. */
  readonly url: string
  /** All nodes. */
  readonly urlOfAll: string
  readonly nodes: ReadonlyArray<ClusterNode>
  /** The node that serves the key's slot, as the node `by` sees it. */
  readonly masterOf: (key: string, by?: ClusterNode) => Effect.Effect<ClusterNode>
  /** The replica that this master was given at the start. */
  readonly replicaOf: (master: ClusterNode) => ClusterNode
  /** Waits until every write is on the master's replica. */
  readonly replicated: (master: ClusterNode) => Effect.Effect<void, Error>
  /** Waits until this node sees a cluster that serves every slot. */
  readonly whole: (by: ClusterNode) => Effect.Effect<void, Error>
}

interface Options {
  /** Milliseconds after which the nodes take a silent one for failed. Default: longer than a test. */
  readonly nodeTimeout?: number
  /** For clients; nodes use it among themselves, too. */
  readonly password?: string
}

const startNode = (folder: string, { nodeTimeout = 600_000, password }: Options) =>
  Effect.gen(function* () {
    if (program === null) return yield* Effect.die(new Error("There is no redis-server"))
    const port = yield* freePort
    const busPort = yield* freePort
    const dir = join(folder, String(port))
    yield* Effect.promise(() => mkdir(dir))
    const secret = password === undefined ? [] : ["--requirepass", password, "--masterauth", password]
    const child = spawn(
      program,
      [
        ["--port", String(port), "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "no"],
        ["--cluster-enabled", "yes", "--cluster-port", String(busPort)],
        ["--cluster-node-timeout", String(nodeTimeout), "--repl-diskless-sync-delay", "0"],
        // A replica that lagged while its master lived may still take over.
        ["--cluster-replica-validity-factor", "0"],
        secret
      ].flat(),
      { stdio: ["ignore", "pipe", "inherit"] }
    )
    const log: Array<string> = []
    child.stdout.setEncoding("utf8").on("data", (part: string) => log.push(part))
    const closed = once(child, "close")
    const kill = Effect.promise(async () => {
      child.kill("SIGKILL")
      await closed
    })
    yield* Effect.addFinalizer(() => kill)
    const url = `redis://${password === undefined ? "" : `:${password}@`}127.0.0.1:${port}`
    const ask = async (command: string, args: ReadonlyArray<string>) => {
      const client = new Bun.RedisClient(url, { autoReconnect: false })
      try {
        return await client.send(command, [...args])
      } finally {
        client.close()
      }
    }
    yield* eventually(
      "Redis answers",
      Effect.promise(() =>
        ask("PING", []).then(
          () => true,
          () => {
            if (child.exitCode !== null) throw new Error(`Redis ended before it answered:\n${log.join("")}`)
            return false
          }
        )
      )
    )
    const id = String(yield* Effect.promise(() => ask("CLUSTER", ["MYID"])))
    const node: ClusterNode = {
      id,
      port,
      kill,
      pause: Effect.sync(() => void child.kill("SIGSTOP")),
      resume: Effect.sync(() => void child.kill("SIGCONT")),
      send: (command, ...args) => Effect.promise(() => ask(command, args))
    }
    return { ...node, busPort, url }
  })

const says = (node: ClusterNode, text: string, ...command: readonly [string, ...ReadonlyArray<string>]) =>
  Effect.map(node.send(...command), (answer) => String(answer).includes(text))

/** A cluster without persistence; stops with the scope. */
export const redisCluster = (options: Options = {}): Effect.Effect<TestCluster, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const nodes = yield* Effect.all(
      Array.from({ length: 6 }, () => startNode(folder, options)),
      { concurrency: "unbounded" }
    )
    const [first, ...others] = nodes
    if (first === undefined) return yield* Effect.die(new Error("No nodes"))
    const masters = nodes.slice(0, 3)
    const each = Math.ceil(slotsOfAll / masters.length)
    for (const [place, master] of masters.entries()) {
      const last = Math.min(slotsOfAll, (place + 1) * each) - 1
      yield* master.send("CLUSTER", "ADDSLOTSRANGE", String(place * each), String(last))
    }
    for (const [place, node] of nodes.entries()) {
      yield* node.send("CLUSTER", "SET-CONFIG-EPOCH", String(place + 1))
    }
    for (const { busPort, port } of others) {
      yield* first.send("CLUSTER", "MEET", "127.0.0.1", String(port), String(busPort))
    }
    const all = (
      what: string,
      of: ReadonlyArray<ClusterNode>,
      ...asks: Parameters<typeof says> extends [ClusterNode, ...infer Rest] ? Rest : never
    ) =>
      eventually(
        what,
        Effect.map(
          Effect.forEach(of, (node) => says(node, ...asks)),
          (good) => good.every(Boolean)
        )
      )
    yield* all("each node knows the others", nodes, "cluster_known_nodes:6", "CLUSTER", "INFO")
    for (const [place, replica] of nodes.slice(3).entries()) {
      yield* replica.send("CLUSTER", "REPLICATE", masters[place]?.id ?? "")
    }
    yield* all("the replicas follow", nodes.slice(3), "master_link_status:up", "INFO", "replication")
    yield* all("the cluster is ready", nodes, "cluster_state:ok", "CLUSTER", "INFO")

    const nodeWith = (id: string): ClusterNode => {
      const found = nodes.find((node) => node.id === id)
      if (found === undefined) throw new Error(`No node ${id}`)
      return found
    }
    const lines = (by: ClusterNode) =>
      Effect.map(by.send("CLUSTER", "NODES"), (text) =>
        String(text)
          .trim()
          .split("\n")
          .map((line) => line.split(" "))
      )
    const holds = (slot: number, ranges: ReadonlyArray<string>) =>
      ranges.some((range) => {
        const [from = "", to = from] = range.split("-")
        return Number(from) <= slot && slot <= Number(to)
      })
    return {
      url: first.url,
      urlOfAll: first.url.replace(
        String(first.port),
        nodes
          .map(({ port }) => `127.0.0.1:${port}`)
          .join(",")
          .replace(/^127\.0\.0\.1:/, "")
      ),
      nodes,
      masterOf: (key, by = first) =>
        Effect.gen(function* () {
          const slot = Number(yield* by.send("CLUSTER", "KEYSLOT", key))
          const line = (yield* lines(by)).find(
            ([, , flags = "", , , , , , ...ranges]) => flags.includes("master") && holds(slot, ranges)
          )
          return nodeWith(line?.[0] ?? "")
        }),
      // Other nodes may not know yet that it is one.
      replicaOf: (master) => nodeWith(nodes[masters.findIndex(({ id }) => id === master.id) + 3]?.id ?? ""),
      replicated: (master) =>
        eventually(
          "every write is on the replica",
          Effect.map(master.send("INFO", "replication"), (text) => {
            const offset = /master_repl_offset:(\d+)/.exec(String(text))?.[1]
            return String(text).includes(`state=online,offset=${offset},`)
          })
        ),
      whole: (by) => eventually("every slot is served", says(by, "cluster_slots_ok:16384", "CLUSTER", "INFO"))
    } satisfies TestCluster
  })
