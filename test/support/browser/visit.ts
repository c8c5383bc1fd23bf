/** A browser on one of the service's pages. Also watches for what no page may do. */

import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core"
import type { RunningServer } from "../server.ts"
import { browser } from "./chromium.ts"
import { pagePatience } from "./patience.ts"

/** Events on a page, recorded as they happen. */
export interface Seen {
  readonly foreign: Array<string>
  readonly violations: Array<string>
  /** All requests other than GET. */
  readonly changing: Array<string>
  readonly errors: Array<string>
}

export const nothingWrong = { foreign: [], violations: [], errors: [] }

/** The events that must not occur in any run. */
export const wrongs = ({ errors, foreign, violations }: Seen) => ({ errors, foreign, violations })

const watch = (context: BrowserContext, origin: string): Seen => {
  const seen: Seen = { foreign: [], violations: [], changing: [], errors: [] }
  context.on("request", (request) => {
    const { origin: target, pathname, protocol } = new URL(request.url())
    if (protocol.startsWith("http") && target !== origin) seen.foreign.push(request.url())
    if (request.method() !== "GET") seen.changing.push(`${request.method()} ${pathname}`)
  })
  context.on("console", (message) => {
    if (/Content Security Policy|TrustedScript|Trusted Type/i.test(message.text())) {
      seen.violations.push(message.text())
    }
  })
  context.on("weberror", (error) => seen.errors.push(String(error.error())))
  return seen
}

/** A browser, a page in it, and the recorded events. */
export interface Visit {
  readonly context: BrowserContext
  readonly page: Page
  readonly seen: Seen
  readonly origin: string
}

/**
 * A browser to visit a server's pages with.
 *
 * @param options `film`: what its camera shows
 * @param host another name for the server
 */
export const visitor = (
  { server }: { readonly server: Pick<RunningServer, "url"> },
  { film, ...options }: BrowserContextOptions & { readonly film?: string } = {},
  host = "127.0.0.1"
) =>
  Effect.gen(function* () {
    const origin = server.url.replace("127.0.0.1", host)
    const context = yield* browser(
      {
        locale: "en-GB",
        viewport: { width: 390, height: 844 },
        // In the middle of a colour transition, contrast is meaningless.
        reducedMotion: "reduce",
        ...options
      },
      film
    )
    context.setDefaultTimeout(pagePatience)
    const seen = watch(context, origin)
    const page = yield* Effect.promise(() => context.newPage())
    return { context, page, seen, origin } satisfies Visit
  })

/** Waits for something in the page. If it never happens, the test fails. */
export const act = <A>(action: () => Promise<A>): Effect.Effect<A> => Effect.promise(action)

/** A page, or a frame in one. */
export type Shown = Pick<Page, "getByLabel" | "getByRole" | "getByText" | "locator">

export const heading = (page: Shown, name: string | RegExp) =>
  page.getByRole("heading", { level: 1, name }).waitFor()

/** Like `heading`, and the heading has the focus, so Tab continues from there. */
export const arrived = (page: Shown, name: string) =>
  page.locator("h1:focus").filter({ hasText: name }).waitFor()

/** Waits until the element has the focus. */
export const hasFocus = (element: Locator) =>
  expect.poll(() => element.evaluate((it) => it === document.activeElement)).toBe(true)

/** Presses Tab until an element with that name has the focus. */
export const tabTo = async (page: Page, name: string, most = 25) => {
  for (let presses = 0; presses < most; presses++) {
    await page.keyboard.press("Tab")
    const focused = await page.evaluate(() => {
      const { activeElement: it } = document
      // A fieldset can have the focus too, and its text is everything inside it.
      if (it instanceof HTMLFieldSetElement) return ""
      const labelled = it instanceof HTMLInputElement || it instanceof HTMLSelectElement
      return (labelled ? it.labels?.[0] : it)?.textContent ?? ""
    })
    if (focused.includes(name)) return
  }
  throw new Error(`Tab never came to ${name}`)
}

/** Holds requests to the path until the returned function is called. */
export const holding = async (page: Page, path: RegExp) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    await promise
    await route.fallback()
  })
  return () => resolve()
}

export const press = (page: Shown, name: string | RegExp) => page.getByRole("button", { name }).click()

/** The page violated no policy, contacted no other origin and threw no uncaught error. */
export const expectNothingWrong = ({ seen }: Visit) => expect(wrongs(seen)).toEqual(nothingWrong)
