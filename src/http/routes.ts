import * as FindMyWay from "find-my-way-ts"
import type { Answers } from "./contract.ts"

/** One route of the server: what it is called in logs and metrics, and what it answers about itself. */
export interface Route {
  readonly method: string
  /** The path pattern, e.g. `/api/api-keys/:id/revoke`. */
  readonly pattern: string
  readonly answers: Answers | undefined
}

export interface RouteTable {
  readonly match: (method: string, url: string) => Route | undefined
  /** All routes of the path, whatever the method. */
  readonly ofPath: (url: string) => ReadonlyArray<Route>
}

/** Ids of any length reach their handler, which answers an impossible one like an unknown one. */
export const routerConfig = {
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

/** Looks up routes as the framework's router does, with the same library and configuration. */
export const routeTable = (routes: ReadonlyArray<Route>): RouteTable => {
  const byMethod = FindMyWay.make<Route>(routerConfig)
  const methods = new Set<string>()
  for (const route of routes) {
    // Patterns come from the framework's own router, which has the same type for them.
    byMethod.on(route.method, route.pattern as FindMyWay.PathInput, route)
    methods.add(route.method)
  }
  const match = (method: string, url: string) =>
    (byMethod.find(method, url) ?? (method === "HEAD" ? byMethod.find("GET", url) : undefined))?.handler
  return {
    match,
    ofPath: (url) =>
      [...methods].flatMap((method) => {
        const route = byMethod.find(method, url)?.handler
        return route === undefined ? [] : [route]
      })
  }
}
