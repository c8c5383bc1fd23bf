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
  photograph,
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

/** Makes the camera show a passport as `shown` says. */
const scene = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.createElement("canvas")
    canvas.width = 1080
    canvas.height = 1920
    const context = canvas.getContext("2d")
    if (context === null) return
    const draw = () => {
      const shown = Reflect.get(window, "shown")
      context.fillStyle = shown === "dark" ? "#101010" : "#404850"
      context.fillRect(0, 0, 1080, 1920)
      if (shown === "empty" || shown === "dark") return
      // Where the outline of a portrait phone is: the middle of the frame.
      const guide = document.querySelector(".guide")?.getBoundingClientRect()
      const video = document.querySelector("video")?.getBoundingClientRect()
      if (guide === undefined || video === undefined) return
      const scale = Math.max(video.width / 1080, video.height / 1920)
      const [width, height] = [guide.width / scale, guide.height / scale]
      const [x, y] = [540 - width / 2, 960 - height / 2]
      context.fillStyle = "#c8c4bc"
      context.fillRect(x, y, width, shown === "cut" ? 1920 : height)
      // Print that is out of focus is not to be seen.
      if (shown === "blurred") return
      context.fillStyle = "#28282c"
      context.font = "bold 40px monospace"
      for (let row = 0; row < 10; row++) {
        context.fillText(
          "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<",
          x + 40,
          y + 80 + (row * height) / 11,
          width - 80
        )
      }
      if (shown !== "glare") return
      context.fillStyle = "#ffffff"
      context.fillRect(x + width / 4, y + height / 4, width / 2, height / 2)
    }
    setInterval(draw, 60)
    navigator.mediaDevices.getUserMedia = async () => canvas.captureStream(15)
  })

