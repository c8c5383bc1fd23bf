import * as FindMyWay from "find-my-way-ts"
import type { Answers } from "./contract.ts"

/** One route of the server: what it is called in logs and metrics, and what it answers about itself. */
export interface Route {
  readonly method: string
  /** The path pattern, e.g. `/api/api-keys/:id/revoke`. */
  readonly pattern: string
  readonly answers: Answers | undefined
}

/** The route of a request, and what its URL says. */
export interface Match<R extends Route> {
  readonly route: R
  /** Of the path, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>
  /** Of the query, decoded; a name that comes more than once has all its values. */
  readonly searchParams: Readonly<Record<string, string | Array<string>>>
}

export interface RouteTable<R extends Route> {
  readonly match: (method: string, url: string) => Match<R> | undefined
  /** All routes of the path, whatever the method. */
  readonly ofPath: (url: string) => ReadonlyArray<R>
}

/** Ids of any length reach their handler, which answers an impossible one like an unknown one. */
const routerConfig = {
  maxParamLength: 16_384,
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false
}

/**
 * The URL with a path that the router can decode. It takes any other for an unknown path; with its percent
 * signs taken literally, such an id reaches its handler like any other that is none.
 *
 * @param url path and query
 */
export const routable = (url: string): string => {
  if (!url.includes("%")) return url
  const end = url.search(/[?#;]/)
  const path = end === -1 ? url : url.slice(0, end)
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll("%", "%25") + url.slice(path.length)
  }
}

/** Looks up routes by method and path, as the framework's router does: with its library and configuration. */
export const routeTable = <R extends Route>(routes: ReadonlyArray<R>): RouteTable<R> => {
  const byMethod = FindMyWay.make<R>(routerConfig)
  const methods = new Set<string>()
  for (const route of routes) {
    // Patterns come from the framework's own router, which has the same type for them.
    byMethod.on(route.method, route.pattern as FindMyWay.PathInput, route)
    methods.add(route.method)
  }
  return {
    match: (method, url) => {
      const found = byMethod.find(method, url) ?? (method === "HEAD" ? byMethod.find("GET", url) : undefined)
      return found && { route: found.handler, params: found.params, searchParams: found.searchParams }
    },
    ofPath: (url) =>
      [...methods].flatMap((method) => {
        const route = byMethod.find(method, url)?.handler
        return route === undefined ? [] : [route]
      })
  }
}
