/** Decisions in the dashboard when something goes wrong or somebody changes their mind. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page, Route } from "playwright-core"
import {
  goTo,
  looksRight,
  openedDashboard,
  passDecisions,
  slowDecisions
} from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  act,
  arrived,
  expectNothingWrong,
  hasFocus,
  heading,
  holding,
  press
} from "../support/browser/visit.ts"
import { join, text } from "../support/client.ts"
import { upload } from "../support/kyc/files.ts"
import { noise } from "../support/kyc/pictures.ts"
import { reviewingCompany, reviewsAs, waitingSession } from "../support/kyc/reviews.ts"
import { TestServer } from "../support/server.ts"

const canDecide = (page: Page) => page.getByRole("button", { name: "Decline", exact: true }).waitFor()

/** A company with this many sessions that wait, in their order, and a reviewer with the page at the path open. */
const reviewing = (count: number, path = "/dashboard/reviews") =>
  Effect.gen(function* () {
    const company = yield* reviewingCompany(yield* TestServer)
    const sessions = []
    for (let number = 1; number <= count; number++) {
      sessions.push(yield* waitingSession(company, { externalReference: `customer-${number}` }))
    }
    const opened = yield* openedDashboard(path, { owner: company.member, role: "reviewer" })
    yield* act(() => slowDecisions(opened.page))
    return { company, sessions, ...opened }
  })

/** Answers POST requests to the path with this status, until it is undefined. */
const refusing = async (page: Page, path: RegExp) => {
  const answer: { status: number | undefined } = { status: undefined }
  await page.route(path, (route) =>
    answer.status === undefined || route.request().method() !== "POST"
      ? route.fallback()
      : route.fulfill({ status: answer.status, json: { error: "Out of order" } })
  )
  return answer
}

const atCase = (page: Page, name: string) =>
  Effect.zipRight(
    act(() => page.getByRole("heading", { level: 1, name, exact: true }).waitFor()),
    act(() => canDecide(page))
  )

const typed = (page: Page, ...keys: ReadonlyArray<string>) =>
  Effect.forEach(keys, (key) => act(() => page.keyboard.press(key)))

