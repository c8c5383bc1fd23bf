import * as FindMyWay from "find-my-way-ts"
import type { Route } from "../contract/reflection.ts"

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

/** The path of a URL as it came; `;` is a part of it (RFC 3986, section 3.3). */
const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  return end === -1 ? url : url.slice(0, end)
}

/**
 * The URL with a path that the router can decode, and takes whole. It takes any other for an unknown path; with its percent
 * signs taken literally, such an id reaches its handler like any other that is none. At a `;` it would end the path.
 *
 * @param url path and query
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

/** The segments of a pattern that are not parameters, with their places; a `*` stands for all that follows. */
const literalSegments = (pattern: string): ReadonlyArray<readonly [place: number, text: string]> =>
  pattern
    .split("/")
    .map((text, place) => [place, text] as const)
    .filter(([, text]) => !text.startsWith(":") && text !== "*")

/**
 * Looks up a handler by method and URL. The router decodes a path before it compares; here what is no parameter has to be spelled as
 * in the pattern. Otherwise `/m%65trics` would get past a proxy that closes `/metrics`.
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

/** Looks up routes by method and path, as the framework's router does: with its library and configuration. */
export const routeTable = <R extends Route>(routes: ReadonlyArray<R>): RouteTable<R> => {
  const byMethod = FindMyWay.make<R>(routerConfig)
  const methods = new Set<string>()
  for (const route of routes) {
    // Patterns come from the framework's own router, which has the same type for them.
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
      })
  }
}
