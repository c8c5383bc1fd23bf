import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  consent,
  number,
  opened,
  PageCompany,
  passport,
  photograph,
  receivedFiles,
  stepsOf
} from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, failing, heading, holding, press } from "../support/browser/visit.ts"
import { field } from "../support/client.ts"
import { samples, upload } from "../support/kyc/files.ts"
import { fileOf, noise, photoWithPlace } from "../support/kyc/pictures.ts"
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

  test("do not reset input that is typed during their upload", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* atDocument()
      const release = yield* act(() => holding(page, /\/files$/))
      yield* act(() => press(page, "Take photo"))
      yield* act(() => press(page, "Take the photo"))
      yield* act(() => press(page, "Use this photo"))
      yield* act(() => page.getByRole("status").getByText("Sending the file…").waitFor())
      yield* act(() => page.getByLabel("Document number").fill("LATER1"))
      release()
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => expect.poll(() => page.getByLabel("Document number").inputValue()).toBe("LATER1"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => page.getByText("LATER1").waitFor())
      expectNothingWrong(visit)
    }))

  test("are sent again after a server error; the old photo stays until it is replaced", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* atDocument()
      yield* act(() => photograph(page))
      yield* act(() => press(page, "Replace"))
      yield* act(() => press(page, "Keep the uploaded file"))
      yield* act(() => page.getByText("Received").waitFor())
      const answer = yield* act(() => failing(page, /\/files$/))
      yield* act(() => press(page, "Replace"))
      yield* act(() => press(page, "Take photo"))
      yield* act(() => press(page, "Take the photo"))
      yield* act(() => press(page, "Use this photo"))
      yield* act(() => page.getByText("The file was not sent.").waitFor())
      yield* act(() => page.getByText("What you entered is not lost.").waitFor())
      answer.status = undefined
      yield* act(() => press(page, "Try again"))
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => press(page, "Continue"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      expect(field(yield* outcome, "result", "document", "files")).toMatchObject([{ side: "front" }])
      expectNothingWrong(visit)
    }))

  test("beyond the session's limit: the page does not ask to wait, and the end user can continue", () =>
    Effect.gen(function* () {
      const { company, page, session, visit } = yield* atDocument()
      yield* act(() => photograph(page))
      yield* Effect.forEach(Array.from({ length: 39 }), () => upload(company.server, session, samples.png))
      yield* act(() => press(page, "Replace"))
      yield* act(() => press(page, "Take photo"))
      yield* act(() => press(page, "Take the photo"))
      yield* act(() => press(page, "Use this photo"))
      yield* act(() => page.getByText(/^No more files can be sent/).waitFor())
      yield* act(() => expect.poll(() => page.getByText(/Please wait/).count()).toBe(0))
      yield* act(() => press(page, "Keep the uploaded file"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "Check and send"))
      expectNothingWrong(visit)
    }))

  test("of one type of document do not count for another", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* atDocument()
      yield* act(() => photograph(page))
      yield* act(() => page.getByRole("radio", { name: "Identity card" }).check())
      yield* act(() => press(page, "Continue"))
      yield* act(() => page.getByRole("link", { name: "We need this photo: Front" }).waitFor())
      yield* act(() => page.getByRole("radio", { name: "Passport" }).check())
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "Check and send"))
      expectNothingWrong(visit)
    }))

  test("of a person are kept when the end user goes back a step", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({
        workflow: {
          steps: [
            { id: "consent", type: "consent" },
            { id: "selfie", type: "selfie", prompts: 2 }
          ]
        }
      })
      yield* act(() => consent(page))
      yield* act(() => page.getByRole("button", { name: "Take photo" }).first().click())
      yield* act(() => press(page, "Take the photo"))
      yield* act(() => page.locator("dialog").getByText("Photo 2 of 3").waitFor())
      yield* act(() => press(page, "Close camera"))
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => press(page, "Back"))
      yield* act(() => consent(page))
      yield* act(() => heading(page, "A photo of you"))
      yield* act(() => expect.poll(() => page.getByText("Received").count()).toBe(1))
      yield* act(() => expect.poll(() => page.getByAltText("Your photo").count()).toBe(1))
      expectNothingWrong(visit)
    }))
})
