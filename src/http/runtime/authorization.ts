import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { header } from "./source.ts"

const bearer = /^bearer +(\S+) *$/i

/** The token of `Authorization: Bearer` (RFC 6750), if any. */
export const bearerToken = (request: HttpServerRequest.HttpServerRequest): string | undefined =>
  bearer.exec(header(request, "authorization") ?? "")?.[1]
