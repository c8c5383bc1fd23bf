import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { inBrowser } from "../support/browser/in-browser.ts"
import { consent, linkOf, opened, PageCompany, passport, photograph } from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, heading, press, visitor } from "../support/browser/visit.ts"
import { field, text } from "../support/client.ts"
import { strayToken } from "../support/kyc/partner.ts"

const steps = [
  { id: "consent", type: "consent" },
  { id: "captcha", type: "captcha" },
  { id: "doc", type: "document", dedup: true },
  { id: "review", type: "review" }
]

/** Comes as far as the document, and hands it in under a number. */
const withDocument = (onMatch: string, number: string, session: object = {}) =>
  Effect.gen(function* () {
    const { outcome, page, visit } = yield* opened({
      config: { dedup: { enabled: true, onMatch }, redirect: { autoDelayMs: 60_000 } },
      workflow: { v: 1, id: "short", version: 1, steps },
      session
    })
    yield* act(() => consent(page))
    yield* act(() => passport(page, number))
    yield* act(() => photograph(page))
    yield* act(() => press(page, "Continue"))
    return { page, visit, outcome }
  })

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

  test("reports a link that does not work, and a step that it is too old for", () =>
    Effect.gen(function* () {
      const company = yield* PageCompany
      const visit = yield* visitor(company)
      const session = yield* company.newSession()
      const token = yield* strayToken(company)
      yield* act(() => visit.page.goto(linkOf(visit, { ...session, token })))
      yield* act(() => heading(visit.page, "This link does not work"))
      const strange = yield* opened({ workflow: { steps: [{ id: "call", type: "video-call" }] } })
      yield* act(() => heading(strange.page, "This page needs an update"))
      yield* act(() => press(strange.page, "Stop verification"))
      yield* act(() => press(strange.page, "Yes, stop"))
      yield* act(() => heading(strange.page, "You have stopped the verification"))
      expect(yield* strange.outcome).toMatchObject({
        status: "cancelled",
        result: { failureCode: "UNSUPPORTED_STEP" }
      })
      for (const seen of [visit, strange.visit]) expectNothingWrong(seen)
    }))

  test("says at the next step that the company has called it off, or given it another link", () =>
    Effect.gen(function* () {
      const company = yield* PageCompany
      const { page, session, visit } = yield* opened({ workflow: { v: 1, id: "short", version: 1, steps } })
      yield* act(() => heading(page, "Before we begin"))
      yield* company.asMember("POST", `/api/kyc/sessions/${session.id}/cancel`)
      yield* act(() => consent(page))
      yield* act(() => heading(page, "This verification was cancelled"))
      yield* act(() => page.reload())
      yield* act(() => heading(page, "This verification was cancelled"))

      const other = yield* opened({ workflow: { v: 1, id: "short", version: 1, steps } })
      yield* act(() => heading(other.page, "Before we begin"))
      const resumed = yield* company.asMember("POST", `/api/kyc/sessions/${other.session.id}/resume`)
      yield* act(() => consent(other.page))
      yield* act(() => heading(other.page, "This link does not work"))
      const token = text(resumed.body, "sessionToken")
      yield* act(() => other.page.goto(linkOf(other.visit, { ...other.session, token })))
      yield* act(() => heading(other.page, "Before we begin"))
      for (const seen of [visit, other.visit]) expectNothingWrong(seen)
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

  for (const [onMatch, action] of [
    ["silent", "none"],
    ["review", "review"]
  ] as const) {
    test(`a document seen before, ${onMatch}: goes on`, () =>
      Effect.gen(function* () {
        const { outcome, page, visit } = yield* withDocument(onMatch, "TEST-DUP", { mode: "dev" })
        yield* act(() => heading(page, "Check and send"))
        yield* act(() => press(page, "Send"))
        yield* act(() => heading(page, "All done"))
        expect(field(yield* outcome, "result", "dedup")).toMatchObject({ matchFound: true, action })
        expectNothingWrong(visit)
      }))
  }

  test("a known document, warn: asks whether it belongs to the end user", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* withDocument("warn", "TEST-DUP", { mode: "dev" })
      yield* act(() => page.getByText("This document has been used before").waitFor())
      yield* act(() => press(page, "Yes, it is mine"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      expect(field(yield* outcome, "result", "dedup", "action")).toBe("warned")
      expectNothingWrong(visit)
    }))

  test("a known document, block: ends, and the server records the duplicate", () =>
    Effect.gen(function* () {
      const first = yield* withDocument("block", "AB1234567")
      yield* act(() => heading(first.page, "Check and send"))
      const second = yield* withDocument("block", "ab 123-4567")
      yield* act(() => heading(second.page, "The verification has ended"))
      expect(yield* second.outcome).toMatchObject({
        status: "failed",
        result: { failureCode: "DUPLICATE_IDENTITY" },
        assurance: { dedup: { matchFound: true, seenCount: 2 } }
      })
      expectNothingWrong(second.visit)
    }))

  test("fails in test mode for TEST-FAIL, under a banner", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* withDocument("review", "test-fail", { mode: "dev" })
      yield* act(() => page.getByText(/^Test mode/).waitFor())
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "The verification has ended"))
      expect(yield* outcome).toMatchObject({ status: "failed", result: { failureCode: "TEST_FAIL" } })
      expectNothingWrong(visit)
    }))

  test("shows nothing about a person on a result page without a session", () =>
    Effect.gen(function* () {
      const company = yield* PageCompany
      const { id } = yield* company.newSession()
      const visit = yield* visitor(company)
      yield* act(() => visit.page.goto(`${visit.origin}/kyc/session/${id}/done`))
      yield* act(() => heading(visit.page, "All done"))
      expectNothingWrong(visit)
    }))
})