inBrowser(TestServer.layer)("deciding in the dashboard", (test) => {
  test("what failed and what was not passed on stays, is asked about at sign-out, and is not the next user's", () =>
    Effect.gen(function* () {
      const { company, page, visit } = yield* reviewing(3)
      const next = yield* join(company.server, company.member, "reviewer")
      yield* act(() => visit.context.grantPermissions(["clipboard-write"]))
      const server = yield* act(() => refusing(page, /\/api\/kyc\/sessions\/[^/]+\/review$/))
      const made = page.getByRole("region", { name: "Your last decisions" })
      server.status = 500
      yield* act(() => page.getByRole("link", { name: "customer-1", exact: true }).waitFor())
      yield* typed(page, "s")
      yield* atCase(page, "customer-1")
      yield* typed(page, "d", "1", "Enter")
      yield* atCase(page, "customer-2")
      yield* act(() => passDecisions(page))
      yield* act(() => made.getByText("“Decline” was not saved. Out of order.").waitFor())
      yield* act(() => press(made, "Try again customer-1"))
      yield* act(() => made.getByText("“Decline” was not saved. Out of order.").waitFor())

      server.status = undefined
      yield* typed(page, "r", "w", "Enter")
      yield* atCase(page, "customer-3")
      yield* act(() => made.getByRole("button", { name: "Undo customer-2" }).waitFor())
      yield* act(() => passDecisions(page))
      // The link is shown on request.
      yield* act(() => made.getByRole("button", { name: "Links to send (1)" }).waitFor())
      yield* typed(page, "l")
      yield* act(() => made.getByRole("button", { name: "Copy link for customer-2" }).waitFor())
      yield* looksRight(visit, "customer-3")

      yield* act(() => press(page, "Sign out"))
      const question = page.getByRole("dialog", { name: "Sign out anyway?" })
      yield* act(() => question.getByText("customer-1: “Decline” was not saved").waitFor())
      yield* act(() => question.getByText("customer-2: You have not copied the link").waitFor())
      yield* looksRight(visit, "customer-3")
      yield* act(() => press(question, "Stay"))
      yield* act(() => press(made, "Copy link for customer-2"))
      yield* act(() => made.getByText("Copied").waitFor())
      yield* act(() => press(page, "Sign out"))
      yield* act(() => expect.poll(() => question.getByRole("listitem").count()).toBe(1))
      yield* act(() => press(question, "Sign out"))
      yield* act(() => heading(page, "Sign in"))
      yield* act(() => page.getByLabel("Email").fill(next.email))
      yield* act(() => page.getByLabel("Password").fill(next.password))
      yield* act(() => press(page, "Sign in"))
      yield* act(() => heading(page, "Reviews"))
      // That of the failed decision is released, and that of the review that was open.
      for (const name of ["customer-1", "customer-3"]) {
        yield* act(() => page.getByRole("row", { name: new RegExp(`^${name} .*Nobody`) }).waitFor())
      }
      yield* act(() => expect.poll(() => made.count()).toBe(0))
      expectNothingWrong(visit)
    }))

  test("a photo that cannot be loaded is said among the checks, and an approval without it is asked about", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany(yield* TestServer)
      const session = yield* company.newSession({ externalReference: "customer-1" })
      const files: Array<string> = []
      for (const photo of [noise(60, 40), noise(40, 60)]) {
        files.push(text((yield* upload(company.server, session, photo)).body, "file", "id"))
      }
      yield* company.progress(session, {
        progress: {
          s_document: {
            type: "id_card",
            files: files.map((id, index) => ({
              id,
              side: index === 0 ? "front" : "back",
              document: "id_card"
            }))
          }
        }
      })
      yield* company.complete(session)
      const { page, visit } = yield* openedDashboard("/dashboard/reviews", {
        owner: company.member,
        role: "reviewer"
      })
      yield* act(() => slowDecisions(page))
      /** What is sent instead of a photo. */
      const sent = new Map<string, Parameters<Route["fulfill"]>[0]>([
        [files[0] ?? "", { status: 500, json: { error: "Failed to read file" } }],
        [files[1] ?? "", { contentType: "image/png", body: "no picture" }]
      ])
      yield* act(() =>
        page.route(/\/files\/[^/]+$/, (route) => {
          const instead = sent.get(route.request().url().split("/").at(-1) ?? "")
          return instead === undefined ? route.fallback() : route.fulfill(instead)
        })
      )
      yield* act(() => page.getByRole("link", { name: "customer-1", exact: true }).click())
      yield* atCase(page, "customer-1")
      const checks = page.getByRole("region", { name: "Checks" })
      const isSaid = (photos: string) =>
        act(() => checks.getByText(`Red flag: Could not be loaded: ${photos}`, { exact: true }).waitFor())
      yield* isSaid("Front of identity card, Back of identity card")
      yield* act(() =>
        page
          .getByText("Front of identity card could not be loaded. Failed to read file", { exact: true })
          .waitFor()
      )
      yield* looksRight(visit, "customer-1")

      sent.clear()
      yield* act(() => page.getByRole("button", { name: "Try again" }).first().click())
      yield* isSaid("Back of identity card")
      yield* typed(page, "a")
      const question = page.getByRole("dialog", { name: "Approve without seeing every photo?" })
      yield* act(() => question.getByText("Could not be loaded: Back of identity card").waitFor())
      yield* looksRight(visit, "customer-1")
      yield* act(() => press(question, "Cancel"))
      // Other decisions need no photo.
      yield* typed(page, "d")
      yield* act(() => page.getByRole("region", { name: "Decline" }).waitFor())
      yield* typed(page, "Escape")
      yield* act(() => press(page, "Approve"))
      yield* act(() => press(question, "Approve"))
      yield* act(() => page.getByRole("button", { name: "Undo customer-1" }).waitFor())
      expectNothingWrong(visit)
    }))

  test("undo right after a decision stays on the review; a typed note goes with the decision", () =>
    Effect.gen(function* () {
      const { company, member, page, sessions, visit } = yield* reviewing(
        3,
        "/dashboard/reviews?status=pending"
      )
      const note = page.getByRole("textbox", { name: "New note" })
      const isFiltered = () => expect.poll(() => new URL(page.url()).search).toBe("?status=pending")
      yield* act(() => page.getByRole("link", { name: "customer-2", exact: true }).click())
      yield* atCase(page, "customer-2")
      yield* act(() => arrived(page, "customer-2"))
      yield* act(() => note.fill("Looks odd"))
      yield* act(() => page.getByRole("heading", { level: 1 }).focus())

      const goOn = yield* act(() => holding(page, /\/api\/kyc\/reviews\?/))
      yield* typed(page, "d", "1", "Enter")
      yield* act(() => page.getByRole("button", { name: "Undo customer-2" }).waitFor())
      yield* typed(page, "u")
      yield* act(() => expect.poll(() => page.getByRole("checkbox", { checked: true }).count()).toBe(1))
      goOn()
      yield* act(() => hasFocus(page.getByRole("region", { name: "Decline" })))
      yield* typed(page, "Escape")
      yield* act(() => hasFocus(page.getByRole("button", { name: "Decline", exact: true })))
      // Another decision than the one that was taken back. The next review is the one behind, not the longest waiting.
      yield* typed(page, "r", "w", "Enter")
      yield* atCase(page, "customer-3")
      yield* act(isFiltered)

      // From any other page, too.
      yield* goTo(visit, "Sessions")
      yield* typed(page, "u")
      yield* act(() => heading(page, "customer-2"))
      yield* act(isFiltered)
      yield* act(() => page.getByRole("checkbox", { name: "Document", exact: true, checked: true }).waitFor())
      yield* typed(page, "Escape")
      yield* act(() => expect.poll(() => note.inputValue()).toBe("Looks odd"))
      yield* typed(page, "a")
      yield* atCase(page, "customer-3")
      // At the end of the queue, from its beginning.
      yield* typed(page, "s")
      yield* atCase(page, "customer-1")
      yield* act(() => passDecisions(page))
      const [, second = { id: "" }] = sessions
      const { ask, read } = reviewsAs(company.server, member)
      yield* act(() =>
        expect
          .poll(async () => Effect.runPromise(read(second)))
          .toMatchObject({ body: { review: { decision: "approved" } } })
      )
      const { body } = yield* ask("GET", `/api/kyc/sessions/${second.id}/notes`)
      expect(body).toMatchObject({ notes: [{ text: "Looks odd" }] })
      expectNothingWrong(visit)
    }))
})
