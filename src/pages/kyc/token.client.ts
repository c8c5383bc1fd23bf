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

const linkKey = (id: string) => `kyc:${id}:link`
const receiptKey = (id: string) => `kyc:${id}:receipt`
const handedOverKey = (id: string) => `kyc:${id}:handed-over`

/** Keeps the session's token for the tab. */
export const keepToken = (id: string, token: string): void => tab.write(keyOf(id), token)

/** Receipts of a tab without storage, which are gone with its page. */
const unstored = new Map<string, string>()

/** What a tab that was opened by the link of a hand-off remembers, until the session is its own. */
export const link = {
  /** By what the server knows this tab again; there is one as soon as it has claimed the hand-off. */
  receipt: (id: string): string | undefined => tab.read(receiptKey(id)) ?? unstored.get(id),
  newReceipt: (id: string): string => {
    const bytes = crypto.getRandomValues(new Uint8Array(32))
    const receipt = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
    unstored.set(id, receipt)
    tab.write(receiptKey(id), receipt)
    return receipt
  },
  forgetReceipt: (id: string): void => {
    unstored.delete(id)
    tab.forget(receiptKey(id))
  },
  /** The session is the tab's own from now on. */
  forget: (id: string): void => {
    link.forgetReceipt(id)
    tab.forget(linkKey(id))
    tab.write(handedOverKey(id), "yes")
  }
}

/** Whether the session has come to this tab from another device. */
export const wasHandedOver = (id: string): boolean => tab.read(handedOverKey(id)) !== undefined

export interface Opened {
  readonly sessionId: string
  readonly token: string | undefined
  /** The secret of a hand-off, where the session is another device's so far. */
  readonly handoff: string | undefined
  /** Whether this is the result page. */
  readonly done: boolean
  /** `?lang=` */
  readonly language: string | undefined
}

/**
 * Takes the token out of the address bar, where it would be seen, bookmarked and sent along. It has to run before anything
 * else of the page does. The token may be in the query or, where a partner wants no server to log it, in the fragment, where
 * the secret of a hand-off always is.
 */
export const takeToken = (): Opened => {
  const [, sessionId = "", rest] = /^\/kyc\/session\/([^/]+)(\/done)?\/?$/.exec(location.pathname) ?? []
  const query = new URLSearchParams(location.search)
  const fragment = new URLSearchParams(location.hash.slice(1))
  const given = query.get("token") ?? fragment.get("token")
  const language = query.get("lang") ?? fragment.get("lang") ?? undefined
  if (given !== null && given !== "") keepToken(sessionId, given)
  const secret = fragment.get("handoff")
  if (secret !== null && secret !== "" && secret !== tab.read(linkKey(sessionId))) {
    link.forgetReceipt(sessionId)
    tab.write(linkKey(sessionId), secret)
  }
  const left = language === undefined ? "" : `?${new URLSearchParams({ lang: language })}`
  history.replaceState(null, "", `${location.pathname}${left}`)
  return {
    sessionId,
    token: given || tab.read(keyOf(sessionId)),
    handoff: secret || tab.read(linkKey(sessionId)),
    done: rest !== undefined,
    language
  }
}
