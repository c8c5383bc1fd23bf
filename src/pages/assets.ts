/**
 * Files that pages load: scripts, style sheets, icons. Each is read when it is first asked for and kept only compressed, so
 * that neither start-up nor an idle process pays for them, and is told apart from its other versions by its content.
 */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import { codingFor, codings, packForGood } from "../http/runtime/coding.ts"
import { namesTag } from "../http/runtime/document.ts"
import { once } from "./once.ts"

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

/**
 * A file of the program at a path. That it cannot be read is a defect.
 *
 * @param read its bytes; called again for every client that takes no packed file, which hardly one is
 * @param headers further ones of every answer; they win over the usual ones
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
      // A strong tag names bytes, and the encodings of one file are not the same bytes.
      const etag = coding === undefined ? `"${hash}"` : `"${hash}-${coding}"`
      const always = {
        etag,
        vary: "Accept-Encoding",
        // Only an address that names this content stays right for ever.
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

/** Where a page finds each of its files. */
export const addresses = <Key extends string>(assets: Readonly<Record<Key, Asset>>) =>
  Effect.all(
    Record.map(assets, ({ address }) => address),
    { concurrency: "unbounded" }
  )
