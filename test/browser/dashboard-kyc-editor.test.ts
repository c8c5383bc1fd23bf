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
      // Clearing a field removes its value.
      yield* act(async () => {
        await page.getByLabel("Colour", { exact: true }).fill("")
        await page.getByLabel("Hosts for automatic redirects").fill("")
        await page.getByLabel("Users can continue on a phone").check()
        await photoChecks(page).uncheck()
        await press(page, "Save")
        await saved(page)
      })
      expect(field((yield* stored).config, "theme")).toEqual({ unknown: true, mode: "dark" })
      expect(field((yield* stored).config, "checks")).toEqual({ photos: false, timeZone: "Europe/Tallinn" })
      expect(Object.keys(Object((yield* stored).config))).not.toContain("redirect")
      expect(Object.keys(Object((yield* stored).config))).not.toContain("handoff")
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

  test("steps can be created from the defaults, added, edited, moved, removed and restored", () =>
    Effect.gen(function* () {
      const { page, stored, visit } = yield* editing()
      const ids = Effect.map(stored, ({ workflow }) => {
        const steps = field(workflow, "steps")
        return Array.isArray(steps) ? steps.map((step) => field(step, "id")) : []
      })
      const save = act(async () => {
        await press(page, "Save")
        await saved(page)
      })
      yield* act(() => press(page, "Start from the default steps"))
      yield* save
      expect(yield* ids).toEqual(["consent", "captcha", "document", "person", "review"])

      yield* act(async () => {
        await page.getByLabel("Type of the new step").selectOption("File upload")
        await press(page, "Add step")
        await page.getByLabel("Number of files, 1 to 10").fill("3")
        await page.getByLabel("Heading").last().fill("Proof of address")
        await page.getByLabel("Users can skip this step").last().check()
        await press(page, "Move step upload up")
        const up = page.getByRole("button", { name: "Move step upload up" })
        await hasFocus(up)
      })
      yield* save
      expect(yield* ids).toEqual(["consent", "captcha", "document", "person", "upload", "review"])
      // The step is still unfolded, and still the same.
      yield* act(() => expect.poll(() => page.getByLabel("Number of files, 1 to 10").inputValue()).toBe("3"))
      yield* looksRight(visit, "Page and steps")

      yield* act(() => press(page, "Remove step upload"))
      yield* act(() => page.getByText("The step is removed.").waitFor())
      yield* save
      expect(yield* ids).toEqual(["consent", "captcha", "document", "person", "review"])
      yield* act(() => press(page, "Undo"))
      yield* save
      expect(field((yield* stored).workflow, "steps", 4)).toEqual({
        id: "upload",
        type: "upload",
        maxFiles: 3,
        title: { en: "Proof of address" },
        optional: true
      })

      yield* act(async () => {
        await unfold(page, "person")
        await press(page, "Add question")
        await page.getByLabel("Kind of answer").last().selectOption("Choice from a list")
        await page.getByLabel("Question", { exact: true }).last().fill("Occupation")
        await press(page, "Add option")
        await page.getByLabel("Value", { exact: true }).fill("employed")
        await page.getByLabel("Label", { exact: true }).fill("Employed")
        await page.getByLabel("Users must answer").last().check()
      })
      yield* looksRight(visit, "Page and steps")
      yield* save
      expect(field((yield* stored).workflow, "steps", 3, "fields", 4)).toEqual({
        id: "question",
        type: "select",
        label: { en: "Occupation" },
        options: [{ value: "employed", label: { en: "Employed" } }],
        required: true
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

  test("a logo is read from a file, unless it is too large or not an image", () =>
    Effect.gen(function* () {
      const { page, stored, visit } = yield* editing()
      const svg =
        '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>'
      const give = (name: string, mimeType: string, content: string) =>
        act(() =>
          page
            .getByLabel("Logo", { exact: true })
            .setInputFiles({ name, mimeType, buffer: Buffer.from(content) })
        )
      yield* give("a.txt", "text/plain", "no image")
      yield* act(() => page.getByText("This is not a PNG, JPEG, WebP or SVG image.").waitFor())
      yield* give("a.svg", "image/svg+xml", `${svg}${" ".repeat(80_000)}`)
      yield* act(() => page.getByText("This image is too large").waitFor())
      yield* give("a.svg", "image/svg+xml", svg)
      yield* act(() => page.getByRole("img", { name: "Current logo" }).waitFor())
      yield* looksRight(visit, "Page and steps")
      yield* act(() => press(page, "Save"))
      yield* act(() => saved(page))
      expect(field((yield* stored).config, "theme", "logoUrl")).toBe(
        `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`
      )
      yield* act(() => press(page, "Remove the logo"))
      yield* act(() => press(page, "Save"))
      yield* act(() => saved(page))
      expect((yield* stored).config).toEqual({})
      expectNothingWrong(visit)
    }))
})
