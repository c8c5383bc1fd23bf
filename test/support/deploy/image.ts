/** Builds the image of the Dockerfile with Debian's buildah, and runs programs in it. */
import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { Effect, type Scope } from "effect"
import { temporaryFolder } from "../postgres.ts"

const project = join(import.meta.dirname, "../../..")
const buildah = Bun.which("buildah")

/** Why the image cannot be built here; undefined if it can. */
export const imageNeeds = buildah !== null && process.getuid?.() === 0 ? undefined : "buildah, as root"

interface Ended {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

interface Running {
  /** buildah, whose child is the program. */
  readonly pid: number
  readonly ended: Effect.Effect<Ended>
}

export interface Image {
  /** Where all its files are. */
  readonly root: string
  /** What it says of itself: user, command, health check. */
  readonly config: {
    readonly User: string
    readonly Entrypoint: ReadonlyArray<string>
    readonly Cmd: ReadonlyArray<string>
    readonly Healthcheck: { readonly Test: ReadonlyArray<string> }
  }
  /** Starts a program as the image's user; kills it with the scope. */
  readonly start: (
    command: ReadonlyArray<string>,
    environment?: Readonly<Record<string, string>>
  ) => Effect.Effect<Running, never, Scope.Scope>
  /** Runs a program to its end. */
  readonly run: (
    command: ReadonlyArray<string>,
    environment?: Readonly<Record<string, string>>
  ) => Effect.Effect<Ended>
}

const must = ({ exitCode, stderr, stdout }: Ended): Effect.Effect<string> =>
  exitCode === 0 ? Effect.succeed(stdout.trim()) : Effect.die(new Error(`${stdout}\n${stderr}`))

/**
 * What the Dockerfile's base has, as far as the build and the service need it: Bun, a shell, `install` and `rm`, with their libraries, and the
 * libraries of the binaries that look at photos, which all systems of Debian have (C and C++).
 */
const simulateBase = (folder: string): void => {
  const programs = {
    "usr/local/bin/bun": process.execPath,
    "bin/sh": "/usr/bin/dash",
    "bin/rm": "/usr/bin/rm",
    "usr/bin/install": "/usr/bin/install"
  }
  for (const [place, from] of Object.entries(programs)) {
    mkdirSync(dirname(join(folder, place)), { recursive: true })
    cpSync(from, join(folder, place), { dereference: true })
    const { stdout } = Bun.spawnSync(["ldd", from])
    for (const [library] of stdout.toString().matchAll(/\/\S+(?= \(0x)/g)) {
      mkdirSync(dirname(join(folder, library)), { recursive: true })
      cpSync(library, join(folder, library), { dereference: true })
    }
  }
  const { stdout } = Bun.spawnSync(["ldconfig", "-p"])
  for (const library of ["libstdc++.so.6", "libgcc_s.so.1", "libm.so.6", "libresolv.so.2", "librt.so.1"]) {
    const [, path = ""] =
      new RegExp(`^\\s*${RegExp.escape(library)} \\(libc6,.*=> (.*)$`, "m").exec(stdout.toString()) ?? []
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(path, join(folder, path), { dereference: true })
  }
  for (const place of ["etc", "root", "home/bun", "tmp"]) mkdirSync(join(folder, place), { recursive: true })
  chmodSync(join(folder, "tmp"), 0o1777)
  writeFileSync(join(folder, "etc/passwd"), "root:x:0:0::/root:/bin/sh\nbun:x:1000:1000::/home/bun:/bin/sh\n")
  writeFileSync(join(folder, "etc/group"), "root:x:0:\nbun:x:1000:\n")
}

/**
 * The image of the Dockerfile, built with arguments from a copy of what git tracks and from these other files, by their paths. The base images are
 * simulated, because they cannot be pulled everywhere: what they have is this machine's. Everything goes with the scope.
 */
export const builtImage = (
  others: Readonly<Record<string, string>> = {},
  args: ReadonlyArray<string> = []
): Effect.Effect<Image, never, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const store = [
      "--root",
      join(folder, "store"),
      "--runroot",
      join(folder, "run"),
      "--storage-driver",
      "vfs"
    ]
    const isolated = ["--isolation", "chroot"]
    const spawned = (words: ReadonlyArray<string>) =>
      Bun.spawn([buildah ?? "buildah", ...store, ...words], {
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe"
      })
    const endOf = (child: ReturnType<typeof spawned>): Effect.Effect<Ended> =>
      Effect.promise(async () => {
        const [stdout, stderr] = await Promise.all([
          new Response(child.stdout).text(),
          new Response(child.stderr).text()
        ])
        return { exitCode: await child.exited, stdout, stderr }
      })
    const say = (...words: ReadonlyArray<string>) =>
      Effect.flatMap(
        Effect.suspend(() => endOf(spawned(words))),
        must
      )

    const base = join(folder, "base")
    simulateBase(base)
    const file = join(folder, "Dockerfile")
    writeFileSync(file, "FROM scratch\nCOPY . /\n")
    const { packageManager = "" }: { readonly packageManager?: string } = yield* Effect.promise(() =>
      Bun.file(join(project, "package.json")).json()
    )
    const name = `docker.io/oven/${packageManager.replace("@", ":")}`
    yield* say("build", ...isolated, "--file", file, "--tag", `${name}-slim`, base)
    // Packages are installed from this machine's registry. The other base, of the image itself, knows nothing of it.
    const settings = join(homedir(), ".npmrc")
    if (existsSync(settings)) cpSync(settings, join(base, "root/.npmrc"))
    yield* say("build", ...isolated, "--file", file, "--tag", name, base)

    const context = join(folder, "context")
    const tracked = Bun.spawnSync(["git", "ls-files", "-z"], { cwd: project }).stdout.toString().split("\0")
    for (const path of tracked.filter((name) => name !== "" && existsSync(join(project, name))))
      cpSync(join(project, path), join(context, path))
    for (const [path, content] of Object.entries(others)) {
      mkdirSync(dirname(join(context, path)), { recursive: true })
      writeFileSync(join(context, path), content)
    }
    // What this machine has downloaded is not downloaded again.
    const cache = join(homedir(), ".bun/install/cache")
    const volumes = existsSync(cache) ? ["--volume", `${cache}:/root/.bun/install/cache`] : []
    // The other format has no health checks.
    const format = ["--format", "docker"]
    const given = args.flatMap((arg) => ["--build-arg", arg])
    yield* say(
      "build",
      ...[...isolated, ...format, ...volumes, ...given],
      "--pull-never",
      "--tag",
      "doorlock",
      context
    )

    const container = yield* say("from", "--pull-never", "doorlock")
    const root = yield* say("mount", container)
    const described: { readonly Docker: { readonly config: Image["config"] } } = JSON.parse(
      yield* say("inspect", container)
    )
    const inside = (command: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) =>
      spawned([
        "run",
        ...isolated,
        ...Object.entries(environment).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
        container,
        "--",
        ...command
      ])
    return {
      root,
      config: described.Docker.config,
      start: (command, environment = {}) =>
        Effect.map(
          Effect.acquireRelease(
            Effect.sync(() => {
              const child = inside(command, environment)
              return { child, ended: Effect.runPromise(endOf(child)) }
            }),
            ({ child, ended }) =>
              Effect.promise(async () => {
                child.kill("SIGTERM")
                await ended
              })
          ),
          ({ child, ended }) => ({ pid: child.pid, ended: Effect.promise(() => ended) })
        ),
      run: (command, environment = {}) => Effect.suspend(() => endOf(inside(command, environment)))
    }
  })