inBrowser(PageCompany.layer)("the camera of the KYC page", (test) => {
  const atDocument = Effect.gen(function* () {
    const begun = yield* opened({ workflow: stepsOf("consent", "doc", "review") })
    yield* act(() => consent(begun.page))
    yield* act(() => passport(begun.page, number()))
    return begun
  })

  test("a camera that is slow to start says so to those who see, too", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({ workflow: stepsOf("selfie") })
      yield* act(() => heading(page, "A photo of you"))
      yield* act(() =>
        page.evaluate(() => {
          navigator.mediaDevices.getUserMedia = () => new Promise(() => {})
        })
      )
      yield* act(() => press(page, "Take photo"))
      const starting = page.getByText("The camera is starting…")
      const width = async () => (await starting.boundingBox())?.width ?? 0
      yield* act(() => expect.poll(width).toBeGreaterThan(100))
      yield* act(() => press(page, "Close camera"))
      expectNothingWrong(visit)
    }))

  test("used by another app: the page says so, and the next attempt works", () =>
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

  test("missing: the page says so, and offers the phone's camera app and a file", () =>
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

  test("stopped during the preview: the page says so instead of freezing", () =>
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
    [844, 390],
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
      const { page, visit } = yield* opened({
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
      const words: Array<string> = []
      for (const count of [1, 2, 3]) {
        yield* act(() => dialog.getByText(`Photo ${count} of 3`).waitFor())
        let now = ""
        yield* act(() =>
          expect
            .poll(async () => {
              now = (await said.textContent()) ?? ""
              return now.includes("The camera is on.") && !words.includes(now)
            })
            .toBe(true)
        )
        words.push(now)
        yield* act(() => press(page, "Take the photo"))
      }
      expect(new Set(words).size).toBe(3)
      yield* act(() => dialog.waitFor({ state: "detached" }))
      yield* act(() => expect.poll(() => page.getByText("Received").count()).toBe(3))
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "All done"))
      expectNothingWrong(visit)
    }))

  test("says what is wrong with the picture, and takes a good one by itself", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({ workflow: stepsOf("doc", "review") })
      yield* act(() => page.getByRole("radio", { name: "Identity card" }).check())
      yield* act(() => scene(page))
      yield* act(() => page.getByRole("button", { name: "Take photo" }).first().click())
      // It shows what is in it.
      const ground = () => page.locator(".guide").evaluate((it) => getComputedStyle(it).backgroundColor)
      yield* act(() => expect.poll(ground).toBe("rgba(0, 0, 0, 0)"))
      const hint = page.getByRole("dialog").getByRole("status").first()
      for (const [name, words] of [
        ["dark", "It is too dark here."],
        ["empty", "Move the document into the outline."],
        ["cut", "Part of the document is cut off."],
        ["glare", "There is a reflection."],
        ["blurred", "The picture is blurred."]
      ] as const) {
        yield* act(() => page.evaluate((shown) => Object.assign(window, { shown }), name))
        yield* act(() => hint.getByText(words).waitFor())
      }
      const show = (name: string) => page.evaluate((shown) => Object.assign(window, { shown }), name)
      yield* act(() => show("good"))
      // The same camera takes the back, once the card has moved.
      yield* act(() => page.getByRole("dialog").getByText("Photo 2 of 2").waitFor())
      yield* act(() => show("empty"))
      yield* act(() => hint.getByText("Move the document into the outline.").waitFor())
      yield* act(() => show("good"))
      yield* act(() => page.getByRole("dialog").waitFor({ state: "detached" }))
      yield* act(() => expect.poll(() => page.getByText("Received").count()).toBe(2))
      expectNothingWrong(visit)
    }))

  test("can be skipped, but not once there is a photo", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({
        workflow: { steps: [{ id: "selfie", type: "selfie", prompts: 1, skipIfNoCamera: true }] }
      })
      const goOn = page.getByRole("button", { name: "Skip the photos" })
      yield* act(() => goOn.waitFor())
      const release = yield* act(() => holding(page, /\/files$/))
      yield* act(() => page.getByRole("button", { name: "Take photo" }).first().click())
      yield* act(() => press(page, "Take the photo"))
      yield* act(() => page.locator("dialog").getByText("Photo 2 of 2").waitFor())
      yield* act(() => press(page, "Close camera"))
      // Also while the first is on its way.
      yield* act(() => goOn.waitFor({ state: "detached" }))
      release()
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => expect.poll(() => goOn.count()).toBe(0))
      expectNothingWrong(visit)
    }))

  test("can be skipped only where the instance allows it", () =>
    Effect.gen(function* () {
      const steps = (allowed: boolean) => [
        { id: "doc", type: "document", optional: allowed },
        { id: "selfie", type: "selfie", prompts: 0, skipIfNoCamera: allowed },
        { id: "poa", type: "upload", optional: allowed },
        { id: "review", type: "review" }
      ]
      const free = yield* opened({ workflow: { steps: steps(true) } })
      for (const [title, skip] of [
        ["Your document", "Skip this step"],
        ["A photo of you", "Skip the photos"],
        ["Additional documents", "Skip this step"]
      ] as const) {
        yield* act(() => heading(free.page, title))
        yield* act(() => press(free.page, skip))
      }
      yield* act(() => heading(free.page, "Check and send"))

      const { page, visit } = yield* opened({ workflow: { steps: steps(false) } })
      const skips = page.getByRole("button", { name: /Skip/ })
      yield* act(() => passport(page, number()))
      yield* act(() => expect.poll(() => skips.count()).toBe(0))
      yield* act(() => photograph(page))
      yield* act(() => press(page, "Continue"))
      for (const title of ["A photo of you", "Additional documents"]) {
        yield* act(() => heading(page, title))
        yield* act(() => expect.poll(() => skips.count()).toBe(0))
        yield* act(() => photograph(page))
        yield* act(() => press(page, "Continue"))
      }
      yield* act(() => heading(page, "Check and send"))
      for (const it of [free.visit, visit]) expectNothingWrong(it)
    }))

  test("cannot be skipped after a reload either, and received photos count", () =>
    Effect.gen(function* () {
      const { company, page, session, visit } = yield* opened({
        workflow: {
          steps: [
            { id: "selfie", type: "selfie", prompts: 0, skipIfNoCamera: true },
            { id: "review", type: "review" }
          ]
        }
      })
      const goOn = page.getByRole("button", { name: "Skip the photos" })
      yield* act(() => goOn.waitFor())
      yield* act(() => press(page, "Take photo"))
      yield* act(() => press(page, "Take the photo"))
      yield* act(() => press(page, "Use this photo"))
      yield* act(() => page.getByText("Received").waitFor())
      // The small copy is made meanwhile.
      yield* act(() =>
        expect.poll(() => page.evaluate(() => Object.keys(sessionStorage).join())).toContain(":thumbnails")
      )
      // What the page saves when it is left may arrive after the next one has read the session.
      yield* act(() =>
        page.route(
          `**${session.path}?*`,
          async (route) => {
            const response = await route.fetch()
            const { session: read } = await response.json()
            await route.fulfill({ response, json: { session: { ...read, progress: {} } } })
          },
          { times: 1 }
        )
      )
      yield* act(() => page.reload())
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => expect.poll(() => goOn.count()).toBe(0))
      expect(yield* receivedFiles(company, session)).toHaveLength(1)
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "Check and send"))
      yield* act(() => page.reload())
      yield* act(() => heading(page, "Check and send"))
      // Small copies survive, in the tab.
      const copy = page.getByRole("img", { name: "Look straight into the camera" })
      yield* act(() =>
        expect
          .poll(() => copy.evaluate((it) => it instanceof HTMLImageElement && it.naturalWidth > 0))
          .toBe(true)
      )
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
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      yield* act(() =>
        expect
          .poll(() => page.evaluate(() => Object.keys(sessionStorage).join()))
          .not.toContain(":thumbnails")
      )
      expectNothingWrong(visit)
    }))

  test("is linked from the error summary, even if no file may be chosen", () =>
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
