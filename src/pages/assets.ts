/** Files of pages, read on the first request and stored only compressed; a hash tells their version. */
import type * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import figtree from "@fontsource-variable/figtree/package.json"
import { Effect, Record } from "effect"
import { codingFor, codings, packForGood } from "../http/runtime/coding.ts"
import { namesTag } from "../http/runtime/document.ts"
import { markFile } from "../web/brand/mark.ts"

const yearInSeconds = 31_536_000
const minuteInSeconds = 60

export const sources = `${import.meta.dirname}/../web`

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

export const forEver = `public, max-age=${yearInSeconds}, immutable`

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

export const icon = (path: Asset["path"]): Asset =>
  make(path, "image/svg+xml", async () => new TextEncoder().encode(markFile))

/** A file of Figtree, at an address of its version, which `web/brand/typeface.css` names too. */
const font = (name: string, file: string): Asset =>
  make(
    `/assets/${name}-${figtree.version}.woff2`,
    "font/woff2",
    () =>
      Bun.file(Bun.resolveSync(`@fontsource-variable/figtree/files/${file}`, import.meta.dirname)).bytes(),
    { "cache-control": forEver }
  )

/** The typeface of all pages but the hosted one, which uses that of the device. */
export const typeface = {
  latin: font("figtree", "figtree-latin-wght-normal.woff2"),
  latinExtended: font("figtree-ext", "figtree-latin-ext-wght-normal.woff2")
}

/** One route per file: no request ever becomes a file path. */
export const addRoutes = (router: HttpApiBuilder.Router["Type"], assets: Iterable<Asset>) =>
  Effect.forEach(assets, ({ path, respond }) => router.get(path, respond), { discard: true })

export const addresses = <Key extends string>(assets: Readonly<Record<Key, Asset>>) =>
  Effect.all(
    Record.map(assets, ({ address }) => address),
    { concurrency: "unbounded" }
  )
