import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type { Ambiguity } from "../contract/refusals.ts"

/** The `Request` from Bun's server. The cast: the source of every request is a web `Request`. */
export const sourceOf = (request: HttpServerRequest.HttpServerRequest) => request.source as Request

/**
 * One header of a request. Use it on the hot path instead of `request.headers`, for which the framework copies all headers.
 *
 * @param name in lower case
 */
export const header = (request: HttpServerRequest.HttpServerRequest, name: string): string | undefined =>
  sourceOf(request).headers.get(name) ?? undefined

/**
 * What makes a request ambiguous; undefined if nothing does. The server accepts two equal lengths and joins them into a list; it refuses
 * other conflicts of this kind itself.
 */
export const ambiguityOf = ({ headers, url }: Request): Ambiguity | undefined => {
  if (headers.get("content-length")?.includes(",") === true || headers.get("host")?.includes(",") === true)
    return "twice"
  return url.includes("#") ? "fragment" : undefined
}
