import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import sharp from "sharp"
import { kycTimes } from "../../src/web/timing.ts"
import { filmOf, filmOfBarcode, photoOfHolder, sideways, upright } from "../support/browser/film.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { countTaps, opened, PageCompany, photograph, prepared, stepsOf } from "../support/browser/kyc-page.ts"
import {
  act,
  arrived,
  expectNothingWrong,
  hasFocus,
  heading,
  press,
  tabTo
} from "../support/browser/visit.ts"
import { field, text } from "../support/client.ts"
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
    let response = await route.fetch()
    while (
      route.request().method() === "GET" &&
      field(await response.json(), "reading", "status") !== "done"
    ) {
      await Bun.sleep(100)
      response = await route.fetch()
    }
    await route.fulfill({ response })
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
  }

  test("with the default steps, one tap more confirms the personal details, and nothing is typed", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* opened({
        browser: { film: yield* filmOf("TD3", upright), viewport: { width: 390, height: 664 } }
      })
      yield* act(() => heading(page, "Before we begin"))
      yield* act(() => countTaps(page))
      yield* act(() => page.getByRole("checkbox").check())
      yield* act(() => press(page, "Agree and continue"))
      yield* act(() => page.getByRole("radio", { name: "Passport" }).check())
      yield* act(() => press(page, "Take photo"))
      yield* act(() => expect.poll(() => values(page, "document")).toEqual(read))
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "About you"))
      yield* act(() => page.getByText("These details were read from your photo.").waitFor())
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "Check and send"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      yield* act(() => expect.poll(() => page.evaluate("taps")).toBe(7))
      expect(field(yield* outcome, "progress", "s_person")).toEqual({
        givenName: "Anna Maria",
        familyName: "Eriksson",
        dateOfBirth: "1974-08-12",
        nationality: "EST"
      })
      expectNothingWrong(visit)
    }))

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

  for (const [why, prepare] of [
    [
      "cannot draw in a worker",
      (page: Page) => page.addInitScript(() => Reflect.deleteProperty(window, "OffscreenCanvas"))
    ],
    ["has no workers", (page: Page) => page.addInitScript(() => Reflect.deleteProperty(window, "Worker"))],
    ["does not get the reader", (page: Page) => page.route(/zone-weights/, (route) => route.abort())],
    [
      "takes too long",
      (page: Page) =>
        page.addInitScript(() => {
          const send = Worker.prototype.postMessage
          // What reads documents never gets its question.
          Object.assign(Worker.prototype, {
            postMessage(this: Worker, ...message: Parameters<typeof send>) {
              if (message[0].formats === undefined) send.apply(this, message)
            }
          })
        })
    ]
  ] as const) {
    test(`the server reads the photo if the browser ${why}, and the page says so meanwhile`, () =>
      Effect.gen(function* () {
        const { link, page, visit } = yield* prepared({
          browser: { film: yield* filmOf("TD3", upright), viewport: { width: 390, height: 664 } },
          config: { v: 1, checks: { photos: true } },
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
        yield* act(() => prepare(page))
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
  }

  test("the server reads a photo that is turned by 90 degrees", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({
        config: { v: 1, checks: { photos: true } },
        workflow: stepsOf("doc", "review")
      })
      const photo = yield* Effect.promise(async () =>
        sharp(await photoOfHolder("TD3", upright))
          .rotate(90)
          .toBuffer()
      )
      const goOn = yield* act(() => withoutHurry(page))
      goOn()
      yield* act(() => page.getByRole("radio", { name: "Passport" }).check())
      yield* act(() =>
        page.getByLabel("Choose a file").setInputFiles(fileOf("turned.jpg", "image/jpeg", photo))
      )
      yield* act(() => press(page, "Use this photo"))
      yield* act(() => expect.poll(() => values(page)).toEqual(read))
      expectNothingWrong(visit)
    }))

  test("a reader that does not arrive is fetched once for all frames, and once for the photo", () =>
    Effect.gen(function* () {
      const { link, page } = yield* prepared({
        browser: { film: yield* filmOf("TD3", upright), viewport: { width: 390, height: 664 } },
        workflow: stepsOf("doc", "review")
      })
      let fetched = 0
      yield* act(() =>
        page.route(/zone-weights/, (route) => {
          fetched += 1
          return route.fulfill({ status: 404 })
        })
      )
      yield* act(() => page.goto(link))
      yield* act(() => page.getByRole("radio", { name: "Passport" }).check())
      yield* act(() => press(page, "Take photo"))
      // The camera takes the picture by itself, after many frames.
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => expect.poll(() => fetched).toBe(2))
    }))

  test("the server is not asked about a photo that was replaced before the browser had read it", () =>
    Effect.gen(function* () {
      const { link, page, visit } = yield* prepared({
        config: { v: 1, checks: { photos: true } },
        workflow: stepsOf("doc", "review")
      })
      yield* act(() =>
        page.addInitScript((readingHere) => {
          const send = Worker.prototype.postMessage
          const wait = window.setTimeout.bind(window)
          const held: Array<() => void> = []
          let isFirst = true
          Object.assign(Worker.prototype, {
            postMessage(this: Worker, ...message: Parameters<typeof send>) {
              if (!isFirst || message[0].formats === undefined) return send.apply(this, message)
              isFirst = false
              held.push(() => send.apply(this, message))
            }
          })
          Object.assign(window, {
            // Then the page would ask the server.
            setTimeout: (act: () => void, millis?: number, ...given: ReadonlyArray<unknown>) =>
              millis === readingHere ? held.push(act) : wait(act, millis, ...given),
            goOn: () => held.splice(0).forEach((act) => void act())
          })
        }, kycTimes.readingHere)
      )
      const asked: Array<string> = []
      page.on("request", (request) => {
        if (request.url().endsWith("/reading")) asked.push(request.url())
      })
      const replaced = page.waitForResponse((response) => response.url().endsWith("/files"))
      yield* act(() => page.goto(link))
      yield* act(() => page.getByRole("radio", { name: "Passport" }).check())
      for (const number of ["L898902C3", "K12345678"]) {
        const photo = yield* Effect.promise(() => photoOfHolder("TD3", upright, { number }))
        if (number === "K12345678") yield* act(() => press(page, "Replace"))
        yield* act(() =>
          page.getByLabel("Choose a file").setInputFiles(fileOf(`${number}.jpg`, "image/jpeg", photo))
        )
        yield* act(() => press(page, "Use this photo"))
        yield* act(() => page.getByText(`${number}.jpg`).waitFor())
      }
      yield* act(() => page.evaluate("goOn()"))
      yield* act(() => expect.poll(() => values(page)).toEqual(["EST", "K12345678", read[2]]))
      yield* act(() =>
        page.getByRole("status").getByText("These details were read from your photo.").waitFor()
      )
      const file = text(yield* Effect.promise(async () => (await replaced).json()), "file", "id")
      expect(asked.filter((address) => address.includes(file))).toEqual([])
      expectNothingWrong(visit)
    }))

  test("the server reads nothing for an instance without checks of photos, and the end user types", () =>
    Effect.gen(function* () {
      const { link, page, visit } = yield* prepared({ workflow: stepsOf("doc", "review") })
      yield* act(() => page.addInitScript(() => Reflect.deleteProperty(window, "OffscreenCanvas")))
      const refused = page.waitForResponse(
        (response) => response.url().endsWith("/reading") && response.status() === 403
      )
      yield* act(() => page.goto(link))
      yield* act(() => page.getByRole("radio", { name: "Passport" }).check())
      yield* act(() => photograph(page))
      yield* act(() => refused)
      yield* act(() => page.getByText("Compare these details with your document.").first().waitFor())
      yield* act(() => expect.poll(() => values(page)).toEqual(["", "", ""]))
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
