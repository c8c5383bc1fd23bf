/** docs/deploy/systemd: systemd accepts the unit, and the service bears what the unit takes away. */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { freshDatabase } from "../support/database.ts"
import { samples, upload } from "../support/kyc/files.ts"
import { companyOn } from "../support/kyc/partner.ts"
import { temporaryFolder } from "../support/postgres.ts"
import { runUntilReady } from "../support/program.ts"

const file = "docs/deploy/systemd/doorlock.service"
const unit = readFileSync(file, "utf8")

/** All values of a directive, in their order. */
const values = (name: string) =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value)

const analyze = (...words: ReadonlyArray<string>) =>
  spawnSync("systemd-analyze", words, { encoding: "utf8", env: { ...process.env, LC_ALL: "C" } })

/** 250 is the first that judges a file. */
const canAnalyze = Number(/^systemd (\d+)/.exec(analyze("--version").stdout ?? "")?.[1]) >= 250

/** Debian's, for which its package is. */
const python = "/usr/bin/python3"
const canFilter = canAnalyze && spawnSync(python, ["-c", "import seccomp"]).status === 0

/** The system calls of a group, of the groups within it, and so on. */
const callsOf = (group: string): ReadonlyArray<string> =>
  analyze("syscall-filter", group)
    .stdout.split("\n")
    .slice(1)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .flatMap((line) => (line.startsWith("@") ? callsOf(line) : [line]))

/** Calls that a kernel of this machine does not have cannot be in a filter. */
const filtering = `
import errno, os, seccomp, sys
calls = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
for name in open(sys.argv[1]).read().split():
    try:
        calls.add_rule(seccomp.ALLOW, name)
    except RuntimeError:
        pass
calls.load()
os.execv(sys.argv[2], sys.argv[2:])
`

describe("doorlock.service", () => {
  it("has the figures that docs/operations.md and docker-compose.yml have", () => {
    expect(values("TimeoutStopSec")).toEqual(["45"])
    expect(readFileSync("docs/operations.md", "utf8")).toContain("Allow 45 s before SIGKILL.")
    expect(values("MemoryMax")).toEqual(["3G"])
    expect(values("TasksMax")).toEqual(["512"])
    const compose: unknown = Bun.YAML.parse(readFileSync("docker-compose.yml", "utf8"))
    expect(compose).toMatchObject({
      services: { doorlock: { mem_limit: "3g", pids_limit: 512, stop_grace_period: "45s" } }
    })
  })

  it("runs the program that the image runs, and has no secret", () => {
    const dockerfile = readFileSync("Dockerfile", "utf8")
    expect(dockerfile).toContain('ENTRYPOINT ["bun"]\nCMD ["src/main.ts"]')
    expect(values("ExecStart")).toEqual(["/usr/local/bin/bun src/main.ts"])
    expect(values("Environment")).toEqual(["NODE_ENV=production", "DATA_DIR=/var/lib/doorlock"])
    expect(values("StateDirectory")).toEqual(["doorlock"])
  })

  it.scoped.skipIf(!canAnalyze)(
    "is accepted by systemd, and exposes little, as its page says (needs systemd-analyze 250)",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const here = join(folder, "doorlock.service")
        writeFileSync(here, unit.replace("/usr/local/bin/bun", process.execPath))
        const verified = analyze("verify", "--man=no", here)
        expect([verified.status, verified.stderr]).toEqual([0, ""])
        const judged = analyze("security", "--offline=true", "--threshold=20", here)
        expect(judged.status, judged.stdout).toBe(0)
      })
  )

  it.scopedLive.skipIf(!canFilter)(
    "the system calls that it permits are enough to start, to examine an upload and to stop (needs systemd-analyze and Debian's python3-seccomp)",
    () =>
      Effect.gen(function* () {
        expect(values("SystemCallFilter")).toEqual(["@system-service", "~@privileged"])
        const refused = new Set(callsOf("@privileged"))
        const permitted = callsOf("@system-service").filter((name) => !refused.has(name))
        expect(permitted.length).toBeGreaterThan(100)
        const folder = yield* temporaryFolder
        const [calls, runtime] = [join(folder, "calls"), join(folder, "bun")]
        writeFileSync(calls, permitted.join("\n"))
        writeFileSync(join(folder, "filter.py"), filtering)
        writeFileSync(
          runtime,
          `#!/bin/sh\nexec ${python} ${folder}/filter.py ${calls} ${process.execPath} "$@"\n`,
          { mode: 0o755 }
        )
        const databaseUrl = yield* freshDatabase
        const environment = {
          DATABASE_URL: Redacted.value(databaseUrl),
          SECRET_KEY: "a secret key for tests, 32 bytes at least",
          SIGNUP: "open",
          SEED_DEMO: "false",
          LOG_LEVEL: "warning",
          DATA_DIR: folder
        }
        const program = yield* runUntilReady(environment, undefined, runtime)
        expect(readFileSync(`/proc/${program.pid}/status`, "utf8")).toMatch(/^Seccomp:\s+2$/m)
        const company = yield* companyOn({ ...program, databaseUrl })
        const session = yield* company.newSession()
        expect((yield* upload(program, session, samples.jpeg)).status).toBe(201)
        program.signal("SIGTERM")
        expect([yield* program.exited, program.stderr()]).toEqual([0, ""])
      })
  )
})
