/**
 * Files that pages load: scripts, style sheets, icons. Each is read when it is first asked for and kept only compressed, so
 * that neither start-up nor an idle process pays for them, and is told apart from its other versions by its content.
 */
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"

const compress = promisify(gzip)

const yearInSeconds = 31_536_000
const minuteInSeconds = 60

/** One file as it is served. */
export interface Asset {
  /** The path of its route, such as `/docs/assets/docs.css`. */
  readonly path: `/${string}`
  /** Where the page finds this very content: `path` with a hash of the content in its query. */
  readonly address: Effect.Effect<string>
  /** Answers a GET of `path`. */
  readonly respond: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    never,
    HttpServerRequest.HttpServerRequest | HttpServerRequest.ParsedSearchParams
  >
}

/** Whether an `Accept-Encoding` takes gzip: named, and not with `q=0`. */
const acceptsGzip = (header: string | undefined): boolean =>
  header?.split(",").some((coding) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(coding)) ?? false

/** Whether an `If-None-Match` names the tag; compared weakly, as RFC 9110 section 13.1.2 has it. */
const namesTag = (header: string | undefined, tag: string): boolean =>
  header?.split(",").some((candidate) => {
    const given = candidate.trim().replace(/^W\//, "")
    return given === "*" || given === tag
  }) ?? false

/**
 * A file of the program at a path. That it cannot be read is a defect.
 *
 * @param read its bytes; called again for every client that does not take gzip, which hardly one is
 */
export const make = (path: Asset["path"], contentType: string, read: () => Promise<Uint8Array>): Asset => {
  const pack = async () => {
    const bytes = await read()
    return {
      hash: new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 16),
      // Asynchronous: the largest file would hold up other requests for as long as it takes to compress.
      gzipped: await compress(bytes, { level: 9 })
    }
  }
  // A plain promise, not an effect: a first client that goes away must not leave its interruption behind as the result.
  let packing: ReturnType<typeof pack> | undefined
  const packed = Effect.promise(() => {
    packing ??= pack()
    return packing
  })

  return {
    path,
    address: Effect.map(packed, ({ hash }) => `${path}?v=${hash}`),
    respond: Effect.gen(function* () {
      const { hash, gzipped } = yield* packed
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const { v } = yield* HttpServerRequest.ParsedSearchParams
      const gzips = acceptsGzip(headers["accept-encoding"])
      // A strong tag names bytes, and the two encodings of one file are not the same bytes.
      const etag = gzips ? `"${hash}-gzip"` : `"${hash}"`
      const caching = {
        etag,
        vary: "Accept-Encoding",
        // Only an address that names this content stays right for ever.
        "cache-control":
          v === hash ? `public, max-age=${yearInSeconds}, immutable` : `public, max-age=${minuteInSeconds}`
      }
      if (namesTag(headers["if-none-match"], etag)) {
        return HttpServerResponse.empty({ status: 304, headers: caching })
      }
      return HttpServerResponse.uint8Array(gzips ? gzipped : yield* Effect.promise(read), {
        contentType,
        headers: {
          ...caching,
          ...(gzips ? { "content-encoding": "gzip" } : undefined),
          "x-content-type-options": "nosniff"
        }
      })
    })
  }
}
