/** The dashboard in a browser: somebody who is signed in, and an eye on what no page may do. */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join, type Member, signUp } from "../client.ts"
import { TestServer } from "../server.ts"
import { serious } from "./axe.ts"
import { act, heading, type Visit, visitor } from "./visit.ts"

/** Large enough for the navigation to stand beside the page. */
export const desktop = { viewport: { width: 1280, height: 800 } }

export const phone = { viewport: { width: 390, height: 844 } }

/** Puts the session of a member into a browser, as signing in does. */
export const signInAs = ({ context, origin }: Visit, { cookie }: Pick<Member, "cookie">) => {
  const [name = "", value = ""] = cookie.split("=", 2)
  return act(() => context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: "Lax" }]))
}

interface Opening {
  readonly browser?: Parameters<typeof visitor>[1]
  /** Whose browser it is; a new company's owner by default. */
  readonly role?: "owner" | "member" | "viewer"
  /** The company to be a member of; one of its own by default. */
  readonly owner?: Member
}

/** A browser with the dashboard open at a path, and who is signed in there. */
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

/** Goes to another page by the navigation. */
export const goTo = ({ page }: Pick<Visit, "page">, label: string) =>
  act(async () => {
    await page.getByRole("navigation").getByRole("link", { name: label, exact: true }).click()
    await heading(page, label)
  })

/** The page has come, says so in the tab, and axe has nothing serious against it. */
export const looksRight = ({ page }: Pick<Visit, "page">, title: string) =>
  Effect.gen(function* () {
    yield* act(() => heading(page, title))
    yield* act(() => expect.poll(() => page.getByText("Loading…").count()).toBe(0))
    yield* act(() => expect.poll(() => page.title()).toBe(`${title} · doorlock`))
    yield* act(() => expect.poll(() => serious(page), { message: title }).toEqual([]))
    // Nothing stands out to the side.
    const overflow = () => page.evaluate("document.documentElement.scrollWidth - innerWidth")
    yield* act(() => expect.poll(overflow, { message: title }).toBe(0))
  })
