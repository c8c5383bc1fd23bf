/** Debian's PgBouncer as a separate process. */
import { spawn } from "node:child_process"
import { chmod, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Redacted, type Scope } from "effect"
import { connect } from "../../../src/db/connection.ts"
import { proxied } from "../database/tcp-proxy.ts"
import { eventually } from "../eventually.ts"
import { temporaryFolder } from "../postgres.ts"
import { freePort } from "./free-port.ts"
import { type Restartable, restartable } from "./restartable.ts"

/** Undefined without PgBouncer: tests that need it are skipped by name. */
const program = Bun.which("pgbouncer", { PATH: `${process.env.PATH}:/usr/sbin` })

export const withoutPgBouncer = program === null

export interface TestPgBouncer extends Restartable {
  /** The database's URL through the pooler. */
  readonly url: Redacted.Redacted<string>
}

/**
 * A running PgBouncer in front of the database with that URL, with its defaults but for these settings; stops with
 * the scope.
 */
export const pgBouncer = (
  database: Redacted.Redacted<string>,
  settings: Readonly<Record<string, string | number>> = { pool_mode: "transaction" }
): Effect.Effect<TestPgBouncer, Error, Scope.Scope> =>
  Effect.gen(function* () {
    if (program === null) return yield* Effect.die(new Error("There is no pgbouncer"))
    const folder = yield* temporaryFolder
    const port = yield* freePort
    // The user that it runs as cannot enter the folder of a socket.
    const target = new URL(Redacted.value((yield* proxied(database)).url))
    const lines = [
      "[databases]",
      `* = host=${target.hostname} port=${target.port}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = trust",
      `auth_file = ${folder}/users`,
      ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
    ]
    yield* Effect.promise(async () => {
      await writeFile(
        join(folder, "users"),
        `"${decodeURIComponent(target.username)}" "${decodeURIComponent(target.password)}"\n`
      )
      await writeFile(join(folder, "pgbouncer.ini"), `${lines.join("\n")}\n`)
      // It does not run as root.
      await chmod(folder, 0o755)
    })
    const url = new URL(target)
    url.host = `127.0.0.1:${port}`
    const pooled = Redacted.make(url.href)
    const user = process.getuid?.() === 0 ? ["--user", "nobody"] : []
    const running = yield* restartable(
      () => spawn(program, ["--quiet", ...user, join(folder, "pgbouncer.ini")], { stdio: "ignore" }),
      eventually(
        "PgBouncer answers",
        Effect.map(Effect.exit(Effect.scoped(connect(pooled))), ({ _tag }) => _tag === "Success")
      )
    )
    return { ...running, url: pooled }
  })
