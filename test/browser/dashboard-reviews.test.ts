/** Reviews in the dashboard: the queue, the page on which a person decides, and what is sent when. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { inBothSchemes } from "../support/browser/axe.ts"
import {
  goTo,
  looksRight,
  openedDashboard,
  passDecisions,
  phone,
  slowDecisions
} from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong, heading, press } from "../support/browser/visit.ts"
import { text } from "../support/client.ts"
import { upload } from "../support/kyc/files.ts"
import { noise } from "../support/kyc/pictures.ts"
import { reviewingCompany, reviewsAs, waitingSession } from "../support/kyc/reviews.ts"
import { execute } from "../support/postgres.ts"
import { TestServer } from "../support/server.ts"

const names = Array.from({ length: 8 }, (_, index) => `customer-${index + 1}`)

/** What is decided on each session, and the keys for it: the third one asks for the document again. */
const ways = [
  { decision: "approved", keys: ["a"] },
  { decision: "declined", keys: ["d", "2", "Enter"] },
  { decision: "declined", keys: ["5", "Enter"] },
  { decision: "resubmission", keys: ["r", "w", "1", "Enter"] }
] as const

const wayOf = (index: number) => ways[index % ways.length] ?? ways[0]

const canDecide = (page: Page) => page.getByRole("button", { name: "Decline", exact: true }).waitFor()

