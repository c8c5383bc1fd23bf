/** The session that the page was opened for. Its token moves from the address to the tab's storage. */
import { object, text } from "../../json.ts"
import { framed, told } from "../screens/surroundings.ts"
import { hex } from "../sha256.ts"

/** Without `what`, the key of the session's token. */
const keyOf = (id: string, what?: "link" | "receipt" | "handed-over"): string =>
  what === undefined ? `kyc:${id}` : `kyc:${id}:${what}`

/** Survives a reload, even where a browser denies storage to a framed page. Undefined removes the value. */
const keepInHistory = (key: string, value: string | undefined): void => {
  const { [key]: before, ...others } = object(history.state)
  if (before !== value) history.replaceState(value === undefined ? others : { ...others, [key]: value }, "")
}

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
      // Storage is off or full.
      keepInHistory(key, value)
    }
  },
  forget: (key: string): void => {
    keepInHistory(key, undefined)
    try {
      sessionStorage.removeItem(key)
    } catch {
      // Storage is off.
    }
  }
}

export const keepToken = (id: string, token: string): void => tab.write(keyOf(id), token)

/** What a tab opened from a handoff link stores until it gets the session. */
export const link = {
  /** Identifies this tab to the server from its first claim on. */
  receipt: (id: string): string | undefined => tab.read(keyOf(id, "receipt")),
  newReceipt: (id: string): string => {
    const receipt = hex(crypto.getRandomValues(new Uint8Array(32)))
    tab.write(keyOf(id, "receipt"), receipt)
    return receipt
  },
  forgetReceipt: (id: string): void => tab.forget(keyOf(id, "receipt")),
  /** Once the tab has the session. */
  forget: (id: string): void => {
    link.forgetReceipt(id)
    tab.forget(keyOf(id, "link"))
    tab.write(keyOf(id, "handed-over"), "yes")
  }
}

/** Whether this tab received the session from another device. */
export const wasHandedOver = (id: string): boolean => tab.read(keyOf(id, "handed-over")) !== undefined

export interface Opened {
  /** Empty at an address of no session. */
  readonly sessionId: string
  readonly token?: string | undefined
  /** The secret of a handoff that this device has not completed. */
  readonly handoff?: string | undefined
  /** Whether this is the result page. */
  readonly done: boolean
  /** `?lang=` */
  readonly language?: string | undefined
  /** `?embedOrigin=`: the origin of an embedder that wants events. */
  readonly embedOrigin?: string | undefined
}

/**
 * Removes the token from the address, where it could be seen, bookmarked or forwarded. Must run before any other
 * code. The token is in the query, or in the fragment if no server should log it, as with a handoff's secret.
 */
export const takeToken = (): Opened => {
  const [, sessionId = "", rest] = /^\/kyc\/session\/([^/]+)(\/done)?\/?$/.exec(location.pathname) ?? []
  const query = new URLSearchParams(location.search)
  const fragment = new URLSearchParams(location.hash.slice(1))
  const given = query.get("token") ?? fragment.get("token")
  const language = query.get("lang") ?? fragment.get("lang") ?? undefined
  if (given !== null && given !== "" && sessionId !== "") keepToken(sessionId, given)
  const secret = fragment.get("handoff")
  if (secret !== null && secret !== "" && secret !== tab.read(keyOf(sessionId, "link"))) {
    link.forgetReceipt(sessionId)
    tab.write(keyOf(sessionId, "link"), secret)
  }
  const embedOrigin = query.get("embedOrigin") ?? undefined
  const ticket = told("frame-ticket")
  const left = new URLSearchParams({
    ...(language === undefined ? undefined : { lang: language }),
    // On a reload, the ticket proves instead of the token that the page may be framed.
    ...(framed() && ticket !== undefined ? { frame: ticket } : undefined),
    ...(framed() && embedOrigin !== undefined ? { embedOrigin } : undefined)
  }).toString()
  history.replaceState(history.state, "", left === "" ? location.pathname : `${location.pathname}?${left}`)
  return {
    sessionId,
    token: given || tab.read(keyOf(sessionId)),
    handoff: secret || tab.read(keyOf(sessionId, "link")),
    done: rest !== undefined,
    language,
    embedOrigin
  }
}
