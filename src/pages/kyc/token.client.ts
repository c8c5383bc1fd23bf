/** The session that the page was opened for. Its token is kept for the tab and nowhere in an address. */

const keyOf = (id: string) => `kyc:${id}`

/** What the tab remembers. A browser that refuses storage forgets it with the page. */
export const tab = {
  read: (key: string): string | undefined => {
    try {
      return sessionStorage.getItem(key) ?? undefined
    } catch {
      return undefined
    }
  },
  write: (key: string, value: string): void => {
    try {
      sessionStorage.setItem(key, value)
    } catch {
      // Storage is off or full: then a reload asks for the link again, which is said on the page.
    }
  },
  forget: (key: string): void => {
    try {
      sessionStorage.removeItem(key)
    } catch {
      // As above: there was nothing to forget.
    }
  }
}

export interface Opened {
  readonly sessionId: string
  readonly token: string | undefined
  /** Whether this is the result page. */
  readonly done: boolean
  /** `?lang=` */
  readonly language: string | undefined
}

/**
 * Takes the token out of the address bar, where it would be seen, bookmarked and sent along. It has to run before anything
 * else of the page does. The token may be in the query or, where a partner wants no server to log it, in the fragment.
 */
export const takeToken = (): Opened => {
  const [, sessionId = "", rest] = /^\/kyc\/session\/([^/]+)(\/done)?\/?$/.exec(location.pathname) ?? []
  const query = new URLSearchParams(location.search)
  const fragment = new URLSearchParams(location.hash.slice(1))
  const given = query.get("token") ?? fragment.get("token")
  const language = query.get("lang") ?? fragment.get("lang") ?? undefined
  if (given !== null && given !== "") tab.write(keyOf(sessionId), given)
  const left = language === undefined ? "" : `?${new URLSearchParams({ lang: language })}`
  history.replaceState(null, "", `${location.pathname}${left}`)
  return { sessionId, token: given || tab.read(keyOf(sessionId)), done: rest !== undefined, language }
}
