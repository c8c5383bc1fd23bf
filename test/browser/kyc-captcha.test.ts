import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chromiumPath } from "../support/chromium.ts"
import { createInstance, createSession, field } from "../support/client.ts"
import {
  act,
  consent,
  expectNothingWrong,
  heading,
  linkOf,
  PageCompany,
  press,
  visitor
} from "../support/kyc-page.ts"

const workflow = {
  steps: [
    { id: "consent", type: "consent" },
    { id: "person", type: "form", fields: [{ id: "givenName", type: "text", required: true }] },
    { id: "review", type: "review" }
  ]
}

const opened = (captcha: object, host?: string) =>
  Effect.gen(function* () {
    const company = yield* PageCompany
    const { id } = yield* createInstance(company.server, company.member, { config: { captcha }, workflow })
    const session = yield* createSession(company.server, company.key.token, id)
    const visit = yield* visitor(company, {}, host)
    const outcome = Effect.map(company.asPartner(`/api/kyc/sessions/${session.id}`), ({ body }) =>
      field(body, "session")
    )
    return { visit, page: visit.page, outcome, link: linkOf(visit, session) }
  })

layer(PageCompany.layer, { excludeTestServices: true })("the captcha of the KYC page", (it) => {
  const test = chromiumPath === undefined ? it.scoped.skip : it.scoped

  test("is solved on plain http, where there is no WebCrypto and no camera", () =>
    Effect.gen(function* () {
      const { link, outcome, page, visit } = yield* opened({ required: true, siteKey: "site-7" }, "lan.test")
      yield* act(() => page.goto(link))
      expect(yield* act(() => page.evaluate(() => isSecureContext))).toBe(false)
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

  test("that fails may be tried again, and is no dead end", () =>
    Effect.gen(function* () {
      const { link, outcome, page, visit } = yield* opened({ required: true })
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
      yield* act(() => page.getByText(/The security check did not succeed/).waitFor())
      broken = false
      yield* act(() => press(page, "Try again"))
      yield* act(() => heading(page, "All done"))
      expect(yield* outcome).toMatchObject({ assurance: { captcha: { verified: true } } })
      expectNothingWrong(visit)
    }))

  test("that is not required lets the session complete, and the server says that there was none", () =>
    Effect.gen(function* () {
      const company = yield* PageCompany
      const { id } = yield* createInstance(company.server, company.member, {
        workflow: { steps: [{ id: "captcha", type: "captcha" }, ...workflow.steps] }
      })
      const session = yield* createSession(company.server, company.key.token, id)
      const visit = yield* visitor(company)
      const { page } = visit
      yield* act(() => page.route(/\/captcha\/challenge/, (route) => route.abort()))
      yield* act(() => page.goto(linkOf(visit, session)))
      yield* act(() => consent(page))
      yield* act(() => page.getByLabel("First names").fill("Ada"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      const { body } = yield* company.asPartner(`/api/kyc/sessions/${session.id}`)
      expect(field(body, "session")).toMatchObject({
        status: "completed",
        assurance: { captcha: { verified: false } }
      })
      expectNothingWrong(visit)
    }))
})
