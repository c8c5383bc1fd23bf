import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  consent,
  linkOf,
  number,
  PageCompany,
  passport,
  person,
  photograph
} from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, heading, press, visitor } from "../support/browser/visit.ts"
import { createInstance, field } from "../support/client.ts"
import { companyOf } from "../support/kyc/partner.ts"

inBrowser(PageCompany.layer)("the whole KYC page", (test) => {
  for (const [name, config] of [
    ["with the usual config", {}],
    ["where the same document ends the session", { dedup: { onMatch: "block", strategy: "document" } }],
    ["where the same person ends the session", { dedup: { onMatch: "block", strategy: "person" } }]
  ] as const) {
    test(`asks, saves, and completes with the server's assurance, and breaks no rule, ${name}`, () =>
      Effect.gen(function* () {
        const { key, member, server } = yield* PageCompany
        const { id } = yield* createInstance(server, member, { config })
        const company = companyOf(server, member, key, { id, publicKey: "" })
        const session = yield* company.newSession()
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
        yield* act(() => press(page, "Send"))
        yield* act(() => heading(page, "All done"))
        const { body } = yield* company.asPartner(`/api/kyc/sessions/${session.id}`)
        expect(field(body, "session", "status")).toBe("completed")
        expect(field(body, "session", "assurance", "captcha", "verified")).toBe(true)
        expect(field(body, "session", "assurance", "requiredStepsPresent")).toBe(true)
        expect(field(body, "session")).toMatchObject({ flags: [], failed_rules: [] })
        expectNothingWrong(visit)
      }))
  }
})
