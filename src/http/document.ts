import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"

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

/** Answers with the document, or with 304 when the client has it. */
export const respond = ({ bytes, etag }: Document) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers: request }) => {
    const headers = { etag, "cache-control": "no-cache" }
    return namesTag(request["if-none-match"], etag)
      ? HttpServerResponse.empty({ status: 304, headers })
      : HttpServerResponse.uint8Array(bytes, { contentType: "application/json", headers })
  })

/**
 * Answers with a JSON document that is the same for as long as the process runs.
 *
 * @param make called when it is first asked for: most processes never are
 */
export const respondWith = (make: () => object) => {
  let made: Document | undefined
  return Effect.suspend(() => {
    made ??= documentOf(documentText(make()))
    return respond(made)
  })
}
