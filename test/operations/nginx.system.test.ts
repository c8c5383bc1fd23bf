/** docs/nginx.conf in front of a service: no spelling of a path gets past its rules. */
import { mkdirSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/eventually.ts"
import { open } from "../support/http/raw.ts"
import { freePort } from "../support/machine/free-port.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { startServer } from "../support/server.ts"

const nginx = Bun.which("nginx", { PATH: `${process.env.PATH}:/usr/sbin` })

/** The proxy of docs/nginx.conf on its own port, in front of this service; only its addresses and folders differ. */
const proxyTo = (url: string) =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const port = yield* freePort
    const file = join(folder, "nginx.conf")
    const written = yield* Effect.promise(() => readFile("docs/nginx.conf", "utf8"))
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (of) => `${of}_temp_path ${join(folder, of)};`
    )
    mkdirSync(join(folder, "logs"))
    writeFileSync(
      file,
      written
        .replace("/tmp/nginx.pid", join(folder, "pid"))
        .replace("http {", `http {\n${places.join("\n")}`)
        .replace("listen 3000;", `listen 127.0.0.1:${port};`)
        .replace("doorlock:3000", new URL(url).host)
    )
    const proxy = { url: `http://127.0.0.1:${port}` }
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.spawn([nginx ?? "", "-p", folder, "-c", file, "-g", "daemon off;"], {
          stdout: "ignore",
          stderr: "ignore"
        })
      ),
      (running) =>
        Effect.promise(() => {
          running.kill()
          return running.exited
        })
    )
    yield* eventually(
      "nginx answers",
      Effect.promise(() =>
        fetch(`${proxy.url}/healthz`).then(
          ({ ok }) => ok,
          () => false
        )
      )
    )
    return proxy
  })

it.scopedLive.skipIf(nginx === null)(
  "a backslash in a request's target is 400 before any rule about paths, and other targets pass (needs nginx)",
  () =>
    Effect.gen(function* () {
      const proxy = yield* proxyTo((yield* startServer()).url)
      const status = (target: string) =>
        Effect.scoped(
          Effect.flatMap(open(proxy), (connection) => {
            connection.write(`GET ${target} HTTP/1.1\r\nHost: doorlock.test\r\nConnection: close\r\n\r\n`)
            return Effect.map(connection.answer, (answer) => answer.status)
          })
        )
      for (const target of [
        "/.\\metrics",
        "/x\\..\\metrics",
        "\\metrics",
        "/docs\\",
        "/docs?a=\\",
        "/\\docs"
      ]) {
        expect([target, yield* status(target)]).toEqual([target, 400])
      }
      expect(yield* status("/metrics")).toBe(404)
      for (const target of ["/docs", "/docs?a=%5C"])
        expect([target, yield* status(target)]).toEqual([target, 200])
    })
)
