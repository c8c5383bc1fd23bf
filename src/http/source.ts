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
