/** Scripts and style sheets of `src/web`, bundled on the first request. */
import { basename } from "node:path"
import * as HttpRouter from "@effect/platform/HttpRouter"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Record } from "effect"
import { type Asset, forEver, make, once, sources } from "./assets.ts"

interface BundleOptions {
  /** `iife` for a script that other sites load, so that it leaks no globals. */
  readonly format?: "esm" | "iife"
  /** Values of names that the sources only declare. */
  readonly constants?: Readonly<Record<string, unknown>> | (() => Promise<Readonly<Record<string, unknown>>>)
}

const optionsOf = async (
  entry: string,
  { constants = {}, format = "esm" }: BundleOptions
): Promise<Bun.BuildConfig> => ({
  entrypoints: [`${sources}/${entry}`],
  target: "browser",
  format,
  minify: true,
  // The fonts in style sheets are files that doorlock serves, not files to bundle.
  external: ["/assets/*"],
  define: {
    "process.env.NODE_ENV": '"production"',
    ...Record.map(typeof constants === "function" ? await constants() : constants, (value) =>
      JSON.stringify(value)
    )
  },
  // Repeated from tsconfig.json, which an installation does not include.
  jsx: { runtime: "automatic", importSource: "preact", development: false }
})

const bytesOf = async (output: Bun.BuildArtifact) => new Uint8Array(await output.arrayBuffer())

/** Bundles an entry of `src/web` on the first request. A build error is a defect. */
const minified = (entry: string, options: BundleOptions = {}) =>
  once(async () => {
    const { outputs } = await Bun.build(await optionsOf(entry, options))
    const [output] = outputs
    if (output === undefined) throw new Error(`${entry} was built to nothing`)
    return bytesOf(output)
  })

/** A script whose `import()`s are scripts of their own, which a browser loads when it needs them. */
interface ScriptInParts {
  readonly entry: Asset
  /** Addresses of the parts that the entry needs at once. */
  readonly neededAtOnce: Effect.Effect<ReadonlyArray<string>>
  readonly respondWithPart: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    never,
    HttpServerRequest.HttpServerRequest | HttpServerRequest.ParsedSearchParams | HttpRouter.RouteContext
  >
}

/**
 * Bundles an entry of `src/web` on the first request. The parts are served below `folder`. Their names have a hash of their content, so
 * a part of another version of doorlock is not found. A build error is a defect.
 */
export const scriptInParts = (
  folder: `/${string}`,
  name: string,
  entry: string,
  options: BundleOptions = {}
): ScriptInParts => {
  const built = once(async () => {
    const { metafile, outputs } = await Bun.build({
      ...(await optionsOf(entry, options)),
      splitting: true,
      metafile: true,
      naming: { chunk: "[name]-[hash].[ext]" }
    })
    const first = outputs.find(({ kind }) => kind === "entry-point")
    if (first === undefined) throw new Error(`${entry} was built to nothing`)
    const importedBy = (path: string): ReadonlyArray<string> =>
      (metafile?.outputs[path]?.imports ?? []).flatMap((one) =>
        one.kind === "import-statement" ? [one.path] : []
      )
    const atOnce = new Set<string>()
    const add = (path: string) => {
      for (const one of importedBy(path)) {
        if (atOnce.has(one)) continue
        atOnce.add(one)
        add(one)
      }
    }
    add(first.path)
    const parts = outputs.flatMap((output) => {
      if (output === first) return []
      const path = `${folder}/${basename(output.path)}` as const
      return [
        [
          basename(output.path),
          make(path, "text/javascript; charset=utf-8", () => bytesOf(output), { "cache-control": forEver })
        ] as const
      ]
    })
    return {
      bytes: await bytesOf(first),
      parts: new Map(parts),
      atOnce: [...atOnce].map((path) => `${folder}/${basename(path)}`)
    }
  })
  return {
    entry: make(`${folder}/${name}`, "text/javascript; charset=utf-8", async () => (await built()).bytes),
    neededAtOnce: Effect.map(Effect.promise(built), ({ atOnce }) => atOnce),
    respondWithPart: Effect.gen(function* () {
      const { part = "" } = yield* HttpRouter.params
      const { parts } = yield* Effect.promise(built)
      return yield* parts.get(part)?.respond ??
        HttpServerResponse.empty({ status: 404, headers: { "cache-control": "no-store" } })
    })
  }
}

export const script = (
  path: Asset["path"],
  entry: string,
  { headers, ...options }: BundleOptions & { readonly headers?: Readonly<Record<string, string>> } = {}
): Asset => make(path, "text/javascript; charset=utf-8", minified(entry, options), headers)

export const style = (path: Asset["path"], entry: string): Asset =>
  make(path, "text/css; charset=utf-8", minified(entry))
