/**
 * `/kyc/embed.js`, a script for partners' pages: shows the hosted page in a frame that fits its content, and
 * passes on its events. It defines `doorlock` and no other global.
 */
import { isObject } from "../../json.ts"
import { type Message, message } from "./events.ts"

/** Handlers by event type. */
type Handlers = { readonly [Type in Message["type"]]?: (event: Extract<Message, { type: Type }>) => void }

interface MountOptions {
  /** The `verificationUrl` of the response that created the session, token included. */
  readonly verificationUrl: string
  /** Called with every event. */
  readonly onEvent?: (event: Message) => void
  /** Called after `onEvent`. */
  readonly on?: Handlers
  /** The frame's name for screen readers. */
  readonly title?: string
}

/** A page that is not ready this long after loading is something else, such as the browser's error page. */
const graceMillis = 2000

const timeoutMillis = 30_000

/** In pixels, before the page reports its height. */
const firstHeight = 640

/** In pixels. No honest page is this high, and such a frame would be in the way. */
const mostHeight = 20_000

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
  // As properties, which a policy against inline styles permits.
  Object.assign(frame.style, { display: "block", width: "100%", height: `${firstHeight}px`, border: "0" })
  return Object.assign(frame, { title, allow: "camera", referrerPolicy: "no-referrer", src: address.href })
}

const isMessage = (data: unknown): data is Message =>
  isObject(data) && data.source === "doorlock" && data.v === 1 && typeof data.type === "string"

/** Throws a `TypeError` if the container does not exist or the `verificationUrl` is invalid. */
const mount = (container: Element | string, options: MountOptions) => {
  const { on = {}, onEvent, title = "Identity verification", verificationUrl } = options
  const place = placeOf(container)
  const address = addressOf(verificationUrl)
  const sessionId = /\/kyc\/session\/([^/]+)/.exec(address.pathname)?.[1] ?? ""
  address.searchParams.set("embedOrigin", location.origin)
  const frame = makeFrame(address, title)

  const hand = (event: Message) => {
    onEvent?.(event)
    // The compiler cannot follow that the type selects the handler.
    const handler = on[event.type] as ((event: Message) => void) | undefined
    handler?.(event)
  }

  // Each load of the page comes with a report that it is ready, before or after.
  const giveUp = () => hand(message(sessionId, { type: "error", code: "NOT_READY" }))
  let timer = setTimeout(giveUp, timeoutMillis)
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
      // Each screen begins at the top of the frame, which may be scrolled out of view.
      if (begun && frame.getBoundingClientRect().top < 0) frame.scrollIntoView()
      begun = true
    }
    hand(data)
  }

  frame.onload = () => note("load")
  addEventListener("message", hear)
  place.append(frame)
  return {
    /** Removes the frame. No event follows. */
    unmount: () => {
      clearTimeout(timer)
      removeEventListener("message", hear)
      frame.onload = null
      frame.remove()
    }
  }
}

Object.assign(window, { doorlock: Object.freeze({ mount }) })
