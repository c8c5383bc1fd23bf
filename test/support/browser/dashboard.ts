/** The dashboard in a browser with a signed-in user. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { dashboardTimes } from "../../../src/web/timing.ts"
import { join, type Member, signUp } from "../client.ts"
import { TestServer } from "../server.ts"
import { serious } from "./axe.ts"
import { act, heading, type Visit, visitor } from "./visit.ts"

/** Wide enough that the navigation stands beside the page. */
export const desktop = { viewport: { width: 1280, height: 800 } }

export const phone = { viewport: { width: 390, height: 844 } }

/** Puts a member's session into a browser, as a sign-in does. */
export const signInAs = ({ context, origin }: Visit, { cookie }: Pick<Member, "cookie">) => {
  const [name = "", value = ""] = cookie.split("=", 2)
  return act(() => context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: "Lax" }]))
}

interface Opening {
  readonly browser?: Parameters<typeof visitor>[1]
  /** The signed-in user; by default the owner of a new company. */
  readonly role?: "owner" | "member" | "reviewer" | "viewer"
  /** The company to join; by default a new one. */
  readonly owner?: Member
}

/** A browser with the dashboard open at a path, and its signed-in user. */
export const openedDashboard = (path: string, { browser = desktop, owner, role = "owner" }: Opening = {}) =>
  Effect.gen(function* () {
    const server = yield* TestServer
    const founder = owner ?? (yield* signUp(server))
    const member = role === "owner" ? founder : yield* join(server, founder, role)
    const visit = yield* visitor({ server }, browser)
    yield* signInAs(visit, member)
    yield* act(() => visit.page.goto(visit.origin + path))
    return { server, owner: founder, member, visit, page: visit.page }
  })

/** Goes to another page through the navigation. */
export const goTo = ({ page }: Pick<Visit, "page">, label: string) =>
  act(async () => {
    await page.getByRole("navigation").getByRole("link", { name: label, exact: true }).click()
    await heading(page, label)
  })

/** Milliseconds for which `slowDecisions` lets a decision on a review be undone: longer than a test takes. */
const slow = 900_000

/**
 * Loads the page again with a clock that a test can move. Decisions on reviews are sent after a quarter of an hour instead of ten seconds, so
 * that a slow machine can undo them, too.
 */
export const slowDecisions = async (page: Page) => {
  await page.clock.install()
  await page.addInitScript(
    ({ slow, undo }) => {
      const wait = window.setTimeout.bind(window)
      Object.assign(window, {
        setTimeout: (act: () => void, delay?: number, ...given: ReadonlyArray<unknown>) =>
          wait(act, delay === undo ? slow : delay, ...given)
      })
    },
    { slow, undo: dashboardTimes.undoDecision }
  )
  await page.reload()
}

/** As if the time had passed in which decisions can be undone: they are sent. */
export const passDecisions = (page: Page) => page.clock.fastForward(slow)

/** The page is shown, the tab has its title, and axe finds nothing serious. */
export const looksRight = ({ page }: Pick<Visit, "page">, title: string) =>
  Effect.gen(function* () {
    yield* act(() => heading(page, title))
    yield* act(() => expect.poll(() => page.getByText("Loading…").count()).toBe(0))
    yield* act(() => expect.poll(() => page.title()).toBe(`${title} · doorlock`))
    yield* act(() => expect.poll(() => serious(page), { message: title }).toEqual([]))
    // Nothing overflows horizontally.
    const overflow = () => page.evaluate("document.documentElement.scrollWidth - innerWidth")
    yield* act(() => expect.poll(overflow, { message: title }).toBe(0))
  })
