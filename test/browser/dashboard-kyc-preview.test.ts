/** The preview beside the editor: what is being edited as the end user would see it, and nothing of it leaves the browser. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Frame, Page } from "playwright-core"
import { serious } from "../support/browser/axe.ts"
import { looksRight, openedDashboard, phone } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { consent, number, passport, photograph, stepsOf } from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, hasFocus, heading, press } from "../support/browser/visit.ts"
import { createInstance, field, send, signUp } from "../support/client.ts"
import { samples } from "../support/kyc/files.ts"
import { TestServer } from "../support/server.ts"

const wide = { viewport: { width: 1440, height: 900 } }

const frameIn = async (page: Page): Promise<Frame> => {
  const element = await page.locator("iframe").elementHandle()
  const frame = await element?.contentFrame()
  if (frame === null || frame === undefined) throw new Error("There is no preview")
  return frame
}

inBrowser(TestServer.layer)("the preview in the dashboard", (test) => {
  test("can be completed, and requests only the page's own files", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const owner = yield* signUp(server)
      const config = { captcha: { required: true }, redirect: { successUrl: "https://partner.test/welcome" } }
      const { id } = yield* createInstance(server, owner, {
        config,
        workflow: stepsOf("consent", "captcha", "doc", "poa", "review")
      })
      const { page, visit } = yield* openedDashboard(`/dashboard/instances/${id}/edit`, {
        owner,
        browser: wide
      })
      yield* looksRight(visit, "Page and steps")
      const preview = yield* act(() => frameIn(page))
      yield* act(() => heading(preview, "Before we begin"))
      const asked: Array<string> = []
      page.on("request", (request) => {
        const { pathname, protocol } = new URL(request.url())
        if (request.frame() === preview && protocol.startsWith("http"))
          asked.push(`${request.method()} ${pathname}`)
      })
      yield* act(() => preview.getByText("Nothing is sent or saved.").waitFor())
      yield* act(() => expect.poll(() => serious(preview)).toEqual([]))
      yield* act(() => consent(preview))
      yield* act(() => passport(preview, number()))
      yield* act(() => photograph(preview))
      yield* act(() => press(preview, "Continue"))
      yield* act(() =>
        preview.getByLabel("Choose a file").setInputFiles({
          name: "bill.pdf",
          mimeType: "application/pdf",
          buffer: samples.pdf
        })
      )
      yield* act(() => preview.getByText("Received").first().waitFor())
      yield* act(() => press(preview, "Continue"))
      yield* act(() => heading(preview, "Check and send"))
      yield* act(() => press(preview, "Send"))
      yield* act(() => heading(preview, "All done"))
      // Nobody is sent away, and nobody is asked to go.
      yield* act(() => expect.poll(() => preview.getByText("partner.test").count()).toBe(0))
      expect(asked.filter((request) => !request.startsWith("GET /kyc/assets/"))).toEqual([])
      const { body } = yield* send(server, "GET", "/api/kyc/sessions", { headers: { cookie: owner.cookie } })
      expect(field(body, "sessions")).toEqual([])

      expect(visit.seen.changing).toEqual([])
      expectNothingWrong(visit)
    }))

  test("shows unsaved changes and the step that is being edited", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const owner = yield* signUp(server)
      const { id } = yield* createInstance(server, owner)
      const { page, visit } = yield* openedDashboard(`/dashboard/instances/${id}/edit`, {
        owner,
        browser: wide
      })
      const preview = yield* act(() => frameIn(page))
      yield* act(() => heading(preview, "Before we begin"))
      yield* act(() => page.getByLabel("Title", { exact: true }).fill("Check in"))
      yield* act(() => preview.getByText("Check in", { exact: true }).waitFor())
      // Whoever types keeps the focus.
      const focused = page.getByLabel("Title", { exact: true })
      yield* act(() => hasFocus(focused))
      yield* act(() => page.getByLabel("Colour", { exact: true }).fill("#7a1fd8"))
      const agree = preview.getByRole("button", { name: "Agree and continue" })
      yield* act(() =>
        expect
          .poll(() => agree.evaluate((button) => getComputedStyle(button).backgroundColor))
          .toBe("rgb(122, 31, 216)")
      )
      yield* act(() => press(page, "Start from the default steps"))
      yield* act(() => page.locator("summary", { hasText: "person" }).click())
      yield* act(() => heading(preview, "About you"))
      yield* act(() => page.getByLabel("Heading").nth(2).fill("Who are you?"))
      yield* act(() => heading(preview, "Who are you?"))
      expect(visit.seen.changing).toEqual([])
      expectNothingWrong(visit)
    }))

  test("covers the page on a phone, and closes with Escape", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const owner = yield* signUp(server)
      const { id } = yield* createInstance(server, owner)
      const { page, visit } = yield* openedDashboard(`/dashboard/instances/${id}/edit`, {
        owner,
        browser: phone
      })
      yield* looksRight(visit, "Page and steps")
      yield* act(() => page.getByLabel("Title", { exact: true }).fill("Check in"))
      yield* act(() => expect.poll(() => page.locator("iframe").isVisible()).toBe(false))
      yield* act(() => press(page, "Show the preview"))
      const preview = yield* act(() => frameIn(page))
      yield* act(() => preview.getByText("Check in", { exact: true }).waitFor())
      yield* looksRight(visit, "Page and steps")
      // What it covers is out of reach.
      for (let presses = 0; presses < 3; presses++) {
        yield* act(() => page.keyboard.press("Shift+Tab"))
        const covered = () => page.evaluate(() => document.activeElement?.closest("form, header, h1") ?? null)
        yield* act(() => expect.poll(covered).toBe(null))
      }
      yield* act(() => page.getByRole("button", { name: "Close the preview" }).focus())
      yield* act(() => page.keyboard.press("Escape"))
      yield* act(() => page.locator("iframe").waitFor({ state: "hidden" }))
      yield* act(() => page.getByLabel("Title", { exact: true }).focus())
      yield* act(() => hasFocus(page.getByLabel("Title", { exact: true })))
      yield* act(() =>
        expect.poll(() => page.getByLabel("Title", { exact: true }).inputValue()).toBe("Check in")
      )
      expectNothingWrong(visit)
    }))
})
