/** Reviews in the dashboard: the queue, the page on which a person decides, and what is sent when. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { looksRight, openedDashboard } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong, heading } from "../support/browser/visit.ts"
import { reviewing, reviewingCompany, waitingSession } from "../support/kyc/reviews.ts"
import { TestServer } from "../support/server.ts"

const names = Array.from({ length: 30 }, (_, index) => `customer-${index + 1}`)

/** What is decided on each session, and the keys for it: the third one asks for the document again. */
const ways = [
  { decision: "approved", keys: ["a"] },
  { decision: "declined", keys: ["d", "2", "Enter"] },
  { decision: "declined", keys: ["5", "Enter"] },
  { decision: "resubmission", keys: ["r", "w", "1", "Enter"] }
] as const

const wayOf = (index: number) => ways[index % ways.length] ?? ways[0]

const canDecide = (page: Page) => page.getByRole("button", { name: "Decline", exact: true }).waitFor()

inBrowser(TestServer.layer)("reviews in the dashboard", (test) => {
  test("thirty waiting sessions are worked through by keyboard alone", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany(yield* TestServer)
      const sessions = yield* Effect.forEach(names, (name) =>
        waitingSession(company, { externalReference: name })
      )
      const { member, page, visit } = yield* openedDashboard("/dashboard", {
        owner: company.member,
        role: "reviewer"
      })
      yield* looksRight(visit, "Reviews")
      yield* act(() =>
        expect
          .poll(() => page.getByRole("navigation").getByRole("link").allInnerTexts())
          .toEqual(["Reviews", "Sessions", "Your account"])
      )
      yield* act(() => page.clock.install())
      yield* act(() => page.reload())
      yield* act(() => page.getByRole("link", { name: "customer-1", exact: true }).waitFor())
      // Down, down and up again.
      for (const key of ["j", "ArrowDown", "k", "Enter"]) yield* act(() => page.keyboard.press(key))
      for (const [index, name] of names.entries()) {
        yield* act(() => page.getByRole("heading", { level: 1, name, exact: true }).waitFor())
        yield* act(() => canDecide(page))
        for (const key of wayOf(index).keys) yield* act(() => page.keyboard.press(key))
        if (index === 1) {
          // Taken back, with its reasons, and made again.
          yield* act(() => heading(page, "customer-3"))
          yield* act(() => page.keyboard.press("u"))
          yield* act(() => page.getByRole("heading", { level: 1, name, exact: true }).waitFor())
          yield* act(() => expect.poll(() => page.getByRole("checkbox", { checked: true }).count()).toBe(1))
          yield* act(() => page.keyboard.press("Enter"))
        }
      }
      yield* act(() => page.getByText("Nothing waits for a decision").waitFor())
      yield* act(() => page.clock.fastForward(10_000))
      const { read } = reviewing(company.server, member)
      for (const [index, session] of sessions.entries()) {
        const { decision } = wayOf(index)
        yield* act(() =>
          expect
            .poll(async () => Effect.runPromise(read(session)).then(({ body }) => body))
            .toMatchObject({ review: { decision } })
        )
      }
      yield* act(() => page.getByRole("button", { name: "Copy link for customer-28" }).waitFor())
      yield* looksRight(visit, "Reviews")
      expectNothingWrong(visit)
    }))
})
