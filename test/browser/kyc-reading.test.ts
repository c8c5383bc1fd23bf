import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import { filmOf, filmOfBarcode, photoOfHolder, sideways, upright } from "../support/browser/film.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { countTaps, opened, PageCompany, stepsOf } from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, heading, press } from "../support/browser/visit.ts"
import { field } from "../support/client.ts"
import { fileOf } from "../support/kyc/pictures.ts"
import { licenceText, seeded } from "../support/kyc/specimens.ts"

const workflow = stepsOf("consent", "doc", "review")

const values = (page: Page, step = "doc") =>
  page.evaluate(
    (id) =>
      ["country", "number", "expiry"].map(
        (name) => document.querySelector<HTMLInputElement>(`#${id}-${name}`)?.value
      ),
    step
  )

const read = ["EST", "L898902C3", "2034-04-15"]

/** Waits until all of it is to be seen. */
const onScreen = (shown: Locator) =>
  expect
    .poll(() =>
      shown.evaluate((it) => {
        const { bottom, top } = it.getBoundingClientRect()
        return Math.round(top) >= 0 && Math.round(bottom) <= innerHeight
      })
    )
    .toBe(true)

inBrowser(PageCompany.layer)("reading a document on the KYC page", (test) => {
  test("takes six taps from the link to the end, and no typing", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* opened({
        browser: { film: yield* filmOf("TD3", sideways), viewport: { width: 844, height: 390 } },
        workflow
      })
      yield* act(() => heading(page, "Before we begin"))
      yield* act(() => countTaps(page))
      yield* act(() => page.getByRole("checkbox").check())
      yield* act(() => press(page, "Agree and continue"))
      yield* act(() => page.getByRole("radio", { name: "Passport" }).check())
      // Without scrolling, the next thing to do is on the screen.
      yield* act(() => onScreen(page.getByRole("button", { name: "Take photo" })))
      yield* act(() => press(page, "Take photo"))
      // By itself it takes the picture, and reads it.
      yield* act(() => page.getByText("These details were read from your photo.").waitFor())
      yield* act(() => onScreen(page.getByRole("heading", { name: "Details on your document" })))
      yield* act(() => onScreen(page.getByLabel("Issued by")))
      yield* act(() => expect.poll(() => values(page)).toEqual(read))
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "Check and send"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      yield* act(() => expect.poll(() => page.evaluate("taps")).toBe(6))
      expect(field(yield* outcome, "progress", "s_doc")).toMatchObject({
        country: "EST",
        expiry: "2034-04-15",
        mrzCheckDigits: "ok",
        read: { country: "EST", expiry: "2034-04-15" }
      })
      expectNothingWrong(visit)
    }))

  test("reads a chosen file, without replacing what was typed; another photo replaces what was read", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({ workflow: stepsOf("doc", "review") })
      const choose = async (number: string) => {
        const name = `${number}.jpg`
        const photo = await photoOfHolder("TD3", upright, { number })
        await page.getByLabel("Choose a file").setInputFiles(fileOf(name, "image/jpeg", photo))
        await press(page, "Use this photo")
        await page.getByText(name).waitFor()
      }
      yield* act(() => page.getByRole("radio", { name: "Passport" }).check())
      yield* act(() => page.getByLabel("Valid until").fill("2033-03-03"))
      yield* act(() => choose("L898902C3"))
      yield* act(() => expect.poll(() => values(page)).toEqual(["EST", "L898902C3", "2033-03-03"]))
      yield* act(() => press(page, "Replace"))
      yield* act(() => choose("K12345678"))
      yield* act(() => expect.poll(() => values(page)).toEqual(["EST", "K12345678", "2033-03-03"]))
      // Lines that contradict what was typed are not handed in.
      yield* act(() => expect.poll(() => page.locator("#doc-zone").inputValue()).toBe(""))
      expectNothingWrong(visit)
    }))

  test("reads the barcode of a driving licence", () =>
    Effect.gen(function* () {
      const { holder, text: code } = licenceText(seeded(4))
      const { page, visit } = yield* opened({
        browser: { film: yield* filmOfBarcode(code, upright), viewport: { width: 390, height: 664 } },
        workflow: { steps: [{ id: "doc", type: "document", sides: { driving_licence: 1 } }] }
      })
      yield* act(() => page.getByRole("radio", { name: "Driving licence" }).check())
      yield* act(() => press(page, "Take photo"))
      yield* act(() => page.getByText("These details were read from your photo.").waitFor())
      const [year, month, day] = holder.expiry.match(/../g) ?? []
      yield* act(() =>
        expect.poll(() => values(page)).toEqual(["USA", holder.number, `20${year}-${month}-${day}`])
      )
      expectNothingWrong(visit)
    }))
})
