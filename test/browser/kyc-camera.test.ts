import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
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
import { act, expectNothingWrong, heading, press } from "../support/browser/visit.ts"
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
})
