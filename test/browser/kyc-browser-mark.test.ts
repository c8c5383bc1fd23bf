/** The random number that the page keeps in the browser (docs/privacy.md). */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { inBrowser } from "../support/browser/in-browser.ts"
import { linkOf, PageCompany } from "../support/browser/kyc-page.ts"
import { frameOn, partnerSite } from "../support/browser/partner-site.ts"
import { act, expectNothingWrong, heading, press, type Shown, visitor } from "../support/browser/visit.ts"
import { createInstance, createSession } from "../support/client.ts"

const workflow = {
  steps: [{ id: "person", type: "form", fields: [{ id: "name", type: "text", autocomplete: "name" }] }]
}

const marked = { checks: { photos: true, sameBrowser: true } }

inBrowser(PageCompany.layer)("the mark of the KYC page in the browser", (test) => {
  const instanceWith = (config: object) =>
    Effect.gen(function* () {
      const { key, member, server } = yield* PageCompany
      const { id } = yield* createInstance(server, member, { config, workflow })
      return { id, session: createSession(server, key.token, id) }
    })

  /** Completes the session that is shown, and returns the mark that was sent. */
  const complete = async (page: Page, shown: Shown): Promise<unknown> => {
    const sent = page.waitForRequest(/\/complete$/)
    await press(shown, "Continue")
    await heading(shown, "All done")
    return (await sent).postDataJSON().browserMark
  }

  test("is the same in each session of an instance for 30 days, another one in each instance, and only where it is asked for", () =>
    Effect.gen(function* () {
      const visit = yield* visitor(yield* PageCompany, {})
      const { page } = visit
      const markOf = (instance: Effect.Effect.Success<ReturnType<typeof instanceWith>>) =>
        Effect.gen(function* () {
          const session = yield* instance.session
          yield* act(() => page.goto(linkOf(visit, session)))
          return yield* act(() => complete(page, page))
        })
      const [one, other, without] = [
        yield* instanceWith(marked),
        yield* instanceWith(marked),
        yield* instanceWith({ checks: { photos: true } })
      ]
      const kept = () =>
        page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith("kyc:browser:")))
      expect(yield* markOf(without)).toBeUndefined()
      yield* act(() => expect.poll(kept).toEqual([]))
      const mark = yield* markOf(one)
      expect(mark).toMatch(/^[0-9a-f]{32}$/)
      expect(yield* markOf(one)).toBe(mark)
      expect(yield* markOf(other)).not.toBe(mark)
      yield* act(() => expect.poll(kept).toHaveLength(2))
      // Its time is over.
      yield* act(() =>
        page.evaluate((name) => {
          const { mark } = JSON.parse(localStorage.getItem(name) ?? "")
          localStorage.setItem(name, JSON.stringify({ mark, until: Date.now() - 1 }))
        }, `kyc:browser:${one.id}`)
      )
      expect(yield* markOf(other)).toMatch(/^[0-9a-f]{32}$/)
      yield* act(() => expect.poll(kept).toEqual([`kyc:browser:${other.id}`]))
      // What another program has left there is replaced.
      const before = yield* markOf(other)
      for (const damaged of ["{", `{"mark":"${before}","until":1e308}`]) {
        yield* act(() =>
          page.evaluate(
            ([name = "", text = ""]) => localStorage.setItem(name, text),
            [`kyc:browser:${other.id}`, damaged]
          )
        )
        const made = yield* markOf(other)
        expect(made, damaged).toMatch(/^[0-9a-f]{32}$/)
        expect(made, damaged).not.toBe(before)
      }
      const renewed = yield* markOf(one)
      expect(renewed).toMatch(/^[0-9a-f]{32}$/)
      expect(renewed).not.toBe(mark)
      expectNothingWrong(visit)
    }))

  test("is not made in a frame of another page", () =>
    Effect.gen(function* () {
      const company = yield* PageCompany
      const site = yield* partnerSite(company.server.url)
      const shop = site.origin("shop.localhost")
      const instance = yield* instanceWith({ ...marked, embed: { allowedOrigins: [shop] } })
      const session = yield* instance.session
      const visit = yield* visitor(company, {})
      const { page } = visit
      yield* act(() => page.goto(`${shop}/#${encodeURIComponent(linkOf(visit, session))}`))
      const frame = yield* act(() => frameOn(page))
      const mark = yield* act(() => complete(page, frame))
      expect(mark).toBeUndefined()
    }))
})
