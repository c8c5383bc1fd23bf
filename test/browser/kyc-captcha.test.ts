import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { insecureHost } from "../support/browser/chromium-program.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { consent, PageCompany, prepared } from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, heading, press } from "../support/browser/visit.ts"

const workflow = {
  steps: [
    { id: "consent", type: "consent" },
    { id: "person", type: "form", fields: [{ id: "givenName", type: "text", required: true }] },
    { id: "review", type: "review" }
  ]
}

inBrowser(PageCompany.layer)("the captcha of the KYC page", (test) => {
  test("is solved on plain http, where there is no WebCrypto and no camera", () =>
    Effect.gen(function* () {
      const { link, outcome, page, visit } = yield* prepared({
        config: { captcha: { required: true, siteKey: "site-7" } },
        workflow,
        host: insecureHost
      })
      yield* act(() => page.goto(link))
      yield* act(() => expect.poll(() => page.evaluate(() => isSecureContext)).toBe(false))
      yield* act(() => consent(page))
      yield* act(() => page.getByLabel("First names").fill("Ada"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      expect(yield* outcome).toMatchObject({
        status: "completed",
        assurance: { captcha: { verified: true } },
        result: { client: { secureContext: false } }
      })
      expectNothingWrong(visit)
    }))

  test("that fails can be retried", () =>
    Effect.gen(function* () {
      const { link, outcome, page, visit } = yield* prepared({
        config: { captcha: { required: true } },
        workflow
      })
      let broken = true
      yield* act(() =>
        page.route(/\/captcha\/(redeem|verify)$/, (route) =>
          broken ? route.fulfill({ status: 500, json: { error: "no" } }) : route.continue()
        )
      )
      yield* act(() => page.goto(link))
      yield* act(() => consent(page))
      yield* act(() => page.getByLabel("First names").fill("Ada"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => press(page, "Send"))
      yield* act(() => page.getByText(/The security check failed/).waitFor())
      broken = false
      yield* act(() => press(page, "Try again"))
      yield* act(() => heading(page, "All done"))
      expect(yield* outcome).toMatchObject({ assurance: { captcha: { verified: true } } })
      expectNothingWrong(visit)
    }))

  test("that is optional does not block completion, and the server records that there was none", () =>
    Effect.gen(function* () {
      const { link, outcome, page, visit } = yield* prepared({
        workflow: { steps: [{ id: "captcha", type: "captcha" }, ...workflow.steps] }
      })
      yield* act(() => page.route(/\/captcha\/challenge/, (route) => route.abort()))
      yield* act(() => page.goto(link))
      yield* act(() => consent(page))
      yield* act(() => page.getByLabel("First names").fill("Ada"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      expect(yield* outcome).toMatchObject({
        status: "completed",
        assurance: { captcha: { verified: false } }
      })
      expectNothingWrong(visit)
    }))
})
