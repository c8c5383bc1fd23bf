/** Pages of the dashboard that show changes by themselves: when they ask the server, and what they do without an answer. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { dashboardTimes } from "../../src/web/timing.ts"
import { looksRight, openedDashboard, phone } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong, failing, hasFocus, heading } from "../support/browser/visit.ts"
import { TestServer } from "../support/server.ts"

/** What the page did, in milliseconds of its own clock, which runs a hundred times as fast in pauses. */
interface Watched {
  readonly pauses: Array<number>
  /** Pauses that have neither ended nor been cut short. */
  readonly waiting: Array<number>
  /** Whether the tab was visible, for each request. */
  readonly asked: Array<string>
}

const [usual, longest] = [dashboardTimes.live, dashboardTimes.longestLive]

/** Between two calls; a longer timer is the limit of one call. */
const watch = `
  window.watched = { pauses: [], waiting: [], asked: [] }
  Math.random = () => 0.5
  const [wait, cut, ask] = [setTimeout, clearTimeout, fetch].map((known) => known.bind(window))
  const over = (timer) => { watched.waiting = watched.waiting.filter((one) => one !== timer) }
  window.setTimeout = (act, millis, ...given) => {
    if (!(millis >= ${usual} && millis <= ${1.25 * longest})) return wait(act, millis, ...given)
    watched.pauses.push(millis)
    const timer = wait(() => { over(timer); act() }, millis / 100)
    watched.waiting.push(timer)
    return timer
  }
  window.clearTimeout = (timer) => { over(timer); cut(timer) }
  window.fetch = (...given) => {
    watched.asked.push(document.visibilityState)
    return ask(...given)
  }`

/** A dashboard's list of endpoints, which asks for one thing. */
const watched = Effect.gen(function* () {
  const opened = yield* openedDashboard("/dashboard/account", { browser: phone })
  const { page, visit } = opened
  yield* act(() => page.addInitScript(watch))
  yield* act(() => page.goto(`${visit.origin}/dashboard/webhooks`))
  yield* act(() => page.getByText("No endpoints yet").waitFor())
  return { ...opened, read: () => page.evaluate<Watched>("watched") }
})

inBrowser(TestServer.layer)("a live page of the dashboard", (test) => {
  test("asks more and more rarely while the service does not answer, says so, and goes on when it does", () =>
    Effect.gen(function* () {
      const { page, read, visit } = yield* watched
      const add = page.getByRole("link", { name: "Add endpoint" }).last()
      yield* act(() => add.focus())
      const answer = yield* act(() => failing(page, /api\/webhook-endpoints/))
      const notice = page.getByRole("status").filter({ hasText: "doorlock is not responding" })
      yield* act(() => notice.waitFor())
      const grown = [2 * usual, 4 * usual, 8 * usual, 16 * usual, longest, longest]
      const pauses = async () => (await read()).pauses.filter((pause) => pause > usual)
      yield* act(() => expect.poll(async () => (await pauses()).slice(0, grown.length)).toEqual(grown))
      yield* looksRight(visit, "Webhooks")
      yield* act(() => page.getByText("No endpoints yet").waitFor())
      answer.status = undefined
      yield* act(() => notice.waitFor({ state: "detached" }))
      yield* act(() => expect.poll(async () => (await read()).pauses.at(-1)).toBe(usual))
      yield* act(() => hasFocus(add))
      expectNothingWrong(visit)
    }))

  test("asks nothing in a hidden tab, and at once when it is shown or online again", () =>
    Effect.gen(function* () {
      const { page, read, visit } = yield* watched
      const show = (state: string) =>
        act(() =>
          page.evaluate(
            `Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true })
            document.dispatchEvent(new Event("visibilitychange"))`
          )
        )
      yield* show("hidden")
      // The last pause is over, and no other began.
      const { asked: before } = yield* act(async () => {
        await expect.poll(async () => (await read()).waiting).toEqual([])
        await page.waitForLoadState("networkidle")
        return read()
      })
      yield* show("hidden")
      yield* show("visible")
      yield* act(() => expect.poll(async () => (await read()).asked.length).toBeGreaterThan(before.length))
      const { asked } = yield* act(read)
      expect(asked.slice(before.length)).not.toContain("hidden")
      expect(asked).not.toContain("hidden")

      // After an hour without an answer.
      const answer = yield* act(() => failing(page, /api\/webhook-endpoints/))
      yield* act(() => page.getByText("doorlock is not responding").waitFor())
      yield* act(() => expect.poll(async () => (await read()).pauses.at(-1)).toBe(longest))
      answer.status = undefined
      yield* act(() => page.evaluate("dispatchEvent(new Event('online'))"))
      yield* act(() => page.getByText("doorlock is not responding").waitFor({ state: "detached" }))
      yield* act(() => heading(page, "Webhooks"))
      expectNothingWrong(visit)
    }))
})
