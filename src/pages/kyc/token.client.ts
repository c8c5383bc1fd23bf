/** The session that the page was opened for. Its token is kept for the tab and nowhere in an address. */
import { framed, told } from "./surroundings.client.ts"

const keyOf = (id: string) => `kyc:${id}`

/** What a browser that refuses storage, as some do in a frame, remembers until the page goes. */
const memory = new Map<string, string>()

/** What the tab remembers. */
export const tab = {
  read: (key: string): string | undefined => {
    try {
      return memory.get(key) ?? sessionStorage.getItem(key) ?? undefined
    } catch {
      return undefined
    }
  },
  write: (key: string, value: string): void => {
    memory.set(key, value)
    try {
      sessionStorage.setItem(key, value)
    } catch {
      // Storage is off or full: then a reload asks for the link again, which is said on the page.
    }
  },
  forget: (key: string): void => {
    memory.delete(key)
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
  /** `?embedOrigin=`: of the page that shows this one in a frame and wants to hear of it. */
  readonly embedOrigin: string | undefined
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
  const embedOrigin = query.get("embedOrigin") ?? undefined
  const ticket = told("frame-ticket")
  const left = new URLSearchParams({
    ...(language === undefined ? undefined : { lang: language }),
    // For a reload in the frame, which without its token could not be told to be allowed there.
    ...(framed() && ticket !== undefined ? { frame: ticket } : undefined),
    ...(framed() && embedOrigin !== undefined ? { embedOrigin } : undefined)
  }).toString()
  history.replaceState(null, "", left === "" ? location.pathname : `${location.pathname}?${left}`)
  const token = given || tab.read(keyOf(sessionId))
  return { sessionId, token, done: rest !== undefined, language, embedOrigin }
}
