/** Files of pages, read on the first request and stored only compressed; a hash tells their version. */
import { basename } from "node:path"
import type * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect, Record } from "effect"
import { codingFor, codings, packForGood } from "../http/runtime/coding.ts"
import { namesTag } from "../http/runtime/document.ts"

const yearInSeconds = 31_536_000
const minuteInSeconds = 60

const sources = `${import.meta.dirname}/../web`

export const web = (file: string) => Bun.file(`${sources}/${file}`)

/**
 * Creates a promise on the first call, shared with all callers; after a failure, the next call tries again.
 * Not an effect: if the first client disconnects, its interruption must not become the shared result.
 */
export const once = <A>(make: () => Promise<A>): (() => Promise<A>) => {
  let made: Promise<A> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

export interface Asset {
  /** Such as `/docs/assets/docs.css`. */
  readonly path: `/${string}`
  /** `path` with a hash of the content in its query. */
  readonly address: Effect.Effect<string>
  readonly respond: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    never,
    HttpServerRequest.HttpServerRequest | HttpServerRequest.ParsedSearchParams
  >
}

const forEver = `public, max-age=${yearInSeconds}, immutable`

/**
 * A file served at a path. An unreadable file is a defect.
 * @param read called again for each of the few clients that accept no compression
 * @param headers additional response headers, which override the defaults
 */
export const make = (
  path: Asset["path"],
  contentType: string,
  read: () => Promise<Uint8Array>,
  headers: Readonly<Record<string, string>> = {}
): Asset => {
  const hashed = once(async () =>
    new Bun.CryptoHasher("sha256")
      .update(await read())
      .digest("hex")
      .slice(0, 16)
  )
  // A second time would gain nothing, and installers of packages need not expect it.
  const isCompressed = contentType === "application/gzip"
  const packed = Record.map(packForGood, (pack) => once(async () => pack(await read())))

  return {
    path,
    address: Effect.map(Effect.promise(hashed), (hash) => `${path}?v=${hash}`),
    respond: Effect.gen(function* () {
      const hash = yield* Effect.promise(hashed)
      const request = yield* HttpServerRequest.HttpServerRequest
      const { v } = yield* HttpServerRequest.ParsedSearchParams
      const coding = isCompressed ? undefined : codingFor(request.headers["accept-encoding"], codings)
      // A strong ETag identifies bytes, so each encoding has its own.
      const etag = coding === undefined ? `"${hash}"` : `"${hash}-${coding}"`
      const always = {
        etag,
        vary: "Accept-Encoding",
        // Only an address that names this content may be cached for ever.
        "cache-control": v === hash ? forEver : `public, max-age=${minuteInSeconds}`,
        ...headers
      }
      if (namesTag(request.headers["if-none-match"], etag)) {
        return HttpServerResponse.empty({ status: 304, headers: always })
      }
      return HttpServerResponse.uint8Array(
        yield* Effect.promise(coding === undefined ? read : packed[coding]),
        {
          contentType,
          headers: {
            ...always,
            ...(coding === undefined ? undefined : { "content-encoding": coding }),
            "x-content-type-options": "nosniff"
          }
        }
      )
    })
  }
}

/** The path of a file of a package; undefined unless that package, and the others, are installed. */
export const packageFile = (file: string, ...others: ReadonlyArray<string>): string | undefined => {
  try {
    const [path] = [file, ...others].map((name) => Bun.resolveSync(name, import.meta.dirname))
    return path
  } catch {
    return undefined
  }
}

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

export const icon = (path: Asset["path"]): Asset =>
  make(path, "image/svg+xml", () => web("ui/icon.svg").bytes())

/** One route per file: no request ever becomes a file path. */
export const addRoutes = (router: HttpApiBuilder.Router["Type"], assets: Iterable<Asset>) =>
  Effect.forEach(assets, ({ path, respond }) => router.get(path, respond), { discard: true })

export const addresses = <Key extends string>(assets: Readonly<Record<Key, Asset>>) =>
  Effect.all(
    Record.map(assets, ({ address }) => address),
    { concurrency: "unbounded" }
  )
