import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { insecureHost } from "../support/browser/chromium-program.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  consent,
  linkOf,
  number,
  opened,
  PageCompany,
  passport,
  person,
  photograph,
  prepared,
  stepsOf
} from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, heading, press, visitor } from "../support/browser/visit.ts"
import { createInstance, createSession, field, text } from "../support/client.ts"
import { reviewsAs } from "../support/kyc/reviews.ts"

inBrowser(PageCompany.layer)("the whole KYC page", (test) => {
  const right = "P<ESTERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nK0307756<4EST9012101F3504015<<<<<<<<<<<<<<06"

  test("asks, saves, and completes with the server's assurance", () =>
    Effect.gen(function* () {
      const company = yield* PageCompany
      const { id } = yield* createInstance(company.server, company.member, {
        config: { checks: { sameBrowser: true } }
      })
      const session = yield* createSession(company.server, company.key.token, id)
      // With everything that moves.
      const visit = yield* visitor(company, { reducedMotion: "no-preference" })
      const { page, seen } = visit
      yield* act(() => page.goto(linkOf(visit, session)))
      yield* act(() => heading(page, "Before we begin"))
      yield* act(() => expect.poll(() => page.url()).toBe(`${visit.origin}/kyc/session/${session.id}`))
      expect(seen.changing).toEqual([])
      yield* act(() => consent(page))
      yield* act(() => passport(page, number()))
      yield* act(() => photograph(page))
      yield* act(() => press(page, "Continue"))
      yield* act(() => person(page))
      yield* act(() => heading(page, "Check and send"))
      const sent = page.waitForRequest(/\/complete$/)
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      const { browserMark } = yield* act(async () => (await sent).postDataJSON())
      const kept = () => page.evaluate((name) => localStorage.getItem(name), `kyc:browser:${id}`)
      yield* act(() => expect.poll(kept).toContain(`"mark":"${browserMark}"`))
      const { body } = yield* company.asPartner(`/api/kyc/sessions/${session.id}`)
      expect(field(body, "session")).toMatchObject({
        status: "completed",
        assurance: { captcha: { verified: true } },
        result: { client: { camera: "granted" } }
      })
      expectNothingWrong(visit)
    }))

  test("fills in the machine-readable zone only if its check digits are correct", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* opened({ workflow: stepsOf("consent", "doc", "review") })
      yield* act(() => consent(page))
      yield* act(() => page.getByRole("radio", { name: "Passport" }).check())
      const zone = page.getByLabel("Machine-readable lines")
      yield* act(() => photograph(page))
      yield* act(() => page.getByText("Type the machine-readable lines instead").click())
      yield* act(() => zone.fill(right.replace("K0307756", "K0307757")))
      yield* act(() => press(page, "Continue"))
      yield* act(() =>
        page.getByRole("link", { name: /^The check digits of these lines are wrong/ }).waitFor()
      )
      yield* act(() => expect.poll(() => page.getByLabel("Document number").inputValue()).toBe(""))
      yield* act(() => zone.fill(right.toLowerCase()))
      yield* act(() => expect.poll(() => page.getByLabel("Document number").inputValue()).toBe("K0307756"))
      yield* act(() => expect.poll(() => page.getByLabel("Valid until").inputValue()).toBe("2035-04-01"))
      yield* act(() => expect.poll(() => page.getByLabel("Issued by").inputValue()).toBe("EST"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      expect(field(yield* outcome, "result", "document")).toMatchObject({
        number: "K0307756",
        mrzCheckDigits: "ok",
        read: { country: "EST", expiry: "2035-04-01", last3: "756" }
      })
      expectNothingWrong(visit)
    }))

  test("works on plain http, where there is no WebCrypto and no camera", () =>
    Effect.gen(function* () {
      const { link, outcome, page, visit } = yield* prepared({
        config: { captcha: { required: true, siteKey: "site-7" } },
        workflow: stepsOf("consent", "person", "review"),
        host: insecureHost
      })
      yield* act(() => page.goto(link))
      yield* act(() => expect.poll(() => page.evaluate(() => isSecureContext)).toBe(false))
      yield* act(() => consent(page))
      yield* act(() => person(page))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      expect(yield* outcome).toMatchObject({
        status: "completed",
        assurance: { captcha: { verified: true } },
        result: { client: { secureContext: false } }
      })
      expectNothingWrong(visit)
    }))

  test("asks after a resubmission for the named step alone, and has the other answers", () =>
    Effect.gen(function* () {
      const { company, page, session, visit } = yield* opened({
        config: { review: { mode: "manual" } },
        workflow: stepsOf("consent", "person", "doc")
      })
      yield* act(() => consent(page))
      yield* act(() => person(page))
      yield* act(() => passport(page, number()))
      yield* act(() => photograph(page))
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "All done"))

      const { decide } = reviewsAs(company.server, company.member)
      const { body } = yield* decide(session, { decision: "resubmission", steps: ["doc"] })
      const url = new URL(text(body, "verificationUrl"))
      yield* act(() => page.goto(visit.origin + url.pathname + url.search))
      const again = number()
      yield* act(() => passport(page, again))
      yield* act(() => photograph(page))
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "All done"))
      const next = yield* company.asPartner(`/api/kyc/sessions/${text(body, "review", "next_session_id")}`)
      expect(field(next.body, "session")).toMatchObject({
        status: "completed",
        previous_session_id: session.id,
        progress: { s_person: { givenName: "Ada" }, s_doc: { type: "passport" } },
        result: { document: { number: again } },
        review: { status: "pending" }
      })
      expectNothingWrong(visit)
    }))
})
