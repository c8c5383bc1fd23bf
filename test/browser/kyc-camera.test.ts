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
  receivedFiles,
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

inBrowser(PageCompany.layer)("the camera of the KYC page", (test) => {
  const atDocument = Effect.gen(function* () {
    const begun = yield* opened({ workflow: stepsOf("consent", "doc", "review") })
    yield* act(() => consent(begun.page))
    yield* act(() => passport(begun.page, number()))
    return begun
  })

  test("that another app uses: says so, and is there at the next try", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* atDocument
      yield* act(() => refuseCamera(page, "NotReadableError"))
      yield* act(() => press(page, "Take photo"))
      yield* act(() => page.getByText("Another app is using the camera.").waitFor())
      yield* act(() => page.getByLabel("Choose a file").waitFor({ state: "attached" }))
      yield* act(() => press(page, "Try again"))
      yield* act(() => press(page, "Take the photo"))
      yield* act(() => press(page, "Use this photo"))
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => press(page, "Continue"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      expect(field(yield* outcome, "result", "client", "camera")).toBe("granted")
      expectNothingWrong(visit)
    }))

  test("that is not there: says so, and leaves the phone's own camera and a file", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* atDocument
      yield* act(() => refuseCamera(page, "NotFoundError"))
      yield* act(() => press(page, "Take photo"))
      yield* act(() => page.getByText("No camera was found.").waitFor())
      yield* act(() => expect.poll(() => page.getByRole("button", { name: "Try again" }).count()).toBe(0))
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

  test("that stops while it is shown: says so instead of standing still", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* atDocument
      yield* act(() => press(page, "Take photo"))
      yield* act(() => page.getByText("The camera is on.").waitFor({ state: "attached" }))
      yield* act(() =>
        page.evaluate(() => {
          const shown = document.querySelector("video")?.srcObject
          if (shown instanceof MediaStream) shown.getTracks()[0]?.dispatchEvent(new Event("ended"))
        })
      )
      yield* act(() => page.getByText("The camera has stopped.").waitFor())
      yield* act(() => page.getByLabel("Choose a file").waitFor({ state: "attached" }))
      yield* act(() => press(page, "Try again"))
      yield* act(() => press(page, "Take the photo"))
      yield* act(() => page.getByRole("button", { name: "Use this photo" }).waitFor())
      expectNothingWrong(visit)
    }))

  for (const [width, height] of [
    [390, 664],
    [320, 568],
    [320, 256],
    [664, 390],
    [844, 390]
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

  test("may be gone on without, but not once there is a photo", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({
        workflow: { steps: [{ id: "selfie", type: "selfie", prompts: 1, skipIfNoCamera: true }] }
      })
      const goOn = page.getByRole("button", { name: "Continue without photos" })
      yield* act(() => goOn.waitFor())
      const release = yield* act(() => holding(page, /\/files$/))
      yield* act(() => page.getByRole("button", { name: "Take photo" }).first().click())
      yield* act(() => press(page, "Take the photo"))
      yield* act(() => press(page, "Use this photo"))
      // Also while the first is on its way.
      yield* act(() => goOn.waitFor({ state: "detached" }))
      release()
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => expect.poll(() => goOn.count()).toBe(0))
      expectNothingWrong(visit)
    }))

  test("may not be gone on without after a reload either, and what was received is counted", () =>
    Effect.gen(function* () {
      const { company, page, session, visit } = yield* opened({
        workflow: {
          steps: [
            { id: "selfie", type: "selfie", prompts: 0, skipIfNoCamera: true },
            { id: "review", type: "review" }
          ]
        }
      })
      const goOn = page.getByRole("button", { name: "Continue without photos" })
      yield* act(() => goOn.waitFor())
      yield* act(() => press(page, "Take photo"))
      yield* act(() => press(page, "Take the photo"))
      yield* act(() => press(page, "Use this photo"))
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => page.reload())
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => expect.poll(() => goOn.count()).toBe(0))
      expect(yield* receivedFiles(company, session)).toHaveLength(1)
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "Check and send"))
      const count = page.locator("dt", { hasText: "Photos and files" }).locator("xpath=../dd")
      yield* act(() => expect.poll(() => count.textContent()).toBe("1"))
      // Handed in, it is in the progress, and the tab has nothing more to remember.
      yield* act(() =>
        expect
          .poll(() =>
            page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.endsWith(":files")))
          )
          .toEqual([])
      )
      expectNothingWrong(visit)
    }))

  test("is led to from the summary of errors, also where no file may be chosen", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({
        config: { capture: { sources: ["camera"] } },
        workflow: stepsOf("consent", "doc", "review")
      })
      yield* act(() => consent(page))
      yield* act(() => passport(page, number()))
      yield* act(() => press(page, "Continue"))
      yield* act(() => page.getByRole("link", { name: "We need this photo: Page with your photo" }).click())
      yield* act(() => hasFocus(page.getByRole("group", { name: "Page with your photo" })))
      expectNothingWrong(visit)
    }))
})
