/**
 * `/kyc/embed.js`, a script for partners' pages: shows the hosted page in a frame that fits its content, and
 * passes on its events. It defines the global `doorlock`, the element `<doorlock-verification>`, and nothing else.
 */
import type { Embed, EmbedEvent, EmbedEventType, VerificationElement } from "../../../client/package/embed.ts"
import { isObject } from "../../json.ts"
import { after, embedTimes } from "../../timing.ts"
import { message } from "./events.ts"

/** In pixels, before the page reports its height. */
const firstHeight = 640

/** In pixels. No honest page is this high, and such a frame would be in the way. */
const mostHeight = 20_000

const defaultTitle = "Identity verification"

const screens: ReadonlySet<string> = new Set(["step", "completed", "failed", "cancelled", "expired"])

/** Undefined unless it is an http or https URL. */
const addressOf = (verificationUrl: string): URL | undefined => {
  if (!/^https?:\/\//i.test(verificationUrl)) return undefined
  try {
    return new URL(verificationUrl)
  } catch {
    return undefined
  }
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

const isMessage = (data: unknown): data is EmbedEvent =>
  isObject(data) && data.source === "doorlock" && data.v === 1 && typeof data.type === "string"

const mount: Embed["mount"] = (container, options) => {
  const { on = {}, onEvent, title = defaultTitle, verificationUrl } = options
  const place = placeOf(container)
  const address = addressOf(verificationUrl)
  if (address === undefined) {
    throw new TypeError("doorlock.mount: verificationUrl must be an http or https URL")
  }
  const sessionId = /\/kyc\/session\/([^/]+)/.exec(address.pathname)?.[1] ?? ""
  address.searchParams.set("embedOrigin", location.origin)
  const frame = makeFrame(address, title)

  const hand = (event: EmbedEvent) => {
    onEvent?.(event)
    // The compiler cannot follow that the type selects the handler.
    const handler = on[event.type] as ((event: EmbedEvent) => void) | undefined
    handler?.(event)
  }

  // Each load of the page comes with a report that it is ready, before or after.
  const giveUp = () => hand(message(sessionId, { type: "error", code: "NOT_READY" }))
  let timer = after(embedTimes.ready, giveUp)
  let expects: "both" | "load" | "ready" = "both"
  const note = (happened: "load" | "ready") => {
    timer.cancel()
    if (expects === happened) expects = "both"
    else {
      expects = happened === "load" ? "ready" : "load"
      if (expects === "ready") timer = after(embedTimes.readyAfterLoad, giveUp)
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
    unmount: () => {
      timer.cancel()
      removeEventListener("message", hear)
      frame.onload = null
      frame.remove()
    }
  }
}

const properties = ["verificationUrl", "frameTitle"] as const

/** `mount` as an element: the frame is there while the element is on the page and has a `verification-url`. */
class Verification extends HTMLElement implements VerificationElement {
  static readonly observedAttributes = ["verification-url", "frame-title"]
  #connected = false
  #mounted: ReturnType<typeof mount> | undefined

  get verificationUrl() {
    return this.getAttribute("verification-url") ?? ""
  }
  set verificationUrl(value: string) {
    this.setAttribute("verification-url", value)
  }
  get frameTitle() {
    return this.getAttribute("frame-title") ?? defaultTitle
  }
  set frameTitle(value: string) {
    this.setAttribute("frame-title", value)
  }

  connectedCallback() {
    this.#connected = true
    // Properties that were set before this script was loaded hide those of this class.
    for (const name of properties) {
      if (!Object.hasOwn(this, name)) continue
      const value = this[name]
      Reflect.deleteProperty(this, name)
      this[name] = value
    }
    if (getComputedStyle(this).display === "inline") this.style.display = "block"
    if (this.#mounted === undefined) this.#mount()
  }

  disconnectedCallback() {
    this.#connected = false
    this.#unmount()
  }

  /** An element that is already on the page gets its attributes before `connectedCallback`. */
  attributeChangedCallback(name: string, before: string | null, now: string | null) {
    if (!this.#connected || before === now) return
    if (name === "verification-url") this.#mount()
    else this.querySelector("iframe")?.setAttribute("title", this.frameTitle)
  }

  #mount() {
    this.#unmount()
    const { verificationUrl } = this
    if (verificationUrl === "") return
    const onEvent = (event: EmbedEvent) => {
      const name: `doorlock-${EmbedEventType}` = `doorlock-${event.type}`
      this.dispatchEvent(new CustomEvent(name, { detail: event }))
    }
    if (addressOf(verificationUrl) === undefined) {
      // Later: the page may be about to add its listeners.
      const timer = after(0, () => onEvent(message("", { type: "error", code: "INVALID_URL" })))
      this.#mounted = { unmount: timer.cancel }
      return
    }
    this.#mounted = mount(this, { verificationUrl, title: this.frameTitle, onEvent })
  }

  #unmount() {
    this.#mounted?.unmount()
    this.#mounted = undefined
  }
}

Object.assign(window, { doorlock: Object.freeze({ mount } satisfies Embed) })
// A page may load this script twice.
if (customElements.get("doorlock-verification") === undefined) {
  customElements.define("doorlock-verification", Verification)
}
