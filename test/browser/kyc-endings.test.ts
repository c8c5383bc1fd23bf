import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { inBrowser } from "../support/browser/in-browser.ts"
import { linkOf, opened, PageCompany } from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, heading, press, visitor } from "../support/browser/visit.ts"
import { field } from "../support/client.ts"

inBrowser(PageCompany.layer)("how the KYC page ends", (test) => {
  test("says that the time is up before any request to the server", () =>
    Effect.gen(function* () {
      const company = yield* PageCompany
      const visit = yield* visitor(company)
      const session = yield* company.newSession({ expiresInSeconds: 3600 })
      yield* act(() => visit.page.clock.install())
      yield* act(() => visit.page.goto(linkOf(visit, session)))
      yield* act(() => heading(visit.page, "Before we begin"))
      // By the page's clock only: for the server the session has an hour.
      yield* act(() => visit.page.clock.fastForward("58:45"))
      yield* act(() => visit.page.getByText(/^Time left: \d+ seconds?$/).waitFor())
      yield* act(() => visit.page.clock.fastForward("01:15"))
      yield* act(() => heading(visit.page, "The time for this verification is over"))
      yield* company.expire(session)
      yield* act(() => visit.page.reload())
      yield* act(() => heading(visit.page, "The time for this verification is over"))
      expectNothingWrong(visit)
    }))

  test("cancels if the end user does not agree, and links to the partner's failure page", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* opened({
        config: { redirect: { allowedHosts: ["partner.test"], autoDelayMs: 60_000 } },
        session: { failureRedirectUrl: "https://partner.test/sorry?a=1" }
      })
      yield* act(() => press(page, "I do not agree"))
      yield* act(() => press(page, "Yes, stop"))
      yield* act(() => heading(page, "You have stopped the verification"))
      yield* act(() => press(page, "Stay here"))
      yield* act(() => page.getByRole("button", { name: "Continue to partner.test" }).waitFor())
      expect(yield* outcome).toMatchObject({
        status: "cancelled",
        result: { failureCode: "CONSENT_DECLINED" }
      })
      yield* act(() => page.reload())
      yield* act(() => heading(page, "You have stopped the verification"))
      expectNothingWrong(visit)
    }))

  test("has the hash, the version and the language of the text that was agreed to", () =>
    Effect.gen(function* () {
      const text = { en: "I agree to be checked.", de: "Ich bin mit der Prüfung einverstanden." }
      const { outcome, page, visit } = yield* opened({
        browser: { locale: "de-DE" },
        config: { legal: { consentVersion: "2026-11" } },
        workflow: {
          steps: [
            {
              id: "consent",
              type: "consent",
              items: [
                { id: "check", required: true, text },
                { id: "news", required: false, text: { en: "Write to me." } }
              ]
            }
          ]
        }
      })
      yield* act(() => page.getByRole("checkbox", { name: text.de }).check())
      yield* act(() => page.locator("button[type=submit]").click())
      yield* act(() => heading(page, "Fertig"))
      expect(field(yield* outcome, "result", "consents")).toEqual([
        {
          id: "check",
          version: "2026-11",
          textSha256: new Bun.CryptoHasher("sha256").update(text.de).digest("hex"),
          locale: "de",
          acceptedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
        }
      ])
      expectNothingWrong(visit)
    }))
})
