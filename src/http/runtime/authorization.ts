import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { header } from "./source.ts"

const bearer = /^bearer +(\S+) *$/i

/** The token of an `Authorization: Bearer` header (RFC 6750), if there is one. */
export const bearerToken = (request: HttpServerRequest.HttpServerRequest): string | undefined =>
  bearer.exec(header(request, "authorization") ?? "")?.[1]
