/**
 * CORS of the gateway (WHATWG Fetch, section 3.2). Any origin may call, whatever the upstream says, but never
 * with CORS credentials: the key is a header, and the gateway neither accepts nor forwards cookies.
 */

import type { DirectAnswer } from "../http/runtime/direct.ts"

const tokens = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:[ \t]*,[ \t]*[!#$%&'*+\-.^_`|~0-9A-Za-z]+)*$/

/** A CORS preflight carries no key and goes to no upstream. */
export const isPreflight = (request: Request): boolean =>
  request.method === "OPTIONS" &&
  request.headers.has("origin") &&
  request.headers.has("access-control-request-method")

/** Allows whatever is requested: only the upstream knows which methods and headers its API accepts. */
export const preflight = ({ headers }: Request): DirectAnswer => {
  const asked = (name: string) => {
    const value = headers.get(name)
    return value !== null && tokens.test(value) ? value : undefined
  }
  const allowedHeaders = asked("access-control-request-headers")
  return {
    status: 204,
    body: null,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": asked("access-control-request-method") ?? "GET",
      ...(allowedHeaders === undefined ? undefined : { "access-control-allow-headers": allowedHeaders }),
      "access-control-max-age": "86400",
      "cache-control": "no-store",
      "proxy-status": "doorlock",
      vary: "access-control-request-method, access-control-request-headers"
    }
  }
}
