/**
 * `/kyc/embed.js`, a script for partners' pages: shows the hosted page in a frame of the right kind, makes the frame as high
 * as what is in it, and hands on the page's events. It defines `doorlock` and no other global.
 */
import { type Message, message } from "./events.ts"

/** Handlers of single types of event. */
type Handlers = { readonly [Type in Message["type"]]?: (event: Extract<Message, { type: Type }>) => void }

interface MountOptions {
  /** As the answer to the creation of the session has it, token and all. */
  readonly verificationUrl: string
  /** Called with every event. */
  readonly onEvent?: (event: Message) => void
  /** Called with the events of a type, after `onEvent`. */
  readonly on?: Handlers
  /** What a screen reader calls the frame. */
  readonly title?: string
}

interface Mounted {
  /** Removes the frame. No event comes after it. */
  readonly unmount: () => void
}

/** Milliseconds for a page that has loaded to say that it is ready; then it was another page, such as the browser's refusal. */
const graceMillis = 2000

/** Milliseconds for a page to load at all. */
const patienceMillis = 30_000

/** Pixels, before the page has told its height. */
const firstHeight = 640

/** Pixels; the page is never as high, and a frame that claims to be would be in the way. */
const mostHeight = 20_000

/** Events that come with a screen. */
const screens: ReadonlySet<string> = new Set(["step", "completed", "failed", "cancelled", "expired"])

const addressOf = (verificationUrl: string): URL => {
  if (!/^https?:\/\//i.test(verificationUrl)) {
    throw new TypeError("doorlock.mount: verificationUrl must be an http or https URL")
  }
  return new URL(verificationUrl)
}

const placeOf = (container: Element | string): Element => {
  const place = typeof container === "string" ? document.querySelector(container) : container
  if (!(place instanceof Element)) throw new TypeError("doorlock.mount: there is no such container")
  return place
}

const makeFrame = (address: URL, title: string): HTMLIFrameElement => {
  const frame = document.createElement("iframe")
  frame.title = title
  frame.allow = "camera"
  frame.referrerPolicy = "no-referrer"
  // Property by property, which a policy against inline styles permits.
  const { style } = frame
  style.display = "block"
  style.width = "100%"
  style.height = `${firstHeight}px`
  style.border = "0"
  frame.src = address.href
  return frame
}

const isMessage = (data: unknown): data is Message => {
  if (typeof data !== "object" || data === null) return false
  const { source, type, v }: { source?: unknown; type?: unknown; v?: unknown } = data
  return source === "doorlock" && v === 1 && typeof type === "string"
}

/**
 * Shows the page of a session in `container`, an element or its selector. Throws a `TypeError` for a container that is not
 * there and for a `verificationUrl` that is none.
 */
const mount = (container: Element | string, options: MountOptions): Mounted => {
  const { on = {}, onEvent, title = "Identity verification", verificationUrl } = options
  const place = placeOf(container)
  const address = addressOf(verificationUrl)
  const sessionId = /\/kyc\/session\/([^/]+)/.exec(address.pathname)?.[1] ?? ""
  address.searchParams.set("embedOrigin", location.origin)
  const frame = makeFrame(address, title)

  const hand = (event: Message) => {
    onEvent?.(event)
    // Its type names the handler whose parameter it is, which the compiler cannot follow.
    const handler = on[event.type] as ((event: Message) => void) | undefined
    handler?.(event)
  }

  // Every load is followed or preceded by the page's word that it is ready, unless it was the load of something else.
  const giveUp = () => hand(message(sessionId, { type: "error", code: "NOT_READY" }))
  let timer = setTimeout(giveUp, patienceMillis)
  let expects: "both" | "load" | "ready" = "both"
  const note = (happened: "load" | "ready") => {
    clearTimeout(timer)
    if (expects === happened) expects = "both"
    else {
      expects = happened === "load" ? "ready" : "load"
      if (expects === "ready") timer = setTimeout(giveUp, graceMillis)
    }
  }

  let begun = false
  const hear = ({ data, origin, source }: MessageEvent<unknown>) => {
    if (origin !== address.origin || source !== frame.contentWindow || !isMessage(data)) return
    if (data.type === "ready") note("ready")
    if (data.type === "resize") frame.style.height = `${Math.min(data.height, mostHeight)}px`
    if (screens.has(data.type)) {
      // The next screen begins at the top of the frame, which may have been scrolled past.
      if (begun && frame.getBoundingClientRect().top < 0) frame.scrollIntoView()
      begun = true
    }
    hand(data)
  }

  frame.onload = () => note("load")
  addEventListener("message", hear)
  place.append(frame)
  return {
    unmount: () => {
      clearTimeout(timer)
      removeEventListener("message", hear)
      frame.onload = null
      frame.remove()
    }
  }
}

Object.assign(window, { doorlock: Object.freeze({ mount }) })
