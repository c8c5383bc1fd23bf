import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type { Ambiguity } from "../contract/refusals.ts"

/** The request as Bun's server gave it: the source of every request is a web `Request`. */
export const sourceOf = (request: HttpServerRequest.HttpServerRequest) => request.source as Request

/**
 * One header of a request. On the way of every request in place of `request.headers`, for which the framework copies them all.
 *
 * @param name in lower case
 */
export const header = (request: HttpServerRequest.HttpServerRequest, name: string): string | undefined =>
  sourceOf(request).headers.get(name) ?? undefined

/**
 * What makes a request ambiguous; undefined when it has one meaning. Of two equal lengths the server says nothing, and joins
 * them to a list; all else of the kind it refuses itself.
 */
export const ambiguityOf = ({ headers, url }: Request): Ambiguity | undefined => {
  if (headers.get("content-length")?.includes(",") === true || headers.get("host")?.includes(",") === true)
    return "twice"
  return url.includes("#") ? "fragment" : undefined
}
