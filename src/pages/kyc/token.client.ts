/** The session that the page was opened for. Its token is kept for the tab and nowhere in an address. */
import { object, text } from "./json.client.ts"
import { framed, told } from "./surroundings.client.ts"

const keyOf = (id: string) => `kyc:${id}`

/**
 * Keeps a value, or with undefined none, beside this entry of the tab's history: it outlives a reload, too, also where a
 * browser refuses storage to a page in a frame of another site, as some do.
 */
const keepInHistory = (key: string, value: string | undefined): void => {
  const { [key]: before, ...others } = object(history.state)
  if (before !== value) history.replaceState(value === undefined ? others : { ...others, [key]: value }, "")
}

/** What the tab remembers. */
export const tab = {
  read: (key: string): string | undefined => {
    const kept = text(object(history.state)[key])
    if (kept !== undefined) return kept
    try {
      return sessionStorage.getItem(key) ?? undefined
    } catch {
      return undefined
    }
  },
  write: (key: string, value: string): void => {
    try {
      sessionStorage.setItem(key, value)
      keepInHistory(key, undefined)
    } catch {
      // Off or full.
      keepInHistory(key, value)
    }
  },
  forget: (key: string): void => {
    keepInHistory(key, undefined)
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
  history.replaceState(history.state, "", left === "" ? location.pathname : `${location.pathname}?${left}`)
  const token = given || tab.read(keyOf(sessionId))
  return { sessionId, token, done: rest !== undefined, language, embedOrigin }
}
