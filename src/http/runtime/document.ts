import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import {
  type Coding,
  codingFor,
  codings,
  leastBytes,
  packDocument,
  packForGood,
  refusesIdentity
} from "./coding.ts"
import { header } from "./source.ts"

/** Weak comparison (RFC 9110, section 13.1.2). */
export const namesTag = (header: string | undefined, tag: string): boolean =>
  header?.split(",").some((candidate) => {
    const given = candidate.trim().replace(/^W\//, "")
    return given === "*" || given === tag
  }) ?? false

/** A JSON document with its strong entity tag. */
export interface Document {
  readonly bytes: Uint8Array
  readonly etag: string
}

const utf8 = new TextEncoder()

/** JSON, indented for people. */
export const documentText = (document: object): string => JSON.stringify(document, null, 2)

export const documentOf = (text: string | Uint8Array): Document => {
  const bytes = typeof text === "string" ? utf8.encode(text) : text
  return { bytes, etag: `"${Bun.hash(bytes).toString(36)}"` }
}

type Packed = Map<Coding, Promise<Uint8Array>>

/** Each document is compressed once per coding, and cached for as long as it lives. */
const packed = new WeakMap<Document, Packed>()

type PackBytes = (bytes: Uint8Array, coding: Coding) => Effect.Effect<Uint8Array>

/** A failure is not cached, so the next request tries again. */
const packedAs = (document: Document, coding: Coding, pack: PackBytes): Promise<Uint8Array> => {
  const known: Packed = packed.get(document) ?? new Map()
  packed.set(document, known)
  const found = known.get(coding)
  if (found !== undefined) return found
  // In its own fiber: a client that disconnects must not leave an interruption in the cache.
  const packing = Effect.runPromise(pack(document.bytes, coding)).catch((error: unknown) => {
    known.delete(coding)
    throw error
  })
  known.set(coding, packing)
  return packing
}

const json = { contentType: "application/json" }

const answerIn = (
  document: Document,
  coding: Coding | undefined,
  headers: Readonly<Record<string, string>>,
  pack: PackBytes
) =>
  coding === undefined
    ? Effect.succeed(HttpServerResponse.uint8Array(document.bytes, { ...json, headers }))
    : Effect.map(
        Effect.promise(() => packedAs(document, coding, pack)),
        (body) =>
          HttpServerResponse.uint8Array(body, {
            ...json,
            headers: { ...headers, "content-encoding": coding }
          })
      )

const answerWith = (document: Document, pack: PackBytes) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const { bytes, etag } = document
    const coding =
      bytes.length < leastBytes ? undefined : codingFor(header(request, "accept-encoding"), codings)
    // A strong tag identifies exact bytes, which differ by coding.
    const tag = coding === undefined ? etag : `${etag.slice(0, -1)}-${coding}"`
    const headers = { etag: tag, "cache-control": "no-cache", vary: "Accept-Encoding" }
    return namesTag(header(request, "if-none-match"), tag)
      ? Effect.succeed(HttpServerResponse.empty({ status: 304, headers }))
      : answerIn(document, coding, headers, pack)
  })

/** Responds with a JSON document that is cached here but must not be cached by clients. */
export const respondUntagged = (document: Document) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const accepted = header(request, "accept-encoding") ?? ""
    const isBrief = document.bytes.length < leastBytes && !refusesIdentity(accepted)
    const coding = isBrief ? undefined : codingFor(accepted, codings)
    return answerIn(document, coding, { vary: "Accept-Encoding" }, packDocument)
  })

/** Responds with a document that is cached until it changes, or with 304 if the client has it. */
export const respond = (document: Document) => answerWith(document, packDocument)

const packBest: PackBytes = (bytes, coding) => Effect.promise(() => packForGood[coding](bytes))

/** For a JSON document that never changes while the process runs. Most processes never build it. */
export const respondWith = (make: () => object) => {
  let made: Document | undefined
  return Effect.suspend(() => {
    made ??= documentOf(documentText(make()))
    return answerWith(made, packBest)
  })
}