inBrowser(TestServer.layer)("reviews in the dashboard", (test) => {
  test("waiting sessions are worked through by keyboard alone", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany(yield* TestServer)
      const sessions = yield* Effect.forEach(names, (name) =>
        waitingSession(company, { externalReference: name })
      )
      yield* execute(
        company.server.databaseUrl,
        "update kyc_sessions set flags = '{dedup_match}' where company_id = $1 and external_reference = 'customer-2'",
        [company.member.companyId]
      )
      const { member, page, visit } = yield* openedDashboard("/dashboard", {
        owner: company.member,
        role: "reviewer"
      })
      yield* act(() => page.getByRole("row", { name: /^customer-2 .*Seen before/ }).waitFor())
      yield* act(() => page.getByRole("row", { name: /^customer-1 / }).waitFor())
      yield* looksRight(visit, "Reviews")
      yield* act(() =>
        expect
          .poll(() => page.getByRole("navigation").getByRole("link").allInnerTexts())
          .toEqual(["Reviews", "Sessions", "API documentation", "Your account"])
      )
      yield* goTo(visit, "Sessions")
      yield* act(() => page.getByRole("link", { name: "customer-8", exact: true }).waitFor())
      yield* looksRight(visit, "Sessions")
      yield* goTo(visit, "Reviews")
      yield* act(() => slowDecisions(page))
      yield* act(() => page.getByRole("link", { name: "customer-1", exact: true }).waitFor())
      // Down, down and up again.
      for (const key of ["j", "ArrowDown", "k", "Enter"]) yield* act(() => page.keyboard.press(key))
      for (const [index, name] of names.entries()) {
        yield* act(() => page.getByRole("heading", { level: 1, name, exact: true }).waitFor())
        yield* act(() => canDecide(page))
        if (index === 4) {
          // The link of the one before waits without covering the person.
          yield* act(() => passDecisions(page))
          yield* act(() => page.getByRole("button", { name: "Links to send (1)" }).waitFor())
          const isAbove = () =>
            page.evaluate(() => {
              const edge = (selector: string, side: "top" | "bottom") =>
                document.querySelector(selector)?.getBoundingClientRect()[side] ?? Number.NaN
              return edge(".decisions-made", "bottom") <= edge(".case", "top")
            })
          yield* act(() => expect.poll(isAbove).toBe(true))
        }
        for (const key of wayOf(index).keys) yield* act(() => page.keyboard.press(key))
        if (index === 1) {
          // Taken back, with its reasons, and made again.
          yield* act(() => heading(page, "customer-3"))
          yield* act(() => page.keyboard.press("u"))
          yield* act(() => page.getByRole("heading", { level: 1, name, exact: true }).waitFor())
          yield* act(() => expect.poll(() => page.getByRole("checkbox", { checked: true }).count()).toBe(1))
          yield* act(() => page.keyboard.press("Enter"))
        }
      }
      yield* act(() => page.getByText("Nothing is waiting for a decision").waitFor())
      yield* act(() => passDecisions(page))
      const { read } = reviewsAs(company.server, member)
      for (const [index, session] of sessions.entries()) {
        const { decision } = wayOf(index)
        yield* act(() =>
          expect
            .poll(async () => Effect.runPromise(read(session)))
            .toMatchObject({ body: { review: { decision } } })
        )
      }
      // Both links, one key away.
      yield* act(() => page.getByRole("button", { name: "Links to send (2)" }).waitFor())
      yield* act(() => page.keyboard.press("l"))
      yield* act(() => page.getByRole("button", { name: "Copy link for customer-8" }).waitFor())
      yield* looksRight(visit, "Reviews")
      expectNothingWrong(visit)
    }))

  test("a photo is enlarged and turned by keyboard; everything fits on one screen, on a phone, too", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany(yield* TestServer)
      const session = yield* company.newSession({ externalReference: "customer-1" })
      const photo = text((yield* upload(company.server, session, noise(60, 40))).body, "file", "id")
      const selfie = text((yield* upload(company.server, session, noise(40, 60))).body, "file", "id")
      yield* company.progress(session, {
        progress: {
          s_person: { name: "Ada" },
          s_document: {
            type: "id_card",
            country: "EST",
            expiry: "2020-01-31",
            last3: "567",
            mrzCheckDigits: "ok",
            read: { country: "EST", expiry: "2020-01-31", last3: "568" },
            files: [{ id: photo, side: "front", document: "id_card" }]
          }
        }
      })
      yield* company.complete(session, { result: { selfie: { files: [{ id: selfie }] } } })
      const path = `/dashboard/reviews/${session.id}`
      for (const [browser, isWide] of [
        [{ viewport: { width: 1440, height: 900 } }, true],
        [{ ...phone, colorScheme: "dark" }, false]
      ] as const) {
        const { page, visit } = yield* openedDashboard(path, { owner: company.member, browser })
        yield* act(() => canDecide(page))
        // What only the result calls a selfie is none.
        for (const name of ["Front of identity card", "Named by no step"]) {
          const picture = page.getByRole("img", { name, exact: true })
          yield* act(() =>
            expect
              .poll(() => picture.evaluate((it) => it instanceof HTMLImageElement && it.naturalWidth > 1))
              .toBe(true)
          )
        }
        const checks = page.getByRole("region", { name: "Checks" })
        yield* act(() => checks.getByText("The document had expired").waitFor())
        yield* act(() => page.getByText("Ends in 567").waitFor())
        // What the browser says that it read is no finding.
        yield* act(() => expect.poll(() => page.getByText(/568|Machine-readable/).count()).toBe(0))
        yield* act(() => inBothSchemes(page, "the case"))
        yield* act(() => page.keyboard.press("d"))
        yield* looksRight(visit, "customer-1")
        yield* act(() => inBothSchemes(page, "the reasons"))
        yield* act(() => page.keyboard.press("Escape"))
        if (isWide) {
          const bottoms = () =>
            page
              .locator(".case, .decision-bar")
              .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().bottom <= innerHeight))
          yield* act(() => expect.poll(bottoms).toEqual([true, true]))
          const scrolled = () =>
            page
              .locator(".case .section")
              .evaluateAll((parts) =>
                parts.filter((part) => part.scrollHeight > part.clientHeight).map((part) => part.textContent)
              )
          yield* act(() => expect.poll(scrolled).toEqual([]))
          const front = page.getByRole("img", { name: "Front of identity card" })
          const shape = () => front.evaluate((it) => getComputedStyle(it).transform)
          const film = () => front.evaluate((it) => it.parentElement?.style.transform ?? "")
          yield* act(() => page.keyboard.press("+"))
          yield* act(() => expect.poll(film).toMatch(/scale\(1\.[1-9]/))
          yield* act(() => page.getByRole("region", { name: /^Front of identity card:/ }).focus())
          yield* act(() => page.keyboard.press("ArrowLeft"))
          yield* act(() => expect.poll(film).toMatch(/translate\([1-9]/))
          yield* act(() => page.keyboard.press("t"))
          yield* act(() => expect.poll(film).toMatch(/scale\(1\)/))
          yield* act(() => expect.poll(shape).toBe("matrix(0, 1, -1, 0, 0, 0)"))
        }
        expectNothingWrong(visit)
        yield* act(() => visit.context.close())
      }
    }))

  test("two people decide; a claim keeps the other one out; closing the page sends the decision", () =>
    Effect.gen(function* () {
      const company = yield* reviewingCompany(yield* TestServer, { fourEyes: true })
      const session = yield* waitingSession(company, { externalReference: "customer-1" })
      const path = `/dashboard/reviews/${session.id}`
      const grace = yield* openedDashboard(path, { owner: company.member, role: "reviewer" })
      yield* act(() => slowDecisions(grace.page))
      const propose = grace.page.getByRole("button", { name: "Propose: decline" })
      yield* act(() => propose.waitFor())
      const ada = yield* openedDashboard(path, { owner: company.member })
      const report = yield* openedDashboard(`/dashboard/sessions/${session.id}/report`, {
        owner: company.member,
        role: "member"
      })
      yield* act(() => ada.page.getByText(`Being reviewed by ${grace.member.email}`).waitFor())
      yield* looksRight(ada.visit, "customer-1")
      yield* act(() => ada.page.getByRole("textbox", { name: "New note" }).fill("Looks odd"))
      yield* act(() => press(ada.page, "Add note"))
      yield* act(() => ada.page.getByRole("region", { name: "Notes" }).getByText("Looks odd").waitFor())

      for (const key of ["d", "4", "Enter"]) yield* act(() => grace.page.keyboard.press(key))
      yield* act(() => grace.page.getByRole("button", { name: "Undo customer-1" }).waitFor())
      // While it can be undone.
      yield* act(() => grace.page.close({ runBeforeUnload: true }))
      const confirm = ada.page.getByRole("button", { name: "Confirm: decline" })
      yield* act(() => confirm.waitFor())
      yield* act(() => ada.page.getByRole("button", { name: "Decline for other reasons" }).waitFor())
      yield* act(() => ada.page.getByText("The document looks forged or altered").waitFor())
      yield* looksRight(ada.visit, "customer-1")
      yield* act(() => ada.page.keyboard.press("c"))
      yield* act(() => ada.page.getByText("Nothing is waiting for a decision").waitFor())
      // Signing out sends it, too.
      yield* act(() => press(ada.page, "Sign out"))
      yield* act(() => heading(ada.page, "Sign in"))
      const { review } = yield* Effect.map(
        reviewsAs(company.server, grace.member).read(session),
        ({ body }) => body as { readonly review: object }
      )
      expect(review).toMatchObject({ decision: "declined", reasons: ["document_suspect"] })

      yield* act(() => report.page.reload())
      yield* looksRight(report.visit, "Report: customer-1")
      yield* act(() => report.page.getByText(`Declined by ${company.member.email}`).waitFor())
      yield* act(() => report.page.getByText("Looks odd").waitFor())
      for (const { visit } of [grace, ada, report]) expectNothingWrong(visit)
    }))
})
