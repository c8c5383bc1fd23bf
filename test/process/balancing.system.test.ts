/** The balancers of docs/operations.md#roles: each key stays on one gateway, also when there are fewer gateways. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/machine/free-port.ts"
import { temporaryFolder } from "../support/postgres.ts"

const page = readFileSync(join(import.meta.dirname, "../../docs/operations.md"), "utf8")

/** The page's configuration in this language. */
const written = (language: string): string =>
  new RegExp(`\n\`\`\`${language}\n([\\s\\S]*?)\n\`\`\``).exec(page)?.[1] ?? ""

/** A server that answers with its name. */
const named = (name: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(name) })),
      (server) => Effect.promise(() => server.stop(true))
    ),
    ({ port }) => [`${name}:3000`, `127.0.0.1:${port}`] as const
  )

interface Balancer {
  readonly language: string
  /** The whole file, around what the page has. */
  readonly file: (config: string, port: number, folder: string) => string
  readonly words: (file: string, folder: string) => ReadonlyArray<string>
}

const balancers: Readonly<Record<string, Balancer>> = {
  nginx: {
    language: "nginx",
    file: (config, port, folder) => {
      const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (of) => `${of}_temp_path ${join(folder, of)};`
      )
      return `pid ${join(folder, "pid")};
        error_log stderr;
        events { worker_connections 4096; }
        http {
          access_log off;
          ${places.join("\n")}
          ${config.replace("server {\n  location", `server {\n  listen 127.0.0.1:${port};\n  location`)}
        }`
    },
    words: (file, folder) => ["-p", folder, "-c", file, "-g", "daemon off;"]
  },
  haproxy: {
    language: "haproxy",
    file: (config, port) =>
      `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend all
  bind 127.0.0.1:${port}
  default_backend doorlock_gateway
${config}
`,
    words: (file) => ["-db", "-f", file]
  }
}

const keys = Array.from({ length: 300 }, (_, at) => `dk_live_${at}`)

for (const [program, { file, language, words }] of Object.entries(balancers)) {
  const path = Bun.which(program, { PATH: `${process.env.PATH}:/usr/sbin` })

  describe.skipIf(path === null)(`${program} (needs ${program})`, () => {
    it.scopedLive("sends each key to one gateway, and moves only the keys of a gateway that is gone", () =>
      Effect.gen(function* () {
        const servers = yield* Effect.forEach(
          ["gateway-1", "gateway-2", "gateway-3", "api-1", "api-2"],
          named
        )
        const config = servers.reduce(
          (text, [name, address]) => {
            expect(text).toContain(name)
            return text.replaceAll(name, address)
          },
          `${written(language)}${language === "haproxy" ? "\n# api-1:3000 api-2:3000" : ""}`
        )

        /** The gateway that each key's calls went to. */
        const gatewaysOf = (text: string) =>
          Effect.scoped(
            Effect.gen(function* () {
              const folder = yield* temporaryFolder
              const port = yield* freePort
              const config = join(folder, "config")
              mkdirSync(join(folder, "logs"))
              writeFileSync(config, file(text, port, folder))
              yield* Effect.acquireRelease(
                Effect.sync(() =>
                  Bun.spawn([path ?? "", ...words(config, folder)], { stdout: "ignore", stderr: "inherit" })
                ),
                (running) =>
                  Effect.promise(() => {
                    running.kill()
                    return running.exited
                  })
              )
              const call = async (key: string) => {
                const answer = await fetch(`http://127.0.0.1:${port}/gateway/a/b/v/1/c`, {
                  headers: { "x-api-key": key }
                })
                return answer.ok ? await answer.text() : undefined
              }
              yield* eventually(
                `${program} answers`,
                Effect.promise(() =>
                  call("any").then(
                    (name) => name !== undefined,
                    () => false
                  )
                )
              )
              return yield* Effect.promise(async () => {
                const found = new Map<string, Set<string | undefined>>()
                for (const _ of [1, 2, 3]) {
                  const names = await Promise.all(keys.map(call))
                  for (const [at, key] of keys.entries()) {
                    found.set(key, (found.get(key) ?? new Set()).add(names[at]))
                  }
                }
                return new Map([...found].map(([key, names]) => [key, [...names]]))
              })
            })
          )

        const three = yield* gatewaysOf(config)
        expect(new Set([...three.values()].map(({ length }) => length))).toEqual(new Set([1]))
        expect(new Set([...three.values()].flat())).toEqual(new Set(["gateway-1", "gateway-2", "gateway-3"]))

        const lines = config.split("\n")
        const third = servers[2]?.[1] ?? ""
        const two = yield* gatewaysOf(lines.filter((line) => !line.includes(third)).join("\n"))
        const moved = keys.filter((key) => two.get(key)?.[0] !== three.get(key)?.[0])
        expect(moved).toEqual(keys.filter((key) => three.get(key)?.[0] === "gateway-3"))
      })
    )
  })
}
