/** A browser at one of the service's pages, and an eye on what no page of it may do. */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core"
import type { RunningServer } from "../server.ts"
import { browser } from "./chromium.ts"

/** What a page did that it must not do, filled as it happens. */
export interface Seen {
  readonly foreign: Array<string>
  readonly violations: Array<string>
  /** Requests that change something. */
  readonly changing: Array<string>
  readonly errors: Array<string>
}

export const nothingWrong = { foreign: [], violations: [], errors: [] }

/** What is to be empty after every run. */
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

/** A browser, a page in it, and what is seen of both. */
export interface Visit {
  readonly context: BrowserContext
  readonly page: Page
  readonly seen: Seen
  readonly origin: string
}

/** Milliseconds to wait for what a page is to show. It bounds a hanging test and says nothing about how fast a page is. */
export const patience = 30_000

/**
 * A browser to visit a server's pages with.
 *
 * @param host another name for the server
 */
export const visitor = (
  { server }: { readonly server: Pick<RunningServer, "url"> },
  options: BrowserContextOptions = {},
  host = "127.0.0.1"
) =>
  Effect.gen(function* () {
    const origin = server.url.replace("127.0.0.1", host)
    const context = yield* browser({
      locale: "en-GB",
      viewport: { width: 390, height: 844 },
      // Half-way through a change of colours, a contrast is neither the one before nor the one after.
      reducedMotion: "reduce",
      ...options
    })
    context.setDefaultTimeout(patience)
    const seen = watch(context, origin)
    const page = yield* Effect.promise(() => context.newPage())
    return { context, page, seen, origin } satisfies Visit
  })

/** Waits for something in the page; what never happens fails the test by itself. */
export const act = <A>(action: () => Promise<A>): Effect.Effect<A> => Effect.promise(action)

/** A page, or a frame in one. */
export type Shown = Pick<Page, "getByLabel" | "getByRole" | "getByText" | "locator">

export const heading = (page: Shown, name: string | RegExp) =>
  page.getByRole("heading", { level: 1, name }).waitFor()

/** As `heading`, and the heading has the focus, from which Tab goes on. */
export const arrived = (page: Shown, name: string) =>
  page.locator("h1:focus").filter({ hasText: name }).waitFor()

/** Waits until something has the focus. */
export const hasFocus = (element: Locator) =>
  expect.poll(() => element.evaluate((it) => it === document.activeElement)).toBe(true)

/** Goes on with Tab until something of that name has the focus. */
export const tabTo = async (page: Page, name: string, most = 25) => {
  for (let presses = 0; presses < most; presses++) {
    await page.keyboard.press("Tab")
    const focused = await page.evaluate(() => {
      const { activeElement: it } = document
      // A box may have the focus, too, and has all that is in it for its text.
      if (it instanceof HTMLFieldSetElement) return ""
      const labelled = it instanceof HTMLInputElement || it instanceof HTMLSelectElement
      return (labelled ? it.labels?.[0] : it)?.textContent ?? ""
    })
    if (focused.includes(name)) return
  }
  throw new Error(`Tab never came to ${name}`)
}

/** Requests to the path wait until what this gives is called. */
export const holding = async (page: Page, path: RegExp) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    await promise
    await route.continue()
  })
  return () => resolve()
}

/** Requests to the path fail, with this status, until what this gives has none. */
export const failing = async (page: Page, path: RegExp, headers: Readonly<Record<string, string>> = {}) => {
  const answer: { status: number | undefined } = { status: 500 }
  await page.route(path, (route) =>
    answer.status === undefined
      ? route.continue()
      : route.fulfill({ status: answer.status, headers, json: { error: "no" } })
  )
  return answer
}

export const press = (page: Shown, name: string | RegExp) => page.getByRole("button", { name }).click()

/** Nothing that the policy forbids, no other origin, no uncaught error. */
export const expectNothingWrong = ({ seen }: Visit) => expect(wrongs(seen)).toEqual(nothingWrong)
