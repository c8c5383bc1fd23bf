import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  consent,
  number,
  opened,
  PageCompany,
  passport,
  person,
  photograph,
  stepsOf
} from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, heading, press } from "../support/browser/visit.ts"
import { field } from "../support/client.ts"

inBrowser(PageCompany.layer)("the document step of the KYC page", (test) => {
  const right = "P<ESTERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nK0307756<4EST9012101F3504015<<<<<<<<<<<<<<06"

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
      yield* act(() => zone.fill("P<EST"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => page.getByRole("link", { name: /^These are not the lines of a document/ }).waitFor())
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

  for (const [onMatch, action] of [
    ["warn", "warned"],
    ["review", "review"]
  ] as const) {
    test(`a person seen before, where persons are looked for, ${onMatch}`, () =>
      Effect.gen(function* () {
        const opening = {
          config: { dedup: { strategy: "person", onMatch, scope: onMatch } },
          workflow: stepsOf("consent", "person", "review")
        }
        const first = yield* opened(opening)
        yield* act(() => consent(first.page))
        yield* act(() => person(first.page))
        yield* act(() => heading(first.page, "Check and send"))
        const { outcome, page, visit } = yield* opened(opening)
        yield* act(() => consent(page))
        yield* act(() => person(page))
        if (onMatch === "warn") {
          yield* act(() => page.getByText("These details have been used before").waitFor())
          yield* act(() => press(page, "Yes, they are mine"))
        }
        yield* act(() => press(page, "Send"))
        yield* act(() => heading(page, "All done"))
        const ended = yield* outcome
        expect(field(ended, "result", "dedup")).toMatchObject({ matchFound: true, action })
        expect(field(ended, "result", "person")).toEqual({
          givenName: "Ada",
          familyName: "Lovelace",
          dateOfBirth: "1990-12-10",
          nationality: "EST"
        })
        expect(field(ended, "assurance", "dedup")).toEqual({ matchFound: true, seenCount: 2 })
        expectNothingWrong(visit)
      }))
  }

  test("does not look for duplicate documents if the instance compares persons", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* opened({
        config: { dedup: { strategy: "person" } },
        workflow: {
          steps: [
            { id: "consent", type: "consent" },
            { id: "doc", type: "document" },
            { id: "review", type: "review" }
          ]
        }
      })
      yield* act(() => consent(page))
      yield* act(() => passport(page, number()))
      yield* act(() => photograph(page))
      yield* act(() => press(page, "Continue"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      expect(visit.seen.changing.filter((request) => request.endsWith("/dedup-check"))).toEqual([])
      expect(field(yield* outcome, "assurance", "dedup", "matchFound")).not.toBe(true)
      expectNothingWrong(visit)
    }))
})
