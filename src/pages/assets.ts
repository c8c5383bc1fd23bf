/** Files of pages, read on the first request and stored only compressed; a hash tells their version. */
import type * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
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
const once = <A>(make: () => Promise<A>): (() => Promise<A>) => {
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
  const packed = Record.map(packForGood, (pack) => once(async () => pack(await read())))

  return {
    path,
    address: Effect.map(Effect.promise(hashed), (hash) => `${path}?v=${hash}`),
    respond: Effect.gen(function* () {
      const hash = yield* Effect.promise(hashed)
      const request = yield* HttpServerRequest.HttpServerRequest
      const { v } = yield* HttpServerRequest.ParsedSearchParams
      const coding = codingFor(request.headers["accept-encoding"], codings)
      // A strong ETag identifies bytes, so each encoding has its own.
      const etag = coding === undefined ? `"${hash}"` : `"${hash}-${coding}"`
      const always = {
        etag,
        vary: "Accept-Encoding",
        // Only an address that names this content may be cached for ever.
        "cache-control":
          v === hash ? `public, max-age=${yearInSeconds}, immutable` : `public, max-age=${minuteInSeconds}`,
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

interface BundleOptions {
  /** `iife` for a script that other sites load, so that it leaks no globals. */
  readonly format?: "esm" | "iife"
  /** Values of names that the sources only declare. */
  readonly constants?: Readonly<Record<string, unknown>>
}

/** Bundles an entry of `src/web` on the first request. A build error is a defect. */
const minified = (entry: string, { constants = {}, format = "esm" }: BundleOptions = {}) =>
  once(async () => {
    const { outputs } = await Bun.build({
      entrypoints: [`${sources}/${entry}`],
      target: "browser",
      format,
      minify: true,
      define: {
        "process.env.NODE_ENV": '"production"',
        ...Record.map(constants, (value) => JSON.stringify(value))
      },
      // Repeated from tsconfig.json, which an installation does not include.
      jsx: { runtime: "automatic", importSource: "preact", development: false }
    })
    const [output] = outputs
    if (output === undefined) throw new Error(`${entry} was built to nothing`)
    return new Uint8Array(await output.arrayBuffer())
  })

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
