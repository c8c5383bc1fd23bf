/** The KYC page for those who use no mouse, see little, read from right to left, or have no camera. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { inBothSchemes } from "../support/browser/axe.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  consent,
  fullWorkflow,
  linkOf,
  number,
  opened,
  PageCompany,
  passport,
  person,
  photograph,
  receivedFiles,
  refuseCamera,
  stepsOf
} from "../support/browser/kyc-page.ts"
import { act, arrived, expectNothingWrong, heading, press } from "../support/browser/visit.ts"
import { field } from "../support/client.ts"
import { photoWithPlace } from "../support/kyc/pictures.ts"

inBrowser(PageCompany.layer)("the KYC page, for everyone", (test) => {
  test("is found without serious fault at every step, light and dark", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({
        workflow: fullWorkflow
      })
      const looked = Effect.fnUntraced(function* (title: string) {
        yield* act(() => heading(page, title))
        yield* act(() => inBothSchemes(page, title))
      })
      yield* looked("Before we begin")
      yield* act(() => press(page, "Agree and continue"))
      yield* act(() => page.getByText("Please check your entries").waitFor())
      yield* looked("Before we begin")
      yield* act(() => consent(page))
      yield* looked("About you")
      yield* act(() => arrived(page, "About you"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => page.getByText("Please check your entries").waitFor())
      yield* looked("About you")
      yield* act(() => person(page))
      yield* looked("Your document")
      yield* act(() => passport(page, number()))
      yield* act(() => press(page, "Take photo"))
      yield* looked("Your document")
      yield* act(() => press(page, "Take the photo"))
      yield* act(() => page.getByRole("button", { name: "Use this photo" }).waitFor())
      yield* looked("Your document")
      yield* act(() => press(page, "Use this photo"))
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => press(page, "Continue"))
      yield* looked("A photo of you")
      yield* act(() => photograph(page))
      yield* act(() => press(page, "Continue"))
      yield* looked("Additional documents")
      const pdf = (content: string) => ({
        name: "bill.pdf",
        mimeType: "application/pdf",
        buffer: Buffer.from(content)
      })
      yield* act(() => page.getByLabel("Choose a file").setInputFiles(pdf("<!doctype html><p>no bill")))
      yield* act(() => page.getByText(/This type of file is not accepted/).waitFor())
      yield* act(() => page.getByLabel("Choose a file").setInputFiles(pdf("%PDF-1.7\n1 0 obj\n")))
      yield* act(() => page.getByText("bill.pdf").waitFor())
      yield* act(() => press(page, "Continue"))
      yield* looked("Check and send")
      yield* act(() => press(page, "Send"))
      yield* looked("All done")
      expectNothingWrong(visit)
    }))

  test("is found without serious fault where it ends or cannot go on, light and dark", () =>
    Effect.gen(function* () {
      const { company, link, page, session, visit } = yield* opened({
        session: { mode: "dev", failureRedirectUrl: "https://partner.test/sorry" },
        workflow: stepsOf("selfie", "review")
      })
      const looked = Effect.fnUntraced(function* (text: string) {
        yield* act(() => page.getByText(text).first().waitFor())
        yield* act(() => inBothSchemes(page, text))
      })
      yield* act(() => refuseCamera(page, "NotReadableError"))
      yield* act(() => press(page, "Take photo"))
      yield* looked("Test mode")
      yield* act(() => visit.context.setOffline(true))
      yield* act(() => page.getByRole("button", { name: "Use your phone" }).first().click())
      yield* looked("No connection")
      yield* act(() => visit.context.setOffline(false))
      yield* looked("Continue on your phone")
      yield* act(() => press(page, "Continue here instead"))
      yield* act(() => press(page, "Stop verification"))
      yield* looked("Yes, stop")
      yield* act(() => press(page, "Yes, stop"))
      yield* looked("You have stopped the verification")
      yield* act(() => page.goto(`${visit.origin}/kyc/session/${session.id}/done`))
      yield* looked("You have stopped the verification")
      yield* act(() => page.goto(link.slice(0, -1)))
      yield* looked("This link does not work")
      const expired = yield* company.expiredSession()
      yield* act(() => page.goto(linkOf(visit, expired)))
      yield* looked("The time for this verification is over")
      const other = yield* act(() => visit.context.newPage())
      yield* act(() => other.goto(link.replace(/\?.*/, "")))
      yield* act(() => heading(other, "Please open your link again"))
      yield* act(() => inBothSchemes(other, "Please open your link again"))
      expectNothingWrong(visit)
    }))

  test("is right-to-left in Arabic, changes its language in place, and fits the width", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({ browser: { locale: "ar" }, workflow: fullWorkflow })
      const root = () =>
        page.evaluate(() => ({
          ...{ dir: document.documentElement.dir, lang: document.documentElement.lang },
          overflow: document.documentElement.scrollWidth - innerWidth
        }))
      yield* act(() => heading(page, "قبل أن نبدأ"))
      yield* act(() => expect.poll(root).toEqual({ dir: "rtl", lang: "ar", overflow: 0 }))
      yield* act(() => page.getByRole("checkbox").check())
      yield* act(() => page.getByLabel("اللغة").selectOption("et"))
      yield* act(() => heading(page, "Enne alustamist"))
      yield* act(() => expect.poll(root).toEqual({ dir: "ltr", lang: "et", overflow: 0 }))
      yield* act(() => expect.poll(() => page.getByRole("checkbox").isChecked()).toBe(true))
      expectNothingWrong(visit)
    }))

  test("fits a small phone with a partner's long words, and keeps the direction of texts in another language", () =>
    Effect.gen(function* () {
      const long = "W".repeat(90)
      const { page, visit } = yield* opened({
        browser: { viewport: { width: 320, height: 640 }, locale: "ar" },
        config: { title: { en: long }, legal: { company: long } },
        workflow: {
          steps: [
            {
              id: "consent",
              type: "consent",
              title: { en: `Who are you, ${long}?` },
              items: [{ id: "a", text: { en: `I agree (${long}).` } }]
            },
            { id: "form", type: "form", fields: [{ id: "x", type: "text", label: { en: `${long}?` } }] }
          ]
        }
      })
      const overflow = () => page.evaluate("document.documentElement.scrollWidth - innerWidth")
      yield* act(() => heading(page, `Who are you, ${long}?`))
      yield* act(() => expect.poll(overflow).toBe(0))
      const directions = () =>
        page
          .locator("h1 bdi, .check span")
          .evaluateAll((all) => all.map((it) => getComputedStyle(it).direction))
      yield* act(() => expect.poll(directions).toEqual(["ltr", "ltr"]))
      yield* act(() => page.locator("form [type=submit]").click())
      yield* act(() => page.getByLabel(`${long}?`).waitFor())
      yield* act(() => expect.poll(overflow).toBe(0))
      expectNothingWrong(visit)
    }))

  test("works without a camera, and removes the location from photos", () =>
    Effect.gen(function* () {
      const { company, outcome, page, session, visit } = yield* opened({
        workflow: stepsOf("consent", "doc", "review")
      })
      yield* act(() => refuseCamera(page, "NotAllowedError", "always"))
      yield* act(() => consent(page))
      yield* act(() => passport(page, number()))
      yield* act(() => press(page, "Take photo"))
      yield* act(() => page.getByText(/The camera is blocked/).waitFor())
      yield* act(() => page.getByRole("button", { name: "Try again" }).waitFor())
      const html = { name: "photo.jpg", mimeType: "image/jpeg", buffer: Buffer.from("<!doctype html><p>") }
      yield* act(() => page.getByLabel("Choose a file").setInputFiles(html))
      yield* act(() => page.getByText(/cannot be opened as a picture/).waitFor())
      const buffer = yield* act(() => photoWithPlace(page))
      expect(buffer.includes("GPSLatitude")).toBe(true)
      const photo = { name: "photo.jpg", mimeType: "image/jpeg", buffer }
      yield* act(() => page.getByLabel("Choose a file").setInputFiles(photo))
      yield* act(() => press(page, "Use this photo"))
      yield* act(() => page.getByText("Received").waitFor())
      const received = yield* receivedFiles(company, session)
      expect(received.map(({ type }) => type)).toEqual(["image/jpeg"])
      expect(received[0]?.bytes.length).toBeGreaterThan(1000)
      expect(received[0]?.bytes.includes("GPSLatitude")).toBe(false)
      yield* act(() => press(page, "Continue"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      expect(field(yield* outcome, "result", "client", "camera")).toBe("denied")
      expectNothingWrong(visit)
    }))
})
