/** The image of the Dockerfile, built by buildah on simulated base images, and started. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { field, text } from "../support/client.ts"
import { proxied } from "../support/database/tcp-proxy.ts"
import { freshDatabase } from "../support/database.ts"
import { builtImage, imageNeeds } from "../support/deploy/image.ts"
import { eventually } from "../support/eventually.ts"
import { upload } from "../support/kyc/files.ts"
import { companyOn } from "../support/kyc/partner.ts"
import { levels, seeded, specimen } from "../support/kyc/specimens.ts"
import { freePort } from "../support/machine/free-port.ts"
import { processesBelow } from "../support/program.ts"
import type { RunningServer } from "../support/server.ts"

/** In files that may lie beside the program, and must not get into the image. */
const secret = "a secret that must not be in the image"

const strays = [".env", ".data/secret-key", ".git/config", "test/stray.ts", "id_rsa", "dump.sql"]

/** What the service says of the zone in the photo of a specimen. */
const zoneOfSpecimen = (server: RunningServer) =>
  Effect.gen(function* () {
    const company = yield* companyOn(server)
    const session = yield* company.newSession()
    const { photo } = yield* Effect.promise(() => specimen(seeded(1), "TD3", levels.clean))
    const file = text((yield* upload(server, session, photo)).body, "file", "id")
    yield* company.progress(session, {
      progress: { s_document: { type: "passport", country: "UTO", files: [{ id: file, side: "front" }] } },
      status: "running"
    })
    yield* company.complete(session)
    const checks = yield* eventually(
      "the photo is looked at",
      Effect.map(company.asPartner(`/api/kyc/sessions/${session.id}`), ({ body }) =>
        [field(body, "session", "checks")].flat()
      ),
      ({ length }) => length > 0
    )
    return checks.find((check) => field(check, "kind") === "document.mrz")
  })

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
        // The image's user cannot enter the folder of a socket.
        const databaseUrl = (yield* proxied(yield* freshDatabase)).url
        const environment = { PORT: String(port) }
        const service = yield* image.start([...Entrypoint, ...Cmd], {
          ...environment,
          DATABASE_URL: Redacted.value(databaseUrl),
          SECRET_KEY: crypto.randomUUID(),
          SEED_DEMO: "false",
          SIGNUP: "open"
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
        expect(yield* zoneOfSpecimen({ url: `http://127.0.0.1:${port}`, databaseUrl })).toMatchObject({
          outcome: "agrees"
        })
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

  it.scopedLive("has no packages that look at photos if it is built without", () =>
    Effect.gen(function* () {
      const image = yield* builtImage({}, ["PHOTO_CHECKS=false"])
      const installed = readdirSync(join(image.root, "app/node_modules"))
      expect(installed).toContain("effect")
      expect(
        ["sharp", "@img", "onnxruntime-node", "zxing-wasm"].filter((name) => installed.includes(name))
      ).toEqual([])
    })
  )
})
