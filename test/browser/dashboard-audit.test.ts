/** The audit trail in the dashboard. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { goTo, looksRight, openedDashboard } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong } from "../support/browser/visit.ts"
import { createInstance, createKey, join, signUp } from "../support/client.ts"
import { TestServer } from "../support/server.ts"

inBrowser(TestServer.layer)("the audit trail in the dashboard", (test) => {
  test("shows who did what, can be filtered, and keeps its filters in the URL", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const owner = yield* signUp(server)
      const member = yield* join(server, owner, "member")
      yield* createKey(server, owner, { name: "by the owner" })
      yield* createKey(server, member, { name: "by the member", scopes: ["kyc:sessions:read"] })
      yield* createInstance(server, member, { name: "sign-up" })
      const { page, visit } = yield* openedDashboard("/dashboard", { owner })
      yield* goTo(visit, "Audit trail")
      yield* looksRight(visit, "Audit trail")
      const events = page.getByRole("list", { name: "Events, newest first" }).getByRole("listitem")
      const shown = () => events.locator("p:first-child").allTextContents()
      const all = [
        "Created a KYC instancesign-up",
        "Created an API keyby the member",
        "Created an API keyby the owner",
        `Accepted an invitation${member.email}`,
        `Invited somebody${member.email}`,
        "Created the companyAcme"
      ]
      yield* act(() => expect.poll(shown).toEqual(all))

      yield* act(() => events.nth(1).getByText("Details").click())
      yield* act(() => events.nth(1).getByText("kyc:sessions:read").waitFor())
      // From where: the address, and what its client calls itself.
      yield* act(() => events.nth(1).getByText(`${member.email} · 127.0.0.1, Bun/`).waitFor())
      yield* looksRight(visit, "Audit trail")

      yield* act(() => page.getByLabel("What").selectOption("API keys"))
      yield* act(() => expect.poll(shown).toEqual(all.slice(1, 3)))
      yield* act(() => page.getByLabel("Who").selectOption(owner.email))
      yield* act(() => expect.poll(shown).toEqual(all.slice(2, 3)))
      yield* act(() => page.waitForURL(/[?&]action=api_key&actor=/))
      const link = page.url()
      yield* act(() => page.getByLabel("To", { exact: true }).fill("2020-01-01"))
      yield* act(() => page.getByText("No event matches").waitFor())
      yield* looksRight(visit, "Audit trail")
      yield* act(() => page.goto(link))
      yield* act(() => expect.poll(shown).toEqual(all.slice(2, 3)))
      expectNothingWrong(visit)
    }))
})
