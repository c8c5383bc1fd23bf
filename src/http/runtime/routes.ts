import * as FindMyWay from "find-my-way-ts"
import type { Route } from "../contract/reflection.ts"

export interface Match<R extends Route> {
  readonly route: R
  /** Decoded. */
  readonly params: Readonly<Record<string, string | undefined>>
  /** Decoded; a repeated name has all its values. */
  readonly searchParams: Readonly<Record<string, string | Array<string>>>
}

export interface RouteTable<R extends Route> {
  readonly match: (method: string, url: string) => Match<R> | undefined
  /** For any method. */
  readonly ofPath: (url: string) => ReadonlyArray<R>
  /** The route of `*`, for what is read at a path of no other route. It is in no match. */
  readonly otherwise: R | undefined
}

/** Over-long ids reach their handler, which answers an invalid id like an unknown one. */
const routerConfig = {
  maxParamLength: 16_384,
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false
}

/** Not decoded. `;` belongs to the path (RFC 3986, section 3.3). */
const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  return end === -1 ? url : url.slice(0, end)
}

/**
 * The router ends paths at a `;`, and matches no path that it cannot decode. With its percent signs escaped,
 * a malformed id reaches its handler like any other invalid id.
 */
export const routable = (url: string): string => {
  if (!url.includes("%") && !url.includes(";")) return url
  const path = pathOf(url)
  const whole = path.replaceAll(";", "%3B")
  try {
    decodeURIComponent(whole)
    return whole + url.slice(path.length)
  } catch {
    return whole.replaceAll("%", "%25") + url.slice(path.length)
  }
}

/** The segments of a pattern that are neither a parameter nor `*`, with their positions. */
const literalSegments = (pattern: string): ReadonlyArray<readonly [place: number, text: string]> =>
  pattern
    .split("/")
    .map((text, place) => [place, text] as const)
    .filter(([, text]) => !text.startsWith(":") && text !== "*")

/**
 * Finds a handler by method and URL. The router compares decoded paths; here literal segments must also be
 * spelled as in the pattern. Otherwise `/m%65trics` would get past a proxy that blocks `/metrics`.
 */
const exactly = <R extends Route>(router: FindMyWay.Router<R>, routes: ReadonlyArray<R>) => {
  const literals = new Map(routes.map((route) => [route, literalSegments(route.pattern)]))
  return (method: string, url: string) => {
    const found = router.find(method, url)
    if (found === undefined || !url.includes("%")) return found
    const segments = pathOf(url).split("/")
    const isSpelledOut = literals.get(found.handler)?.every(([place, text]) => segments[place] === text)
    return isSpelledOut === true ? found : undefined
  }
}

/** Matches as the framework's router does, with the same library and configuration. */
export const routeTable = <R extends Route>(declared: ReadonlyArray<R>): RouteTable<R> => {
  const otherwise = declared.find(({ pattern }) => pattern === "*")
  const routes = declared.filter((route) => route !== otherwise)
  const byMethod = FindMyWay.make<R>(routerConfig)
  const methods = new Set<string>()
  for (const route of routes) {
    // The cast: patterns come from the framework's router, which uses the same type.
    byMethod.on(route.method, route.pattern as FindMyWay.PathInput, route)
    methods.add(route.method)
  }
  const find = exactly(byMethod, routes)
  return {
    match: (method, url) => {
      const found = find(method, url) ?? (method === "HEAD" ? find("GET", url) : undefined)
      return found && { route: found.handler, params: found.params, searchParams: found.searchParams }
    },
    ofPath: (url) =>
      [...methods].flatMap((method) => {
        const route = find(method, url)?.handler
        return route === undefined ? [] : [route]
      }),
    otherwise
  }
}
