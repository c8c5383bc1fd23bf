import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
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

/** Whether an `If-None-Match` names the tag; compared weakly, as RFC 9110 section 13.1.2 has it. */
export const namesTag = (header: string | undefined, tag: string): boolean =>
  header?.split(",").some((candidate) => {
    const given = candidate.trim().replace(/^W\//, "")
    return given === "*" || given === tag
  }) ?? false

/** A JSON document as it is sent, and the tag that names these very bytes. */
export interface Document {
  readonly bytes: Uint8Array
  readonly etag: string
}

const utf8 = new TextEncoder()

/** A JSON document as text for people to read. */
export const documentText = (document: object): string => JSON.stringify(document, null, 2)

/** The document with this text, or the bytes of it. */
export const documentOf = (text: string | Uint8Array): Document => {
  const bytes = typeof text === "string" ? utf8.encode(text) : text
  return { bytes, etag: `"${Bun.hash(bytes).toString(36)}"` }
}

type Packed = Map<Coding, Promise<Uint8Array>>

/** Documents that have been asked for compressed: compressed once in each coding, and kept for as long as they are. */
const packed = new WeakMap<Document, Packed>()

type PackBytes = (bytes: Uint8Array, coding: Coding) => Effect.Effect<Uint8Array>

/** The compressed document, of which a failure is not kept: the next who asks tries again. */
const packedAs = (document: Document, coding: Coding, pack: PackBytes): Promise<Uint8Array> => {
  const known: Packed = packed.get(document) ?? new Map()
  packed.set(document, known)
  const found = known.get(coding)
  if (found !== undefined) return found
  // A fiber of its own: a client that goes away must not leave its interruption behind as the result.
  const packing = Effect.runPromise(pack(document.bytes, coding)).catch((error: unknown) => {
    known.delete(coding)
    throw error
  })
  known.set(coding, packing)
  return packing
}

const json = { contentType: "application/json" }

/** The bytes of the document, in the coding that was chosen. */
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
    // A strong tag names bytes, and the encodings of one document are not the same bytes.
    const tag = coding === undefined ? etag : `${etag.slice(0, -1)}-${coding}"`
    const headers = { etag: tag, "cache-control": "no-cache", vary: "Accept-Encoding" }
    return namesTag(header(request, "if-none-match"), tag)
      ? Effect.succeed(HttpServerResponse.empty({ status: 304, headers }))
      : answerIn(document, coding, headers, pack)
  })

/** Answers with a JSON document that is kept for many requests, as if it were made for each: no client is to keep it. */
export const respondUntagged = (document: Document) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const accepted = header(request, "accept-encoding") ?? ""
    const isBrief = document.bytes.length < leastBytes && !refusesIdentity(accepted)
    const coding = isBrief ? undefined : codingFor(accepted, codings)
    return answerIn(document, coding, { vary: "Accept-Encoding" }, packDocument)
  })

/**
 * Answers with a document that is kept until it changes, compressed as the client asks for, or with 304 when the client has it.
 */
export const respond = (document: Document) => answerWith(document, packDocument)

const packBest: PackBytes = (bytes, coding) => Effect.promise(() => packForGood[coding](bytes))

/**
 * Answers with a JSON document that is the same for as long as the process runs.
 *
 * @param make called when it is first asked for: most processes never are
 */
export const respondWith = (make: () => object) => {
  let made: Document | undefined
  return Effect.suspend(() => {
    made ??= documentOf(documentText(make()))
    return answerWith(made, packBest)
  })
}
