import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { filmOf, filmOfBarcode, photoOfHolder, sideways, upright } from "../support/browser/film.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { countTaps, opened, PageCompany, stepsOf } from "../support/browser/kyc-page.ts"
import {
  act,
  arrived,
  expectNothingWrong,
  hasFocus,
  heading,
  press,
  tabTo
} from "../support/browser/visit.ts"
import { field } from "../support/client.ts"
import { fileOf } from "../support/kyc/pictures.ts"
import { licenceText, seeded } from "../support/kyc/specimens.ts"

const workflow = stepsOf("consent", "doc", "review")

const values = (page: Page) =>
  page.evaluate(() =>
    ["country", "number", "expiry"].map(
      (name) => document.querySelector<HTMLInputElement>(`#doc-${name}`)?.value
    )
  )

const read = ["EST", "L898902C3", "2034-04-15"]

inBrowser(PageCompany.layer)("reading a document on the KYC page", (test) => {
  for (const [width, height, level] of [
    [320, 568, upright],
    [390, 664, upright],
    [844, 390, sideways],
    [1440, 900, sideways]
  ] as const) {
    test(`takes six taps from the link to the end, and no typing, at ${width} x ${height}`, () =>
      Effect.gen(function* () {
        const { outcome, page, visit } = yield* opened({
          browser: { film: yield* filmOf("TD3", level), viewport: { width, height } },
          workflow
        })
        yield* act(() => heading(page, "Before we begin"))
        yield* act(() => countTaps(page))
        yield* act(() => page.getByRole("checkbox").check())
        yield* act(() => press(page, "Agree and continue"))
        yield* act(() => page.getByRole("radio", { name: "Passport" }).check())
        yield* act(() => press(page, "Take photo"))
        // By itself it takes the picture, and reads it.
        yield* act(() => page.getByText("These details were read from your photo.").waitFor())
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
  }

  test("works by keyboard alone, and the page says what happens", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({
        browser: { film: yield* filmOf("TD3", upright), viewport: { width: 390, height: 664 } },
        workflow
      })
      const { keyboard } = page
      const pressed = async (name: string, key: string) => {
        await tabTo(page, name)
        await keyboard.press(key)
      }
      yield* act(() => arrived(page, "Before we begin"))
      yield* act(() => pressed("I agree that my personal details", "Space"))
      yield* act(() => pressed("Agree and continue", "Enter"))
      yield* act(() => arrived(page, "Your document"))
      yield* act(() => pressed("Passport", "Space"))
      yield* act(() => tabTo(page, "Take photo"))
      yield* act(() => keyboard.press("Enter"))
      yield* act(() =>
        page.getByRole("status").getByText("These details were read from your photo.").waitFor()
      )
      yield* act(() => hasFocus(page.getByRole("group", { name: "Page with your photo" })))
      yield* act(() => expect.poll(() => values(page)).toEqual(read))
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => pressed("Continue", "Enter"))
      yield* act(() => arrived(page, "Check and send"))
      yield* act(() => pressed("Send", "Enter"))
      yield* act(() => heading(page, "All done"))
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
      const { holder, text } = licenceText(seeded(4))
      const { page, visit } = yield* opened({
        browser: { film: yield* filmOfBarcode(text, upright), viewport: { width: 390, height: 664 } },
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
