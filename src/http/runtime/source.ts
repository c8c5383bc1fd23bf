import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"

/** The request as Bun's server gave it: the source of every request is a web `Request`. */
export const sourceOf = (request: HttpServerRequest.HttpServerRequest) => request.source as Request

/**
 * One header of a request. On the way of every request in place of `request.headers`, for which the framework copies them all.
 *
 * @param name in lower case
 */
export const header = (request: HttpServerRequest.HttpServerRequest, name: string): string | undefined =>
  sourceOf(request).headers.get(name) ?? undefined

/** What a request is told that two readers could read as two different requests. */
export const ambiguities = {
  /** RFC 9112, sections 3.2 and 6.3. */
  twice: {
    status: 400,
    message: "Host and Content-Length may be sent only once",
    code: "ambiguous-request"
  },
  /** RFC 9112, section 3.2: one reader cuts it off, another takes it for more of the path or the query. */
  fragment: {
    status: 400,
    message: "Request target must not have a fragment",
    code: "target-with-fragment"
  }
} as const

/** By the name of what is wrong. */
export type Ambiguity = keyof typeof ambiguities

/**
 * What makes a request ambiguous; undefined when it has one meaning. Of two equal lengths the server says nothing, and joins
 * them to a list; all else of the kind it refuses itself.
 */
export const ambiguityOf = ({ headers, url }: Request): Ambiguity | undefined => {
  if (headers.get("content-length")?.includes(",") === true || headers.get("host")?.includes(",") === true)
    return "twice"
  return url.includes("#") ? "fragment" : undefined
}

/** What a request is told whose `Host` is none of this service's. */
export const misdirected = {
  status: 421,
  message: "Host is not one of this service",
  code: "host-not-served"
} as const
