/**
 * CORS of the gateway (WHATWG Fetch, section 3.2). It is the gateway's, not the upstreams': any origin may call, never
 * with credentials, since the key is a header and cookies are neither taken in nor passed on.
 */

import type { DirectAnswer } from "../http/runtime/direct.ts"

const tokens = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:[ \t]*,[ \t]*[!#$%&'*+\-.^_`|~0-9A-Za-z]+)*$/

/** Whether a browser asks for permission: such a request carries no key and is for no upstream. */
export const isPreflight = (request: Request): boolean =>
  request.method === "OPTIONS" &&
  request.headers.has("origin") &&
  request.headers.has("access-control-request-method")

/** Permits what is asked for: which methods and headers an API takes is known to its upstream alone. */
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
