import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type { Ambiguity } from "../contract/refusals.ts"

/** The cast: every request here comes from Bun's server as a web `Request`. */
export const sourceOf = (request: HttpServerRequest.HttpServerRequest) => request.source as Request

/** By lower-case name. For `request.headers`, the framework copies all headers. */
export const header = (request: HttpServerRequest.HttpServerRequest, name: string): string | undefined =>
  sourceOf(request).headers.get(name) ?? undefined

const bearer = /^bearer +(\S+) *$/i

/** The token of `Authorization: Bearer` (RFC 6750), if any. */
export const bearerToken = (request: HttpServerRequest.HttpServerRequest): string | undefined =>
  bearer.exec(header(request, "authorization") ?? "")?.[1]

/** The server joins two equal lengths into a list, and refuses other conflicts of this kind itself. */
export const ambiguityOf = ({ headers, url }: Request): Ambiguity | undefined => {
  if (headers.get("content-length")?.includes(",") === true || headers.get("host")?.includes(",") === true)
    return "twice"
  return url.includes("#") ? "fragment" : undefined
}
