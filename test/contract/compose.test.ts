/** What docker-compose.yml and the Dockerfile promise: nothing runs with more rights than it needs. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { migrate } from "../../src/db/migrations.ts"
import { field, signUp } from "../support/client.ts"
import { databaseUrl, execute } from "../support/postgres.ts"
import { startServerOn } from "../support/server.ts"
import { settings } from "../support/settings.ts"

const read = (name: string) => readFileSync(join(import.meta.dirname, "../..", name), "utf8")

const compose: unknown = Bun.YAML.parse(read("docker-compose.yml"))
const services = Object.entries(Object(field(compose, "services")))
const dockerfile = read("Dockerfile")

describe("docker-compose.yml", () => {
  it("has exactly the services that these tests check", () => {
    expect(services.map(([name]) => name)).toEqual(["database", "redis", "doorlock", "proxy"])
  })

  it.effect("lets every setting be set", () =>
    Effect.map(settings, (names) => {
      // The image sets these three.
      const ofImage = ["DATA_DIR", "HOST", "PORT"]
      const set = Object.keys(Object(field(compose, "services", "doorlock", "environment")))
      expect([...set, ...ofImage].sort()).toEqual(names)
    })
  )

  for (const [name, service] of services) {
    it(`${name} says whether it is healthy, has time to stop, and does not fill the disk with its log`, () => {
      expect(service).toMatchObject({ logging: { options: { "max-size": "10m", "max-file": "5" } } })
      if (name === "doorlock") expect(dockerfile).toMatch(/^HEALTHCHECK /m)
      else expect(service).toHaveProperty("healthcheck.test.0", "CMD")
      // Redis keeps nothing, so it may be killed after Docker's ten seconds.
      const grace = { database: "60s", doorlock: "45s", proxy: "45s", redis: undefined }[name]
      expect([name, Object(service).stop_grace_period]).toEqual([name, grace])
    })

    it(`${name} cannot gain privileges, write outside its mounts, or use up memory and processes`, () => {
      expect(service).toMatchObject({
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        read_only: true,
        mem_limit: expect.stringMatching(/^\d+[mg]$/),
        pids_limit: expect.any(Number)
      })
      expect(Object.keys(Object(service))).not.toContain("cap_add")
      expect(Object.keys(Object(service))).not.toContain("privileged")
    })

    it(`${name} does not run as root, and its image name is complete`, () => {
      if (name === "doorlock") {
        expect(service).toMatchObject({ build: "." })
        expect(dockerfile).toMatch(/^USER bun$/m)
      } else {
        expect(service).toMatchObject({
          user: expect.stringMatching(/^(?:postgres|redis|nginx)$/),
          image: expect.stringMatching(/^docker\.io\/library\/[a-z]+:[\d.]+$/)
        })
      }
    })
  }
})

describe("the role that docker-compose.yml creates", () => {
  it.scopedLive("is not a superuser, and suffices for everything that doorlock does", () =>
    Effect.gen(function* () {
      const admin = Redacted.make(inject("postgres").adminUrl)
      const name = `${inject("postgres").prefix}_${crypto.randomUUID().slice(0, 8)}`.replaceAll("-", "_")
      const script = read("docs/postgres-role.sh")
      const statements = script
        .slice(script.indexOf("'SQL'\n") + 6, script.lastIndexOf("SQL"))
        .split(";\n")
        .filter((statement) => statement !== "")
      expect(statements.at(-1)).toBe("alter role postgres password null")
      yield* Effect.addFinalizer(() =>
        Effect.orDie(
          Effect.zipRight(
            execute(admin, `drop database if exists ${name} with (force)`),
            execute(admin, `drop role if exists ${name}`)
          )
        )
      )
      // Names of its own, and the server's own superuser stays as it is.
      for (const statement of statements.slice(0, -1)) {
        yield* execute(admin, statement.replaceAll("doorlock", name).replace(":'password'", "'secret'"))
      }
      const url = new URL(Redacted.value(databaseUrl(admin, name)))
      url.username = name
      url.password = "secret"
      const own = Redacted.make(url.href)
      expect((yield* migrate({ url: own })).length).toBeGreaterThan(0)
      const rights =
        "select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls from pg_roles where rolname = $1"
      expect(yield* execute(own, rights, [name])).toEqual([
        { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolbypassrls: false }
      ])
      yield* signUp(yield* startServerOn(own))
    })
  )
})
