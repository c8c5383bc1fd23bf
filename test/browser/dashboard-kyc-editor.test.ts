/** Editing an instance: an error appears at its field, and no input is lost. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { desktop, looksRight, openedDashboard, phone } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong, hasFocus, heading, press } from "../support/browser/visit.ts"
import { createInstance, field, type Member, send, signUp } from "../support/client.ts"
import { type RunningServer, TestServer } from "../support/server.ts"

interface Opening {
  readonly browser?: typeof desktop
  readonly config?: object
  readonly workflow?: object
}

const editing = ({ browser = desktop, config = {}, workflow = {} }: Opening = {}) =>
  Effect.gen(function* () {
    const server = yield* TestServer
    const owner = yield* signUp(server)
    const { id } = yield* createInstance(server, owner, { config, workflow })
    const path = `/dashboard/instances/${id}/edit`
    const opened = yield* openedDashboard(path, { owner, browser })
    yield* looksRight(opened.visit, "Page and steps")
    return { ...opened, id, stored: stored(server, owner, id) }
  })

/** The stored instance, from the API. */
const stored = (server: RunningServer, { cookie }: Member, id: string) =>
  Effect.map(send(server, "GET", `/api/kyc/instances/${id}`, { headers: { cookie } }), ({ body }) => ({
    config: field(body, "instance", "config"),
    workflow: field(body, "instance", "workflow")
  }))

const unfold = (page: Page, title: string) => page.locator("summary", { hasText: title }).click()

const photoChecks = (page: Page) => page.getByLabel("Check the photos of completed sessions")

const saved = (page: Page) => page.getByText("Saved. New sessions use these settings.").waitFor()

const fieldHasFocus = (page: Page, label: string) => hasFocus(page.getByLabel(label, { exact: true }))

