/** The session that the page was opened for. Its token is kept for the tab and nowhere in an address. */
import { object, text } from "../../json.ts"
import { framed, told } from "../screens/surroundings.ts"

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
  /** `?embedOrigin=`: of the page that shows this one in a frame and wants to hear of it. */
  readonly embedOrigin: string | undefined
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
  const embedOrigin = query.get("embedOrigin") ?? undefined
  const ticket = told("frame-ticket")
  const left = new URLSearchParams({
    ...(language === undefined ? undefined : { lang: language }),
    // For a reload in the frame, which without its token could not be told to be allowed there.
    ...(framed() && ticket !== undefined ? { frame: ticket } : undefined),
    ...(framed() && embedOrigin !== undefined ? { embedOrigin } : undefined)
  }).toString()
  history.replaceState(history.state, "", left === "" ? location.pathname : `${location.pathname}?${left}`)
  return {
    sessionId,
    token: given || tab.read(keyOf(sessionId)),
    handoff: secret || tab.read(linkKey(sessionId)),
    done: rest !== undefined,
    language,
    embedOrigin
  }
}
