/** Renders the Helm chart of docs/deploy: with helm, or else with `helm.go` beside this file, which does the same. */
import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Context, Data, Effect, Layer } from "effect"
import { temporaryFolder } from "../postgres.ts"

export const chartFolder = join(import.meta.dirname, "../../../docs/deploy/helm/doorlock")

/** Where Debian installs Go packages. */
const goPath = "/usr/share/gocode"
const helm = Bun.which("helm")
const go = Bun.which("go")
const hasLibraries = ["github.com/Masterminds/sprig", "sigs.k8s.io/yaml"].every((library) =>
  existsSync(join(goPath, "src", library))
)

/** Why charts cannot be rendered here; undefined if they can. */
export const chartNeeds =
  helm !== null || (go !== null && hasLibraries)
    ? undefined
    : "helm, or go with Debian's golang-github-masterminds-sprig-dev and golang-k8s-sigs-yaml-dev"

/** `message` is what helm says. */
export class RenderFailed extends Data.TaggedError("RenderFailed")<{ readonly message: string }> {}

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly labels: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly [field: string]: unknown
}

const run = (command: ReadonlyArray<string>, stdin = "", env: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(
    Effect.promise(async () => {
      const child = Bun.spawn([...command], {
        stdin: Buffer.from(stdin),
        stdout: "pipe",
        stderr: "pipe",
        env: { ...process.env, ...env }
      })
      const [stdout, stderr] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text()
      ])
      return { stdout, stderr, exitCode: await child.exited }
    }),
    ({ exitCode, stderr, stdout }) =>
      exitCode === 0 ? Effect.succeed(stdout) : Effect.fail(new RenderFailed({ message: stderr }))
  )

const isManifest = (document: unknown): document is Manifest => document !== null && document !== undefined

const manifestsIn = (text: string): ReadonlyArray<Manifest> =>
  text.trim() === "" ? [] : [Bun.YAML.parse(text)].flat().filter(isManifest)

const release = { name: "release", namespace: "example" }

/** The chart as release `release` in the namespace `example`. */
export class Chart extends Context.Tag("Chart")<
  Chart,
  { readonly render: (values: unknown) => Effect.Effect<ReadonlyArray<Manifest>, RenderFailed> }
>() {
  static readonly layer = Layer.scoped(
    Chart,
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      if (helm !== null) {
        const file = join(folder, "values.json")
        const { name, namespace } = release
        const command = [helm, "template", name, chartFolder, "--namespace", namespace, "--values", file]
        return {
          render: (values) =>
            Effect.promise(() => writeFile(file, JSON.stringify(values))).pipe(
              Effect.zipRight(run([...command, "--kube-version", "1.30.0"])),
              Effect.map(manifestsIn)
            )
        }
      }
      const program = join(folder, "helm")
      yield* run([go ?? "go", "build", "-o", program, join(import.meta.dirname, "helm.go")], "", {
        GO111MODULE: "off",
        GOPATH: goPath
      })
      return {
        render: (values) =>
          Effect.map(
            run(
              [program],
              JSON.stringify({ ...release, chart: chartFolder, values: [JSON.stringify(values)] })
            ),
            (text) =>
              Object.entries<string>(JSON.parse(text))
                .filter(([name]) => name.endsWith(".yaml"))
                .flatMap(([, rendered]) => manifestsIn(rendered))
          )
      }
    })
  )
}
