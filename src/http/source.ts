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

/**
 * Whether a field that may be there once is there twice: two readers of such a head could see two different requests in it (RFC 9112,
 * sections 3.2 and 6.3). Of two equal lengths the server says nothing, and joins them to a list; all else of the kind it refuses itself.
 */
export const isAmbiguous = (headers: Headers): boolean =>
  headers.get("content-length")?.includes(",") === true || headers.get("host")?.includes(",") === true

/** What such a request is told. */
export const ambiguous = {
  status: 400,
  message: "Host and Content-Length may be sent only once",
  code: "ambiguous-request"
} as const

/** What a request is told whose `Host` is none of this service's. */
export const misdirected = {
  status: 421,
  message: "Host is not one of this service",
  code: "host-not-served"
} as const
