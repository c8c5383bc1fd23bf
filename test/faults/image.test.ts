/** The image of the Dockerfile, built by buildah on simulated base images, and started. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { proxied } from "../support/database/tcp-proxy.ts"
import { freshDatabase } from "../support/database.ts"
import { builtImage, imageNeeds } from "../support/deploy/image.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/machine/free-port.ts"
import { processesBelow } from "../support/program.ts"

/** In files that may lie beside the program, and must not get into the image. */
const secret = "a secret that must not be in the image"

const strays = [".env", ".data/secret-key", ".git/config", "test/stray.ts", "id_rsa", "dump.sql"]

describe.skipIf(imageNeeds !== undefined)(`the image (needs ${imageNeeds ?? "buildah, as root"})`, () => {
  it.scopedLive(
    "is built, has only the program, serves as a user that cannot change it, and ends at SIGTERM",
    () =>
      Effect.gen(function* () {
        const image = yield* builtImage(Object.fromEntries(strays.map((path) => [path, secret])))
        const { Cmd, Entrypoint, Healthcheck, User } = image.config

        expect(readdirSync(join(image.root, "app")).sort()).toEqual([
          "LICENSE",
          "docs",
          "migrations",
          "node_modules",
          "package.json",
          "src"
        ])
        const found = Bun.spawnSync([
          "grep",
          "--recursive",
          "--files-with-matches",
          "--fixed-strings",
          secret,
          image.root
        ])
        expect(found.stdout.toString()).toBe("")
        expect(existsSync(join(image.root, "root/.npmrc"))).toBe(false)

        expect(User).toBe("bun")
        const port = yield* freePort
        const environment = { PORT: String(port) }
        const service = yield* image.start([...Entrypoint, ...Cmd], {
          ...environment,
          // Its user cannot enter the folder of a socket.
          DATABASE_URL: Redacted.value((yield* proxied(yield* freshDatabase)).url),
          SECRET_KEY: crypto.randomUUID(),
          SEED_DEMO: "false"
        })
        yield* eventually(
          "the service is ready",
          Effect.promise(() =>
            fetch(`http://127.0.0.1:${port}/readyz`).then(
              ({ ok }) => ok,
              () => false
            )
          )
        )
        const [kind, ...check] = Healthcheck.Test
        expect(kind).toBe("CMD")
        expect(yield* image.run(check, environment)).toMatchObject({ exitCode: 0 })

        const program = processesBelow(service.pid)
          .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("src/main.ts"))
          .at(-1)
        const status = readFileSync(`/proc/${program}/status`, "utf8")
        expect(/^Uid:\s+(\d+)\s+(\d+)/m.exec(status)?.slice(1)).toEqual(["1000", "1000"])
        for (const [place, writable] of [
          ["/app/src/main.ts", false],
          ["/app/new", false],
          ["/data/new", true]
        ] as const) {
          const { exitCode } = yield* image.run(["sh", "-c", `echo >>${place}`])
          expect(exitCode === 0, place).toBe(writable)
        }

        process.kill(program ?? 0, "SIGTERM")
        expect(yield* service.ended).toMatchObject({ exitCode: 0 })
      })
  )
})
