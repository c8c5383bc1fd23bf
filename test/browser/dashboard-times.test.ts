/** Instants in the dashboard, as the user's browser writes them. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { desktop, looksRight, openedDashboard } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong } from "../support/browser/visit.ts"
import { createInstance, signUp } from "../support/client.ts"
import { execute } from "../support/postgres.ts"
import { TestServer } from "../support/server.ts"

inBrowser(TestServer.layer)("instants in the dashboard", (test) => {
  for (const { expected, locale, timezoneId } of [
    { locale: "de-DE", timezoneId: "Europe/Berlin", expected: /^5\. Jan\. 2026.*12:30 MEZ$/ },
    { locale: "en-US", timezoneId: "America/New_York", expected: /^Jan 5, 2026.*6:30\sAM EST$/ },
    { locale: "en-GB", timezoneId: "Asia/Tokyo", expected: /^5 Jan 2026.*20:30 GMT\+9$/ }
  ]) {
    test(`are written as in ${locale}, with the zone of ${timezoneId}`, () =>
      Effect.gen(function* () {
        const server = yield* TestServer
        const owner = yield* signUp(server)
        const { id } = yield* createInstance(server, owner, { name: "Customers" })
        yield* execute(
          server.databaseUrl,
          "update kyc_instances set created_at = '2026-01-05T11:30:00Z' where id = $1",
          [id]
        )
        const { page, visit } = yield* openedDashboard("/dashboard/instances", {
          browser: { ...desktop, locale, timezoneId },
          owner
        })
        yield* looksRight(visit, "Instances")
        const time = page.getByRole("row", { name: /Customers/ }).locator("time")
        yield* act(() => expect.poll(() => time.textContent()).toMatch(expected))
        yield* act(() => expect.poll(() => time.getAttribute("lang")).toBe(locale))
        expectNothingWrong(visit)
      }))
  }
})
