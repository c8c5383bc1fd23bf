/** The KYC page for those who use no mouse, see little, read from right to left, or have no camera. */
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import { serious } from "../support/axe.ts"
import { chromiumPath } from "../support/chromium.ts"
import { createInstance, createSession, field } from "../support/client.ts"
import {
  act,
  consent,
  expectNothingWrong,
  heading,
  linkOf,
  number,
  PageCompany,
  passport,
  person,
  photograph,
  press,
  visitor
} from "../support/kyc-page.ts"

const fullWorkflow = {
  v: 1,
  id: "full",
  version: 1,
  steps: [
    {
      id: "consent",
      type: "consent",
      items: [
        {
          id: "privacy",
          required: true,
          text: { en: "I agree that my personal details are checked." },
          url: "https://partner.test/privacy"
        }
      ]
    },
    { id: "captcha", type: "captcha" },
    {
      id: "person",
      type: "form",
      fields: [
        { id: "givenName", type: "text", autocomplete: "given-name", required: true, max: 100 },
        { id: "familyName", type: "text", autocomplete: "family-name", required: true, max: 100 },
        { id: "dateOfBirth", type: "date", autocomplete: "bday", required: true, minAge: 18 },
        { id: "nationality", type: "country", required: true }
      ]
    },
    { id: "doc", type: "document", mrz: "optional", dedup: true },
    { id: "selfie", type: "selfie", prompts: 0 },
    { id: "poa", type: "upload", maxFiles: 2 },
    { id: "review", type: "review" }
  ]
}

const opened = (
  options: Parameters<typeof visitor>[1] = {},
  config: object = {},
  workflow: object = fullWorkflow
) =>
  Effect.gen(function* () {
    const company = yield* PageCompany
    const { id } = yield* createInstance(company.server, company.member, { config, workflow })
    const session = yield* createSession(company.server, company.key.token, id)
    const visit = yield* visitor(company, options)
    yield* act(() => visit.page.goto(linkOf(visit, session)))
    return { company, session, visit, page: visit.page }
  })

/** A JPEG of Chromium's own making, with an Exif segment that names a place put in. */
const photoWithPlace = async (page: Page): Promise<Buffer> => {
  const encoded: string = await page.evaluate(() => {
    const canvas = document.createElement("canvas")
    canvas.width = 1600
    canvas.height = 1000
    const context = canvas.getContext("2d")
    for (let x = 0; x < 1600; x += 20) {
      if (context === null) break
      context.fillStyle = x % 40 === 0 ? "#fff" : "#345"
      context.fillRect(x, 0, 20, 1000)
    }
    return canvas.toDataURL("image/jpeg").split(",")[1] ?? ""
  })
  const jpeg = Buffer.from(encoded, "base64")
  const exif = Buffer.from("Exif\0\0GPSLatitude 59.4370", "latin1")
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, exif.length + 2]), exif])
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)])
}

