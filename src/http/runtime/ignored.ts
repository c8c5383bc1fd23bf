/** Names of a request that the contract does not know. They are ignored, and the response says so (contract.md#unknown-fields). */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"

export const ignoredHeader = "doorlock-ignored"

/** The most names that a response repeats. */
const mostIgnored = 10

/** What a typing error or another spelling of a field looks like. Nothing else is repeated in a header. */
const plainName = /^[A-Za-z_][\w.-]{0,63}$/

const ignored = new WeakMap<HttpServerRequest.HttpServerRequest, ReadonlyArray<string>>()

/** Remembers the fields of `given` that are not `known`, until the response to the request is sent. */
export const noteIgnored = (
  request: HttpServerRequest.HttpServerRequest,
  known: ReadonlySet<string>,
  given: object
): void => {
  for (const name in given) {
    if (known.has(name) || !plainName.test(name)) continue
    const before = ignored.get(request) ?? []
    if (before.length === mostIgnored) return
    ignored.set(request, [...before, name])
  }
}

/** The value of the response's header; undefined if nothing was ignored. */
export const ignoredOf = (request: HttpServerRequest.HttpServerRequest): string | undefined =>
  ignored.get(request)?.join(", ")
