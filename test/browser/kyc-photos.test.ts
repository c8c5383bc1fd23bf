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
import { act, expectNothingWrong, press } from "../support/browser/visit.ts"

import { noise } from "../support/kyc/pictures.ts"
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
})
