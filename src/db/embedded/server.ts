import type { ChildProcess } from "node:child_process"
import { chmod, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Deferred, Effect, Runtime } from "effect"
import { Timing } from "../../shared/timing.ts"
import type { Account } from "./account.ts"
import type { Binaries } from "./binaries.ts"
import { type EmbeddedPostgresError, unusable } from "./error.ts"
import { socketPort } from "./socket.ts"

/** A started server program, which may have ended since. */
export interface Server {
  /** Succeeds when the server accepts connections. If it ends first, fails with its last complaint. */
  readonly ready: Effect.Effect<void, string>
  readonly ended: Effect.Effect<void>
  /** Fast shutdown: open transactions are rolled back, and everything committed is on disk. */
  readonly stop: Effect.Effect<void>
}

export interface ServerOptions {
  readonly binaries: Binaries
  readonly account: Account
  readonly cluster: string
  readonly rules: ConnectionRules
  /** The folder of its socket. */
  readonly socket: string
  readonly fsync: boolean
}

interface ConnectionRules {
  readonly connections: string
  readonly names: string
}

/** Creates the files in a folder that only we can write to: through the socket only, with passwords. */
export const makeRules = (folder: string): Effect.Effect<ConnectionRules, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: async () => {
      const rules = { connections: join(folder, "pg_hba.conf"), names: join(folder, "pg_ident.conf") }
      await writeFile(rules.connections, "local all all scram-sha-256\n")
      await writeFile(rules.names, "")
      // Whatever the umask, the database's account must be able to read them.
      await Promise.all(Object.values(rules).map((path) => chmod(path, 0o644)))
      return rules
    },
    catch: unusable(`The folder ${folder} cannot be written.`)
  })

/** Starts the server program and copies its log to our debug log. */
export const launch = (options: ServerOptions): Effect.Effect<Server> =>
  Effect.gen(function* () {
    const { binaries, account, cluster, rules, socket, fsync } = options
    const timing = yield* Timing
    const runFork = Runtime.runFork(yield* Effect.runtime())
    const ready = yield* Deferred.make<void, string>()
    const ended = yield* Deferred.make<void>()
    const settings = {
      // Not on TCP, which every user of this machine could reach.
      listen_addresses: "",
      // A list, whose names may be in quotes.
      unix_socket_directories: `"${socket.replaceAll('"', '""')}"`,
      port: socketPort,
      // Not the cluster's files, which others may have been able to write.
      hba_file: rules.connections,
      ident_file: rules.names,
      max_connections: 200,
      // For many partitions of sessions (operations.md#partitions-of-sessions).
      max_locks_per_transaction: 256,
      // As parsed below.
      log_destination: "stderr",
      logging_collector: "off",
      log_line_prefix: "",
      lc_messages: "C",
      ...(fsync ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" })
    }
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    return yield* Effect.sync(() => {
      const child = account.spawn(binaries.postgres, ["-D", cluster, ...args], {
        env: binaries.environment,
        cwd: "/",
        stdio: ["ignore", "ignore", "pipe"]
      })
      let complaint = "it ended without saying why"
      const onLine = (line: string) => {
        runFork(Effect.logDebug(`postgres: ${line}`))
        const message = /^(?:FATAL|PANIC|DETAIL): {2}(.*?)\.?$/.exec(line)?.[1]
        if (message !== undefined)
          complaint = line.startsWith("DETAIL") ? `${complaint} (${message})` : message
        if (line.includes("database system is ready to accept connections"))
          Deferred.unsafeDone(ready, Effect.void)
      }
      if (child.stderr !== null) createInterface({ input: child.stderr }).on("line", onLine)
      const end = () => {
        Deferred.unsafeDone(ready, Effect.fail(complaint))
        Deferred.unsafeDone(ended, Effect.void)
      }
      child.on("error", (error) => {
        complaint = error.message
        end()
      })
      // Unlike "exit", "close" comes after the last log lines.
      child.on("close", end)
      return {
        ready: Deferred.await(ready),
        ended: Deferred.await(ended),
        stop: stop(child, Deferred.await(ended), timing)
      }
    })
  })

const stop = (
  child: ChildProcess,
  ended: Effect.Effect<void>,
  { within }: Timing["Type"]
): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const [signal, timeout] of [
      ["SIGINT", "db.embedded_stop"],
      ["SIGQUIT", "db.embedded_abort"],
      ["SIGKILL", "db.embedded_abort"]
    ] as const) {
      child.kill(signal)
      if ((yield* within(timeout, Effect.interruptible(ended)))._tag === "Some") return
    }
    yield* Effect.logWarning("The embedded database does not stop")
  })
