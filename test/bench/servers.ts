/** The servers to compare, each in its own process, on one Postgres. */
import { join } from "node:path"
import { Effect, Redacted, type Scope } from "effect"
import { startEmbeddedPostgres } from "../../src/db/embedded.ts"
import { freePort } from "../support/machine/free-port.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { productionProgram, runUntilReady } from "../support/program.ts"

export interface Server {
  readonly url: string
  /** Its processes, for the CPU time. */
  readonly pids: ReadonlyArray<number>
}

type Environment = Readonly<Record<string, string>>

/** A Postgres with its usual durability, for the server under test. */
export const postgres: Effect.Effect<Redacted.Redacted<string>, unknown, Scope.Scope> = Effect.gen(
  function* () {
    const dataDir = yield* temporaryFolder
    return (yield* startEmbeddedPostgres({ dataDir })).adminUrl
  }
)

const quietly = async (child: ReturnType<typeof Bun.spawn>): Promise<void> => {
  child.kill("SIGTERM")
  await child.exited
}

/** One of the `baselines`, by file name. */
export const baseline = (name: string, environment: Environment): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const child = Bun.spawn([process.execPath, join(import.meta.dirname, `baselines/${name}.ts`)], {
          env: { PATH: process.env.PATH, ...environment },
          stdout: "pipe",
          stderr: "inherit"
        })
        const { value } = await child.stdout.getReader().read()
        const address = /listens on (\S+)/.exec(new TextDecoder().decode(value))?.[1]
        if (address === undefined) throw new Error(`The baseline ${name} does not say where it listens`)
        return { child, url: `http://${address}` }
      }),
      ({ child }) => Effect.promise(() => quietly(child))
    ),
    ({ child, url }) => ({ url, pids: [child.pid] })
  )

/** doorlock as deployed: JSON logs, its own database, no demo. */
export const doorlock = (
  databaseUrl: Redacted.Redacted,
  environment: Environment = {}
): Effect.Effect<Server, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const dataDir = yield* temporaryFolder
    const settings = {
      DATABASE_URL: Redacted.value(databaseUrl),
      DATA_DIR: dataDir,
      SECRET_KEY: crypto.randomUUID(),
      SIGNUP: "open",
      SEED_DEMO: "false",
      GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true",
      LOG_LEVEL: "warning",
      ...environment
    }
    const { pid, url } = yield* runUntilReady(settings, productionProgram)
    return { url, pids: [pid] }
  })

/** doorlock with its own empty Postgres. */
export const doorlockOnItsOwn = Effect.gen(function* () {
  const databaseUrl = yield* postgres
  return { ...(yield* doorlock(databaseUrl)), databaseUrl }
})

/** nginx with one worker and keep-alive connections, as a proxy that checks nothing; undefined if not installed. */
export const nginx = (upstream: string): Effect.Effect<Server | undefined, never, Scope.Scope> =>
  Effect.gen(function* () {
    const program = Bun.which("nginx", { PATH: `${process.env.PATH}:/usr/sbin` })
    if (program === null) return undefined
    const folder = yield* temporaryFolder
    const port = yield* freePort
    const config = `
      worker_processes 1;
      daemon off;
      master_process off;
      pid ${folder}/nginx.pid;
      error_log ${folder}/error.log;
      events { worker_connections 4096; }
      http {
        access_log off;
        client_body_temp_path ${folder}/body;
        proxy_temp_path ${folder}/proxy;
        fastcgi_temp_path ${folder}/fastcgi;
        uwsgi_temp_path ${folder}/uwsgi;
        scgi_temp_path ${folder}/scgi;
        keepalive_requests 100000000;
        upstream behind { server ${new URL(upstream).host}; keepalive 128; keepalive_requests 100000000; }
        server {
          listen 127.0.0.1:${port};
          location / { proxy_pass http://behind; proxy_http_version 1.1; proxy_set_header connection ""; }
        }
      }`
    yield* Effect.promise(() => Bun.write(`${folder}/nginx.conf`, config))
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.spawn([program, "-p", folder, "-e", `${folder}/error.log`, "-c", `${folder}/nginx.conf`], {
          stdout: "ignore",
          stderr: "ignore"
        })
      ),
      (child) => Effect.promise(() => quietly(child))
    )
    const url = `http://127.0.0.1:${port}`
    yield* Effect.promise(async () => {
      for (let tries = 0; tries < 100; tries++) {
        if (
          await fetch(url)
            .then((answer) => answer.ok)
            .catch(() => false)
        )
          return
        await Bun.sleep(20)
      }
      throw new Error("nginx does not answer")
    })
    return { url, pids: [child.pid] }
  })
