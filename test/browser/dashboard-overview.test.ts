/** The home page of the dashboard: figures, charts with their tables, and what needs attention. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { desktop, looksRight, openedDashboard, phone } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong } from "../support/browser/visit.ts"
import { createInstance, createKey, createSession, send, signUp } from "../support/client.ts"
import { execute } from "../support/postgres.ts"
import { TestServer } from "../support/server.ts"

const form = (id: string) => ({ id, type: "form" })

/** A company with two instances, sessions on every day, and a key that expires soon. All days are alike, so midnight changes no sum. */
const company = Effect.gen(function* () {
  const server = yield* TestServer
  const owner = yield* signUp(server)
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const key = yield* createKey(server, owner, { name: "Old server", expiresAt: inDays(5) })
  // The end of a key that was made for less than a week needs no attention.
  yield* execute(
    server.databaseUrl,
    "update api_keys set created_at = now() - interval '1 month' where company_id = $1",
    [owner.companyId]
  )
  const workflow = {
    v: 1,
    id: "w",
    version: 1,
    steps: [{ ...form("person"), title: { en: "About you" } }, form("address")]
  }
  const instance = yield* createInstance(server, owner, { name: "Customers", workflow })
  yield* createInstance(server, owner, { name: "Drivers" })
  yield* execute(
    server.databaseUrl,
    `insert into kyc_session_days (company_id, day, instance_id, mode, created, completed, failed, cancelled, expired)
     select $1, (now() at time zone 'UTC')::date - ago, $2, 'prod', 45, 30, 3, 2, 5 from generate_series(-1, 40) as ago`,
    [owner.companyId, instance.id]
  )
  for (const step of ["person", "address"]) {
    const session = yield* createSession(server, key.token, instance.id, { externalReference: step })
    yield* send(server, "POST", `${session.path}/progress`, {
      json: { token: session.token, status: "running", progress: { [`s_${step}`]: { a: 1 } } }
    })
    if (step === "person") {
      yield* execute(
        server.databaseUrl,
        `insert into kyc_reviews (session_id, company_id, instance_id, waiting_since, session_created_at)
         values ($1, $2, $3, now() - interval '3 days', now())`,
        [session.id, owner.companyId, instance.id]
      )
    }
  }
  return { owner }
})

/** Waits until both charts are drawn: in more than one colour. */
const drawn = (page: Page) =>
  act(() =>
    expect
      .poll(() =>
        page.locator("figure canvas").evaluateAll((canvases) =>
          canvases.map((canvas) => {
            if (!(canvas instanceof HTMLCanvasElement)) return 0
            const pixels = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? []
            return Math.min(2, new Set(new Uint32Array(new Uint8ClampedArray(pixels).buffer)).size)
          })
        )
      )
      .toEqual([2, 2])
  )

inBrowser(TestServer.layer)("The home page", (test) => {
  for (const [name, browser] of [
    ["a desktop", { ...desktop, colorScheme: "light" }],
    ["a phone in the dark", { ...phone, colorScheme: "dark" }]
  ] as const) {
    test(`shows figures, charts with their tables, and what needs attention, on ${name}`, () =>
      Effect.gen(function* () {
        const { owner } = yield* company
        const { page, visit } = yield* openedDashboard("/dashboard", { owner, browser })
        const part = (title: string) => page.getByRole("region", { name: title })
        yield* act(() =>
          part("Needs attention")
            .getByRole("row", { name: /Old server.*Expires/ })
            .waitFor()
        )
        // 30 days.
        yield* act(() => part("Verifications").getByText("900", { exact: true }).waitFor())
        yield* act(() => part("Verifications").getByText("75%").waitFor())
        const reviews = part("Reviews")
        yield* act(() => reviews.getByText("1", { exact: true }).waitFor())
        yield* act(() => reviews.getByText("3 days ago").waitFor())
        yield* act(() => reviews.getByRole("link", { name: "Go to the queue" }).waitFor())
        yield* drawn(page)
        yield* looksRight(visit, "Acme")

        yield* act(() => page.getByLabel("Period").selectOption("Last 7 days"))
        yield* act(() => part("Verifications").getByText("210", { exact: true }).waitFor())
        yield* drawn(page)
        yield* act(() => part("Verifications").getByText("Show as a table").click())
        const rows = part("Verifications")
          .getByRole("row")
          .filter({ has: page.getByRole("rowheader") })
        yield* act(() => expect.poll(() => rows.count()).toBe(7))
        yield* act(() =>
          expect.poll(() => rows.last().getByRole("cell").allInnerTexts()).toEqual(["30", "3", "2", "5"])
        )
        const steps = part("Where people stop").getByRole("table", { name: "Steps" })
        yield* act(() => steps.getByRole("row", { name: /About you.*1/ }).waitFor())
        yield* looksRight(visit, "Acme")
        yield* act(() => part("Where people stop").getByLabel("Instance").selectOption("Drivers"))
        yield* act(() => part("Where people stop").getByText("This instance has no steps yet").waitFor())
        // The address keeps the choice.
        yield* act(() => page.reload())
        yield* act(() => part("Where people stop").getByText("This instance has no steps yet").waitFor())
        expectNothingWrong(visit)
      }))
  }
})
