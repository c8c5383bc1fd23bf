import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import ar from "../../src/web/kyc/i18n/locales/ar.json" with { type: "json" }
import en from "../../src/web/kyc/i18n/locales/en.json" with { type: "json" }
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  consent,
  number,
  opened,
  PageCompany,
  passport,
  refuseCamera,
  stepsOf
} from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, hasFocus, heading, holding, press } from "../support/browser/visit.ts"
import { field } from "../support/client.ts"
import { fileOf, photoWithPlace } from "../support/kyc/pictures.ts"

/** Waits until the whole button is to be seen, and nothing lies over its middle. */
const inSight = (page: Page, name: string) =>
  expect
    .poll(() =>
      page.getByRole("button", { name }).evaluate((button) => {
        const { bottom, left, right, top } = button.getBoundingClientRect()
        const middle = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
        return top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth && middle === button
      })
    )
    .toBe(true)

/** Gives the browser's camera a light, and the device a second camera; `tried` is what the page asked of them. */
const phoneCamera = (page: Page) =>
  page.evaluate(() => {
    const tried: { torch: Array<unknown>; facing: Array<unknown> } = { torch: [], facing: [] }
    Object.assign(window, { tried })
    const { mediaDevices } = navigator
    const list = mediaDevices.enumerateDevices.bind(mediaDevices)
    mediaDevices.enumerateDevices = async () => (await list()).flatMap((device) => [device, device])
    const ask = mediaDevices.getUserMedia.bind(mediaDevices)
    mediaDevices.getUserMedia = (wished) => {
      const { facingMode } = typeof wished?.video === "object" ? wished.video : {}
      tried.facing.push(
        typeof facingMode === "object" && "ideal" in facingMode ? facingMode.ideal : facingMode
      )
      return ask(wished)
    }
    Object.assign(MediaStreamTrack.prototype, {
      getCapabilities: () => ({ torch: true }),
      applyConstraints: async ({ advanced: [{ torch }] }: { advanced: [{ torch: boolean }] }) => {
        tried.torch.push(torch)
      }
    })
  })

/** The camera does not start until `restore` is called. */
const slowCamera = async (page: Page) => {
  await page.evaluate(() => {
    const { mediaDevices } = navigator
    const ask = mediaDevices.getUserMedia.bind(mediaDevices)
    mediaDevices.getUserMedia = () => new Promise(() => {})
    Object.assign(window, { restore: () => Object.assign(mediaDevices, { getUserMedia: ask }) })
  })
  return { restore: () => page.evaluate("restore() && undefined") }
}

