import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import { filmOf, filmOfBarcode, photoOfHolder, sideways, upright } from "../support/browser/film.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { countTaps, opened, PageCompany, prepared, stepsOf } from "../support/browser/kyc-page.ts"
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

/** The page stops asking after thirty seconds, so its questions are answered once the server has read, and once `goOn` is called. */
const withoutHurry = async (page: Page) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(/\/files\/[^/]+\/reading/, async (route) => {
    await promise
    try {
      let response = await route.fetch()
      while (
        route.request().method() === "GET" &&
        field(await response.json(), "reading", "status") !== "done"
      ) {
        await Bun.sleep(100)
        response = await route.fetch()
      }
      await route.fulfill({ response })
    } catch (error) {
      // After the test's end nobody waits for an answer.
      if (!page.isClosed()) throw error
    }
  })
  return () => resolve()
}

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

  test("the server reads the photo if the browser does not get its reader, and the page says so meanwhile", () =>
    Effect.gen(function* () {
      const { link, page, visit } = yield* prepared({
        browser: { film: yield* filmOf("TD3", upright), viewport: { width: 390, height: 664 } },
        workflow: {
          steps: [
            { id: "doc", type: "document", mrz: "required" },
            {
              id: "person",
              type: "form",
              fields: [{ id: "familyName", type: "text", autocomplete: "family-name" }]
            }
          ]
        }
      })
      yield* act(() => page.route(/zone-weights/, (route) => route.abort()))
      const goOn = yield* act(() => withoutHurry(page))
      yield* act(() => page.goto(link))
      yield* act(() => page.getByRole("radio", { name: "Passport" }).check())
      yield* act(() => press(page, "Take photo"))
      yield* act(() => page.getByText("The camera is on.").waitFor({ state: "attached" }))
      yield* act(() => press(page, "Take the photo"))
      yield* act(() => press(page, "Use this photo"))
      const said = page.getByRole("status").filter({ hasText: /read from|being read/ })
      yield* act(() => said.getByText("Your photo is being read.").waitFor())
      goOn()
      yield* act(() => said.getByText("These details were read from your photo.").waitFor())
      yield* act(() => expect.poll(() => values(page)).toEqual(read))
      yield* act(() => expect.poll(() => page.locator("#doc-zone").inputValue()).toContain("P<EST"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => expect.poll(() => page.getByLabel("Last name").inputValue()).toBe("Eriksson"))
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