inBrowser(TestServer.layer)("the instance editor", (test) => {
  test("the form edits the config and keeps fields that it does not know", () =>
    Effect.gen(function* () {
      const { page, stored, visit } = yield* editing({
        browser: phone,
        config: { ours: { a: [1, null] }, theme: { unknown: true } },
        workflow: { ours: 1 }
      })
      yield* act(async () => {
        await page.getByLabel("Title", { exact: true }).fill("Check in")
        await page.getByLabel("Texts in").selectOption("German")
        await page.getByLabel("Title (German)", { exact: true }).fill("Einchecken")
        await page.getByLabel("Colour", { exact: true }).fill("#7a1fd8")
        await page.getByLabel("Light or dark").selectOption("Dark")
        await unfold(page, "Languages")
        await page
          .getByRole("group", { name: "Languages that users can choose" })
          .getByLabel("Arabic")
          .uncheck()
        await unfold(page, "Photos and files")
        await page.getByLabel("Choose a file").uncheck()
        await page.getByLabel("Maximum file size in bytes").fill("1000000")
        await unfold(page, "Checks")
        await page.getByLabel("If one is found").selectOption("Warn")
        await page.getByLabel("Users can continue on a phone").uncheck()
        await unfold(page, "Decisions")
        await expect.poll(() => photoChecks(page).isChecked()).toBe(true)
        await page.getByLabel("Time zone for these checks").fill("Europe/Tallinn")
        await page.getByLabel("After the end user has finished").selectOption("Manual review")
        await page.getByLabel("Two people decide").check()
        await press(page, "Add reason")
        await page.getByLabel("Code", { exact: true }).fill("blurred")
        await page.getByLabel("Text", { exact: true }).fill("The photo is blurred")
        await unfold(page, "Retention")
        await page.getByLabel("Days until the data of a finished session is destroyed").fill("90")
        await page.getByLabel("Days until the data of an unfinished session is destroyed").fill("14")
        await page.getByLabel("Days until photos and files are deleted").fill("30")
        await unfold(page, "After the verification")
        await page.getByLabel("Hosts for automatic redirects").fill("a.example\nb.example")
        await page.getByText("Not saved yet.").waitFor()
        await press(page, "Save")
        await saved(page)
      })
      expect(yield* stored).toEqual({
        config: {
          ours: { a: [1, null] },
          theme: { unknown: true, primary: "#7a1fd8", mode: "dark" },
          title: { en: "Check in", de: "Einchecken" },
          locales: ["en", "de", "fr", "es", "et"],
          capture: { sources: ["camera"], maxBytes: 1_000_000 },
          dedup: { onMatch: "warn" },
          handoff: { enabled: false },
          retention: { finishedDays: 90, unfinishedDays: 14, filesDays: 30 },
          redirect: { allowedHosts: ["a.example", "b.example"] },
          checks: { timeZone: "Europe/Tallinn" },
          review: {
            mode: "manual",
            fourEyes: true,
            reasons: [{ code: "blurred", text: "The photo is blurred" }]
          }
        },
        workflow: { ours: 1 }
      })
      yield* looksRight(visit, "Page and steps")
      expectNothingWrong(visit)
    }))

  test("an error from the API appears at its field, even in a collapsed section", () =>
    Effect.gen(function* () {
      const { page, stored, visit } = yield* editing()
      const refused = (label: string, message: string) =>
        act(async () => {
          await press(page, "Save")
          await page.getByText(message, { exact: true }).waitFor()
          await fieldHasFocus(page, label)
          await expect
            .poll(() => page.getByLabel(label, { exact: true }).getAttribute("aria-invalid"))
            .toBe("true")
        })
      yield* act(() => unfold(page, "Your company"))
      yield* act(() => page.getByLabel("Link to the terms").fill("example.com"))
      yield* act(() => unfold(page, "Your company"))
      yield* act(() => unfold(page, "After the verification"))
      yield* act(() => page.getByLabel("Hosts for automatic redirects").fill("ok.example\n-no-"))
      yield* act(() => page.getByLabel("Delay before a redirect in milliseconds").fill("soon"))
      yield* act(() => unfold(page, "After the verification"))
      yield* refused("Link to the terms", "Link to the terms must be an http or https URL")
      yield* looksRight(visit, "Page and steps")
      yield* act(() => page.getByLabel("Link to the terms").fill("https://example.com"))
      yield* refused("Hosts for automatic redirects", "Entry 2 must be a host name like shop.example.com")
      yield* act(() => page.getByLabel("Hosts for automatic redirects").fill("ok.example"))
      yield* refused(
        "Delay before a redirect in milliseconds",
        "Delay before a redirect in milliseconds must be a whole number from 0 to 60000"
      )
      // The input is still there, ready to correct.
      yield* act(() =>
        expect
          .poll(() => page.getByLabel("Delay before a redirect in milliseconds").inputValue())
          .toBe("soon")
      )
      expect(yield* stored).toEqual({ config: {}, workflow: {} })
      yield* act(() => page.getByLabel("Delay before a redirect in milliseconds").fill("10"))
      yield* act(() => press(page, "Save"))
      yield* act(() => saved(page))
      expect(field((yield* stored).config, "redirect")).toEqual({
        allowedHosts: ["ok.example"],
        autoDelayMs: 10
      })
      expectNothingWrong(visit)
    }))

  test("asks before the user leaves with unsaved changes", () =>
    Effect.gen(function* () {
      const { id, page, stored, visit } = yield* editing()
      const question = page.getByRole("dialog", { name: "Leave without saving?" })
      yield* act(() => page.getByLabel("Title", { exact: true }).fill("Check in"))
      // The skip link does not leave the page.
      yield* act(() => page.getByRole("button", { name: "Skip to content" }).focus())
      yield* act(() => page.keyboard.press("Enter"))
      yield* act(() => hasFocus(page.locator("#main")))
      yield* act(() => expect.poll(() => question.count()).toBe(0))
      yield* act(() => expect.poll(() => page.evaluate(() => location.hash)).toBe(""))
      yield* act(() => page.getByRole("navigation").getByRole("link", { name: "Sessions" }).click())
      yield* act(() => question.waitFor())
      yield* act(() => press(question, "Stay"))
      yield* act(() =>
        expect.poll(() => page.getByLabel("Title", { exact: true }).inputValue()).toBe("Check in")
      )
      yield* act(() => expect.poll(() => page.url()).toContain(`/dashboard/instances/${id}/edit`))
      yield* act(() => page.getByRole("navigation").getByRole("link", { name: "Sessions" }).click())
      yield* act(() => press(question, "Leave"))
      yield* act(() => heading(page, "Sessions"))
      yield* act(() => page.goBack())
      yield* act(() => heading(page, "Page and steps"))
      yield* act(() => page.getByText("There are no changes to save.").waitFor())

      // So does going back in the history.
      yield* act(() => page.getByLabel("Title", { exact: true }).fill("Check in"))
      yield* act(() => page.getByText("Not saved yet.").waitFor())
      yield* act(() => page.goForward())
      yield* act(() => press(question, "Stay"))
      yield* act(() =>
        expect.poll(() => page.getByLabel("Title", { exact: true }).inputValue()).toBe("Check in")
      )
      yield* act(() => press(page, "Discard"))
      yield* act(() => expect.poll(() => page.getByLabel("Title", { exact: true }).inputValue()).toBe(""))
      yield* act(() => page.getByRole("navigation").getByRole("link", { name: "Sessions" }).click())
      yield* act(() => heading(page, "Sessions"))
      expect(yield* stored).toEqual({ config: {}, workflow: {} })

      // So does signing out.
      yield* act(() => page.goto(`${visit.origin}/dashboard/instances/${id}/edit`))
      yield* act(() => page.getByLabel("Title", { exact: true }).fill("Check in"))
      yield* act(() => press(page, "Sign out"))
      yield* act(() => press(question, "Leave"))
      yield* act(() => heading(page, "Sign in"))
      // The next user may belong to another company.
      yield* act(() => expect.poll(() => page.url()).toBe(`${visit.origin}/dashboard`))
      expectNothingWrong(visit)
    }))
})
