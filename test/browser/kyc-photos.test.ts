import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  consent,
  number,
  opened,
  PageCompany,
  passport,
  receivedFiles,
  stepsOf
} from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, heading, press } from "../support/browser/visit.ts"
import { field } from "../support/client.ts"

import { fileOf, noise, photoWithPlace, plain } from "../support/kyc/pictures.ts"
import { temporaryFolder } from "../support/postgres.ts"

inBrowser(PageCompany.layer)("photos on the KYC page", (test) => {
  const atDocument = (config: object = {}) =>
    Effect.gen(function* () {
      const begun = yield* opened({ config, workflow: stepsOf("consent", "doc", "review") })
      yield* act(() => consent(begun.page))
      yield* act(() => passport(begun.page, number()))
      return { ...begun, picker: begun.page.getByLabel("Choose a file") }
    })

  test("of 20 MB are scaled down in the browser; 20 MB of text are refused", () =>
    Effect.gen(function* () {
      const { company, page, picker, session, visit } = yield* atDocument()
      // By their paths: as bytes they would go to the browser as text.
      const folder = yield* temporaryFolder
      const [photo, text] = [`${folder}/photo.png`, `${folder}/photo.jpg`]
      yield* act(() => Bun.write(photo, noise(2700, 2500)))
      yield* act(() => Bun.write(text, Buffer.alloc(20_000_000, "<p>")))
      expect(Bun.file(photo).size).toBeGreaterThan(20_000_000)
      yield* act(() => picker.setInputFiles(text))
      yield* act(() => page.getByText(/cannot be opened as a picture/).waitFor())
      yield* act(() => picker.setInputFiles(photo))
      yield* act(() => press(page, "Use this photo"))
      yield* act(() => page.getByText("Received").waitFor())
      const [received] = yield* receivedFiles(company, session)
      expect(received?.type).toBe("image/jpeg")
      expect(received?.bytes.length).toBeLessThan(5_242_880)
      expectNothingWrong(visit)
    }))

  test("are converted to a type that the instance accepts", () =>
    Effect.gen(function* () {
      const { company, page, picker, session, visit } = yield* atDocument({
        capture: { mime: ["image/png"] }
      })
      const jpeg = fileOf("photo.jpg", "image/jpeg", yield* act(() => photoWithPlace(page)))
      yield* act(() => picker.setInputFiles(jpeg))
      yield* act(() => press(page, "Use this photo"))
      yield* act(() => page.getByText("Received").waitFor())
      const received = yield* receivedFiles(company, session)
      expect(received.map(({ type }) => type)).toEqual(["image/png"])
      expectNothingWrong(visit)
    }))

  test("are used although a warning says how bad they are", () =>
    Effect.gen(function* () {
      const { company, outcome, page, picker, session, visit } = yield* atDocument()
      const choose = (colour: string, edge: number) =>
        act(async () =>
          picker.setInputFiles(fileOf("photo.png", "image/png", await plain(page, colour, edge)))
        )
      for (const [colour, edge, said] of [
        ["#111", 1200, "This picture is rather dark. More light helps."],
        ["#fff", 1200, "This picture is very bright. Avoid flash and reflections."],
        ["#888", 300, "This picture is small. Come closer, or use a larger photo."],
        ["#888", 1200, "This picture looks blurred. Can you read every word?"]
      ] as const) {
        yield* choose(colour, edge)
        yield* act(() => page.getByText(said).waitFor())
        if (said.includes("blurred")) continue
        yield* act(() => press(page, "Choose another file"))
      }
      expect(yield* receivedFiles(company, session)).toEqual([])
      yield* act(() => press(page, "Use this photo"))
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => press(page, "Continue"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      const [stored] = yield* receivedFiles(company, session)
      const sha256 = new Bun.CryptoHasher("sha256").update(stored?.bytes ?? "").digest("hex")
      expect(field(yield* outcome, "result", "document", "files")).toMatchObject([
        { side: "front", w: 1200, h: 1200, blur: 0, sha256 }
      ])
      expectNothingWrong(visit)
    }))
})