layer(PageCompany.layer, { excludeTestServices: true })("the KYC page, for everyone", (it) => {
  const test = chromiumPath === undefined ? it.scoped.skip : it.scoped

  for (const colorScheme of ["light", "dark"] as const) {
    test(`is found without serious fault at every step, ${colorScheme}`, () =>
      Effect.gen(function* () {
        const { page, visit } = yield* opened({ colorScheme, reducedMotion: "reduce" })
        const looked = Effect.fnUntraced(function* (title: string) {
          yield* act(() => heading(page, title))
          expect(yield* act(() => serious(page)), title).toEqual([])
        })
        yield* looked("Before we begin")
        yield* act(() => press(page, "Agree and continue"))
        yield* act(() => page.getByText("Please check your entries").waitFor())
        yield* looked("Before we begin")
        yield* act(() => consent(page))
        yield* looked("About you")
        expect(yield* act(() => page.evaluate(() => document.activeElement?.tagName))).toBe("H1")
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
        yield* looked("Further documents")
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
  }

  test("is filled in and sent by keyboard alone", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened(
        {},
        {},
        { steps: fullWorkflow.steps.filter(({ id }) => /consent|person|review/.test(id)) }
      )
      const { keyboard } = page
      const focusedName = () =>
        page.evaluate(() => {
          const { activeElement } = document
          return activeElement instanceof HTMLInputElement || activeElement instanceof HTMLSelectElement
            ? (activeElement.labels?.[0]?.textContent ?? "")
            : (activeElement?.textContent ?? "")
        })
      /** Goes on with Tab until something of that name has the focus. */
      const tabTo = async (name: string) => {
        for (let presses = 0; presses < 20; presses++) {
          await keyboard.press("Tab")
          if ((await focusedName()).includes(name)) return
        }
        throw new Error(`Tab never came to ${name}`)
      }
      yield* act(() => heading(page, "Before we begin"))
      yield* act(() => tabTo("I agree that my personal details"))
      yield* act(() => keyboard.press("Space"))
      yield* act(() => tabTo("Agree and continue"))
      yield* act(() => keyboard.press("Enter"))
      yield* act(() => heading(page, "About you"))
      yield* act(() => tabTo("First names"))
      yield* act(() => keyboard.type("Ada"))
      yield* act(() => tabTo("Last name"))
      yield* act(() => keyboard.type("Lovelace"))
      yield* act(() => tabTo("Date of birth"))
      // A day that is written alike whichever way round the browser asks for day and month.
      yield* act(() => keyboard.type("11111990"))
      yield* act(() => tabTo("Nationality"))
      yield* act(() => keyboard.type("Estonia"))
      yield* act(() => tabTo("Continue"))
      yield* act(() => keyboard.press("Enter"))
      yield* act(() => heading(page, "Check and send"))
      yield* act(() => page.getByText("November 11, 1990").waitFor())
      yield* act(() => tabTo("Send"))
      yield* act(() => keyboard.press("Enter"))
      yield* act(() => heading(page, "All done"))
      expectNothingWrong(visit)
    }))

  test("reads from right to left in Arabic, changes its language in place, and fits the width", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({ locale: "ar" })
      const root = () =>
        page.evaluate(() => ({
          ...{ dir: document.documentElement.dir, lang: document.documentElement.lang },
          overflow: document.documentElement.scrollWidth - innerWidth
        }))
      yield* act(() => heading(page, "قبل أن نبدأ"))
      expect(yield* act(root)).toEqual({ dir: "rtl", lang: "ar", overflow: 0 })
      yield* act(() => page.getByRole("checkbox").check())
      yield* act(() => page.getByLabel("اللغة").selectOption("et"))
      yield* act(() => heading(page, "Enne alustamist"))
      expect(yield* act(root)).toEqual({ dir: "ltr", lang: "et", overflow: 0 })
      expect(yield* act(() => page.getByRole("checkbox").isChecked())).toBe(true)
      expectNothingWrong(visit)
    }))

  test("takes the partner's colour, with text on it that can be read", () =>
    Effect.gen(function* () {
      const ground = (page: Page) =>
        page
          .getByRole("button", { name: "Agree and continue" })
          .evaluate((it) => getComputedStyle(it).backgroundColor)
      const readable = yield* opened({}, { theme: { primary: "#006b3c" } })
      expect(yield* act(() => ground(readable.page))).toBe("rgb(0, 107, 60)")
      const pale = yield* opened({}, { theme: { primary: "#ffee88" } })
      const button = pale.page.getByRole("button", { name: "Agree and continue" })
      expect(yield* act(() => button.evaluate((it) => getComputedStyle(it).color))).toBe("rgb(0, 0, 0)")
      for (const { visit } of [readable, pale]) expectNothingWrong(visit)
    }))

  test("has a way on without a camera, and sends no place along with a photo", () =>
    Effect.gen(function* () {
      const { page, session, company, visit } = yield* opened(
        {},
        {},
        { steps: fullWorkflow.steps.filter(({ id }) => /consent|doc|review/.test(id)) }
      )
      yield* act(() =>
        page.evaluate(() => {
          navigator.mediaDevices.getUserMedia = () =>
            Promise.reject(new DOMException("no", "NotAllowedError"))
        })
      )
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
      expect(visit.files.map(({ type }) => type)).toEqual(["image/jpeg"])
      expect(visit.files[0]?.bytes.includes("GPSLatitude")).toBe(false)
      yield* act(() => press(page, "Continue"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      const { body } = yield* company.asPartner(`/api/kyc/sessions/${session.id}`)
      expect(field(body, "session", "result", "client", "camera")).toBe("denied")
      expectNothingWrong(visit)
    }))
})
