import type * as Headers from "@effect/platform/Headers"

const bearer = /^bearer +(\S+) *$/i

/** The token of an `Authorization: Bearer` header (RFC 6750), when there is one. */
export const bearerToken = (headers: Headers.Headers): string | undefined =>
  bearer.exec(headers.authorization ?? "")?.[1]
