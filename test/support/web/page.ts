/** What a page's scripts find in a browser, for tests of their logic without one: events, storage, answers, and a clock that stands. */
import { createElement, type FunctionComponent, options, render } from "preact"
import { afterEach, beforeEach, vi } from "vitest"

/** One for the process: some modules listen from when they are loaded, and the files of a process share them. */
const events = new EventTarget()
const shown = Object.assign(new EventTarget(), { hidden: false, visibilityState: "visible" })

/** Texts by name, as `localStorage` has them. */
const storage = (): Storage => {
  const texts: Record<string, string> = {}
  const methods = {
    getItem: (name: string) => texts[name] ?? null,
    setItem: (name: string, text: string) => {
      texts[name] = text
    },
    removeItem: (name: string) => {
      delete texts[name]
    },
    clear: () => {
      for (const name of Object.keys(texts)) delete texts[name]
    }
  }
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(texts, name, { value })
  return texts as unknown as Storage
}

const stub = (): void => {
  const window = {
    addEventListener: events.addEventListener.bind(events),
    removeEventListener: events.removeEventListener.bind(events),
    document: Object.assign(shown, {
      querySelector: (selector: string) => {
        const [, name = ""] = /^meta\[name="kyc:(.*)"\]$/.exec(selector) ?? []
        return name === "" ? null : { content: name }
      }
    }),
    history: { state: null, replaceState: (state: unknown) => Object.assign(history, { state }) },
    location: new URL("https://doorlock.example/dashboard"),
    localStorage: storage(),
    sessionStorage: storage(),
    isSecureContext: true
  }
  for (const [name, value] of Object.entries(window)) vi.stubGlobal(name, value)
  const self = {}
  vi.stubGlobal("window", Object.assign(self, { parent: self }))
}

/** Modules that read the address as they are loaded need it from then on: import them after this call. */
export const withoutBrowser = (): void => {
  stub()
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] })
    stub()
    Object.assign(shown, { hidden: false, visibilityState: "visible" })
    // What hooks do after a paint.
    options.requestAnimationFrame = queueMicrotask
  })
  afterEach(async () => {
    for (const unmount of mounted.splice(0)) unmount()
    await settles()
    delete options.requestAnimationFrame
    vi.useRealTimers()
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
  })
}

/** Something happens to the page, such as that it is `online` again. Returns the event. */
export const happens = (type: string): Event => {
  const event = new Event(type, { cancelable: true })
  events.dispatchEvent(event)
  return event
}

/** The tab is hidden, or shown again. */
export const seen = (visibilityState: "hidden" | "visible"): void => {
  Object.assign(shown, { visibilityState, hidden: visibilityState === "hidden" })
  shown.dispatchEvent(new Event("visibilitychange"))
}

/** So many milliseconds pass, and what follows at once happens. */
export const passes = (millis: number) => vi.advanceTimersByTimeAsync(millis)

/** Everything that needs no time happens. */
export const settles = () => passes(0)

const mounted: Array<() => void> = []

/** Uses a hook as a component does. `frame` is around the component, such as a context. */
export const used = async <A>(hook: () => A, frame: FunctionComponent = ({ children }) => children) => {
  let last: A | undefined
  const Part = () => {
    last = hook()
    return null
  }
  // Of an element, Preact needs no more if nothing is drawn.
  const root = { childNodes: [], firstChild: null } as unknown as Element
  const draw = () => render(createElement(frame, {}, createElement(Part, {})), root)
  const unmount = () => render(null, root)
  draw()
  mounted.push(unmount)
  await settles()
  return {
    /** What the hook returned last. */
    get now(): A {
      return last as A
    },
    /** The component is drawn again, for example because what it got has changed. */
    again: async () => {
      draw()
      await settles()
    },
    unmount
  }
}

interface Asked {
  /** Such as `POST /api/api-keys`; without the query. */
  readonly what: string
  readonly query: URLSearchParams
  readonly body: Record<string, unknown>
  readonly keepalive: boolean
}

/** A failure as the service answers it. */
export const refusal = (status: number, error = "Out of order", headers: Record<string, string> = {}) =>
  Response.json({ error }, { status, headers })

/** Answers the page's requests instead of a server. Those without an answer meet no server. Returns what was asked, in order. */
export const answering = (answer: (asked: Asked) => unknown): ReadonlyArray<Asked> => {
  const all: Array<Asked> = []
  vi.stubGlobal("fetch", async (address: string, init: RequestInit = {}) => {
    const { pathname, searchParams } = new URL(address, "https://doorlock.example")
    const one = {
      what: `${init.method ?? "GET"} ${pathname}`,
      query: searchParams,
      body: typeof init.body === "string" ? JSON.parse(init.body) : {},
      keepalive: init.keepalive === true
    }
    all.push(one)
    const found = await answer(one)
    if (found === undefined) throw new TypeError("Failed to fetch")
    return found instanceof Response ? found : Response.json(found)
  })
  return all
}