inBrowser(PageCompany.layer)("the camera of the KYC page", (test) => {
  const atDocument = Effect.gen(function* () {
    const begun = yield* opened({ workflow: stepsOf("consent", "doc", "review") })
    yield* act(() => consent(begun.page))
    yield* act(() => passport(begun.page, number()))
    return begun
  })

  test("that is slow, used by another app, missing or stopped: the page says so, and what else can be done", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* atDocument
      const { restore } = yield* act(() => slowCamera(page))
      yield* act(() => press(page, "Take photo"))
      // To those who see, too.
      const starting = page.getByText("The camera is starting…")
      const width = async () => (await starting.boundingBox())?.width ?? 0
      yield* act(() => expect.poll(width).toBeGreaterThan(100))
      yield* act(() => press(page, "Close camera"))
      yield* act(restore)
      yield* act(() => refuseCamera(page, "NotReadableError"))
      yield* act(() => press(page, "Take photo"))
      yield* act(() => page.getByText("Another app is using the camera.").waitFor())
      yield* act(() => page.getByLabel("Choose a file").waitFor({ state: "attached" }))
      yield* act(() => press(page, "Try again"))
      yield* act(() => page.getByText("The camera is on.").waitFor({ state: "attached" }))
      yield* act(() =>
        page.evaluate(() => {
          const shown = document.querySelector("video")?.srcObject
          if (shown instanceof MediaStream) shown.getTracks()[0]?.dispatchEvent(new Event("ended"))
        })
      )
      yield* act(() => page.getByText("The camera has stopped.").waitFor())
      yield* act(() => refuseCamera(page, "NotFoundError"))
      yield* act(() => press(page, "Try again"))
      yield* act(() => page.getByText("No camera was found.").waitFor())
      yield* act(() => expect.poll(() => page.getByRole("button", { name: "Try again" }).count()).toBe(0))
      // The phone's own camera app.
      const own = page.getByLabel("Take photo")
      yield* act(() => expect.poll(() => own.getAttribute("capture")).toBe("environment"))
      const photo = fileOf("photo.jpg", "image/jpeg", yield* act(() => photoWithPlace(page)))
      yield* act(() => own.setInputFiles(photo))
      yield* act(() => press(page, "Use this photo"))
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => press(page, "Continue"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      expect(field(yield* outcome, "result", "client", "camera")).toBe("unavailable")
      expectNothingWrong(visit)
    }))

  for (const [width, height] of [
    [320, 568],
    [320, 256],
    [1440, 900]
  ] as const) {
    test(`has its shutter in sight at ${width} x ${height}: when it opens, while the page scrolls, and when the device is turned`, () =>
      Effect.gen(function* () {
        const { page, visit } = yield* opened({
          browser: { viewport: { width, height } },
          workflow: {
            steps: [
              { id: "doc", type: "document" },
              { id: "selfie", type: "selfie", prompts: 0 }
            ]
          }
        })
        for (const title of ["Your document", "A photo of you"]) {
          if (title === "Your document") yield* act(() => passport(page, number()))
          yield* act(() => heading(page, title))
          yield* act(() => press(page, "Take photo"))
          yield* act(() => inSight(page, "Take the photo"))
          for (const by of [-80, 10_000, -10_000]) {
            yield* act(() => page.mouse.wheel(0, by))
            yield* act(() => inSight(page, "Take the photo"))
          }
          yield* act(() => page.setViewportSize({ width: height, height: width }))
          yield* act(() => inSight(page, "Take the photo"))
          yield* act(() => page.setViewportSize({ width, height }))
          yield* act(() => inSight(page, "Take the photo"))
          yield* act(() => press(page, "Take the photo"))
          for (const by of [10_000, -10_000]) {
            yield* act(() => page.mouse.wheel(0, by))
            yield* act(() => inSight(page, "Use this photo"))
          }
          yield* act(() => press(page, "Use this photo"))
          yield* act(() => page.getByText("Received").waitFor())
          yield* act(() => press(page, "Continue"))
        }
        expectNothingWrong(visit)
      }))
  }

  test("takes a selfie without closing, says what to do, and has the light and the other camera of a phone", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* opened({
        workflow: { steps: [{ id: "selfie", type: "selfie", prompts: 2 }] }
      })
      yield* act(() => heading(page, "A photo of you"))
      yield* act(() => phoneCamera(page))
      const dialog = page.getByRole("dialog")
      const said = dialog.getByRole("status").last()
      const open = page.getByRole("button", { name: "Take photo" }).first()
      yield* act(() => open.click())
      yield* act(() =>
        said.getByText("The camera is on. Look straight into the camera").waitFor({ state: "attached" })
      )
      const light = dialog.getByRole("button", { name: "Light" })
      for (const on of ["true", "false", "true"]) {
        yield* act(() => light.click())
        yield* act(() => expect.poll(() => light.getAttribute("aria-pressed")).toBe(on))
      }
      // The other camera has a light of its own.
      yield* act(() => press(page, "Switch camera"))
      yield* act(() => expect.poll(() => light.getAttribute("aria-pressed")).toBe("false"))
      yield* act(() => said.getByText("The camera is on.").waitFor({ state: "attached" }))
      const tried = () => page.evaluate("tried")
      yield* act(() =>
        expect.poll(tried).toEqual({ torch: [true, false, true], facing: ["user", "environment"] })
      )
      yield* act(() => page.keyboard.press("Escape"))
      yield* act(() => dialog.waitFor({ state: "detached" }))
      yield* act(() => hasFocus(page.getByRole("group", { name: "Photo 1 of 3" })))
      yield* act(() => open.click())
      const asked: ReadonlyArray<string> = yield* act(() => page.locator("fieldset .hint").allTextContents())
      for (const [index, words] of asked.entries()) {
        yield* act(() => dialog.getByText(`Photo ${index + 1} of 3`).waitFor())
        yield* act(() => said.getByText(`The camera is on. ${words}`).waitFor({ state: "attached" }))
        yield* act(() => press(page, "Take the photo"))
      }
      yield* act(() => dialog.waitFor({ state: "detached" }))
      yield* act(() => expect.poll(() => page.getByText("Received").count()).toBe(3))
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "All done"))
      const poses: Readonly<Record<string, string>> = {
        straight: "Look straight into the camera",
        left: "Turn your head a little to your left",
        right: "Turn your head a little to your right",
        up: "Look slightly upwards",
        down: "Look slightly downwards"
      }
      const handedIn = field(yield* outcome, "result", "selfie")
      expect(field(handedIn, "nonce")).toMatch(/^[0-9a-f]{32}$/)
      const files = field(handedIn, "files")
      const prompts = Array.isArray(files) ? files.map((file) => String(field(file, "prompt"))) : []
      expect(prompts.map((prompt) => poses[prompt])).toEqual(asked)
      expect(prompts[0]).toBe("straight")
      expect(new Set(prompts).size).toBe(3)
      expectNothingWrong(visit)
    }))

  test("is never wider than the screen, also while a photo is being sent and the next one is asked for", () =>
    Effect.gen(function* () {
      for (const locale of ["en", "ar"] as const) {
        const { photoOf, shutter, takePhoto, uploading } = { en, ar }[locale]
        for (const viewport of [
          { width: 390, height: 844 },
          { width: 320, height: 568 }
        ]) {
          const { page, visit } = yield* opened({
            browser: { locale, viewport, isMobile: true, hasTouch: true },
            workflow: { steps: [{ id: "selfie", type: "selfie", prompts: 1 }] }
          })
          // A page that is wider than the screen makes a phone show more than the screen.
          const widths = () => page.evaluate("[innerWidth, document.documentElement.scrollWidth]")
          const fits = act(() => expect.poll(widths).toEqual([viewport.width, viewport.width]))
          const dialog = page.getByRole("dialog")
          yield* act(() => page.getByRole("button", { name: takePhoto }).first().click())
          yield* act(() => dialog.getByRole("button", { name: shutter }).waitFor())
          yield* fits
          const release = yield* act(() => holding(page, /\/files$/))
          yield* act(() => dialog.getByRole("button", { name: shutter }).click())
          const next = photoOf.replace("{number}", "2").replace("{total}", "2")
          yield* act(() => dialog.getByText(next, { exact: true }).waitFor())
          yield* act(() => page.locator(".waiting", { hasText: uploading }).waitFor({ state: "attached" }))
          yield* fits
          yield* act(async () => release())
          yield* act(() => page.locator(".waiting", { hasText: uploading }).waitFor({ state: "detached" }))
          yield* fits
          expectNothingWrong(visit)
        }
      }
    }))
})
