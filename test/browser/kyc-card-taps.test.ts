/** Both sides of a card, and a selfie, by as few taps as possible. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import sharp from "sharp"
import { type Filmed, photoOfHolder, sideways, upright } from "../support/browser/film.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { countTaps, opened, PageCompany, stepsOf } from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, heading, press } from "../support/browser/visit.ts"
import { field } from "../support/client.ts"
import { astronaut } from "../support/kyc/portraits.ts"

/** What the camera may show. Only the back has a zone that is upright. */
const picturesOf = async (level: Filmed) => {
  const back = await photoOfHolder("TD1", level)
  const { height, width } = await sharp(back).metadata()
  const front = await sharp(back).rotate(180).toBuffer()
  const face = await astronaut().resize(width, height, { fit: "cover", position: "top" }).toBuffer()
  const table = await sharp({ create: { width, height, channels: 3, background: "#404850" } })
    .jpeg()
    .toBuffer()
  const jpeg = async (picture: Buffer) =>
    (await sharp(picture).jpeg({ quality: 95 }).toBuffer()).toString("base64")
  return {
    front: await jpeg(front),
    back: await jpeg(back),
    face: await jpeg(face),
    mirrored: await jpeg(await sharp(face).flop().toBuffer()),
    table: await jpeg(table)
  }
}

/** Makes the camera show the picture that `window.shown` names. */
const camera = (page: Page, pictures: Readonly<Record<string, string>>) =>
  page.evaluate(async (given) => {
    const bitmaps = new Map<unknown, ImageBitmap>()
    for (const [name, text] of Object.entries(given)) {
      const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
      bitmaps.set(name, await createImageBitmap(new Blob([bytes], { type: "image/jpeg" })))
    }
    const [first] = bitmaps.values()
    const canvas = document.createElement("canvas")
    canvas.width = first?.width ?? 0
    canvas.height = first?.height ?? 0
    const context = canvas.getContext("2d")
    setInterval(() => {
      const bitmap = bitmaps.get(Reflect.get(window, "shown"))
      if (bitmap !== undefined) context?.drawImage(bitmap, 0, 0)
    }, 60)
    navigator.mediaDevices.getUserMedia = async () => canvas.captureStream(15)
  }, pictures)

const show = (page: Page, name: string) => page.evaluate((shown) => Object.assign(window, { shown }), name)

inBrowser(PageCompany.layer)("a card and a selfie on the KYC page", (test) => {
  for (const [width, height, level] of [
    [320, 568, upright],
    [1440, 900, sideways]
  ] as const) {
    test(`take six taps and two more, and no typing, at ${width} x ${height}`, () =>
      Effect.gen(function* () {
        const { steps } = stepsOf("consent", "doc", "review")
        const [consent, doc, review] = steps
        const { outcome, page, visit } = yield* opened({
          browser: { viewport: { width, height } },
          workflow: { steps: [consent, doc, { id: "selfie", type: "selfie", prompts: 1 }, review] }
        })
        const pictures = yield* Effect.promise(() => picturesOf(level))
        yield* act(() => heading(page, "Before we begin"))
        yield* act(() => camera(page, pictures))
        yield* act(() => countTaps(page))
        yield* act(() => page.getByRole("checkbox").check())
        yield* act(() => press(page, "Agree and continue"))
        yield* act(() => page.getByRole("radio", { name: "Identity card" }).check())
        const dialog = page.getByRole("dialog")
        const hint = dialog.getByRole("status").first()
        yield* act(() => show(page, "front"))
        yield* act(() => page.getByRole("button", { name: "Take photo" }).first().click())
        yield* act(() => dialog.getByText("Photo 2 of 2").waitFor())
        // The outline shows what is in it.
        const ground = () => page.locator(".guide").evaluate((it) => getComputedStyle(it).backgroundColor)
        yield* act(() => expect.poll(ground).toBe("rgba(0, 0, 0, 0)"))
        yield* act(() => show(page, "table"))
        yield* act(() => hint.getByText("Move the document into the outline.").waitFor())
        yield* act(() => show(page, "back"))
        yield* act(() => page.getByText("These details were read from your photo.").waitFor())
        yield* act(() => expect.poll(() => page.locator("#doc-number").inputValue()).toBe("L898902C3"))
        yield* act(() => expect.poll(() => page.getByText("Received").count()).toBe(2))
        yield* act(() => press(page, "Continue"))

        yield* act(() => heading(page, "A photo of you"))
        yield* act(() => show(page, "face"))
        yield* act(() => page.getByRole("button", { name: "Take photo" }).first().click())
        yield* act(() => dialog.getByText("Photo 2 of 2").waitFor())
        yield* act(() => show(page, "mirrored"))
        yield* act(() => expect.poll(() => page.getByText("Received").count()).toBe(2))
        yield* act(() => press(page, "Continue"))
        yield* act(() => heading(page, "Check and send"))
        yield* act(() => press(page, "Send"))
        yield* act(() => heading(page, "All done"))
        // Without the selfie: box, agree, card, camera, continue, send. The selfie: camera, continue.
        yield* act(() => expect.poll(() => page.evaluate("taps")).toBe(8))
        expect(field(yield* outcome, "progress", "s_doc", "files")).toMatchObject([
          { side: "front" },
          { side: "back" }
        ])
        expectNothingWrong(visit)
      }))
  }

  test("without a face, the camera of a selfie says so and takes no picture by itself", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({
        browser: { viewport: { width: 390, height: 664 } },
        workflow: { steps: [{ id: "selfie", type: "selfie", prompts: 1 }] }
      })
      const pictures = yield* Effect.promise(() => picturesOf(upright))
      yield* act(() => heading(page, "A photo of you"))
      yield* act(() => camera(page, pictures))
      // It is printed all over, and held still.
      yield* act(() => show(page, "back"))
      yield* act(() => page.getByRole("button", { name: "Take photo" }).first().click())
      const dialog = page.getByRole("dialog")
      yield* act(() =>
        dialog.getByRole("status").first().getByText("No face can be seen in the outline.").waitFor()
      )
      yield* act(() => show(page, "face"))
      yield* act(() => dialog.getByText("Photo 2 of 2").waitFor())
      // The shutter always works.
      yield* act(() => show(page, "back"))
      yield* act(() => press(page, "Take the photo"))
      yield* act(() => expect.poll(() => page.getByText("Received").count()).toBe(2))
      expectNothingWrong(visit)
    }))
})
