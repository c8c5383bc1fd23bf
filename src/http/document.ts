import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"

/**
 * Answers with a JSON document that is the same for as long as the process runs.
 *
 * @param make called when it is first asked for: most processes never are
 */
export const respondWith = (make: () => object) => {
  let made: { readonly text: string; readonly etag: string } | undefined
  const document = () => {
    const text = JSON.stringify(make(), null, 2)
    return { text, etag: `"${Bun.hash(text).toString(36)}"` }
  }
  return Effect.map(HttpServerRequest.HttpServerRequest, ({ headers: request }) => {
    made ??= document()
    const headers = { etag: made.etag, "cache-control": "no-cache" }
    return request["if-none-match"] === made.etag
      ? HttpServerResponse.empty({ status: 304, headers })
      : HttpServerResponse.text(made.text, { contentType: "application/json", headers })
  })
}
