/** Events in the dashboard: live, searched by type and id, one with its body, and those of a session. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { goTo, looksRight, openedDashboard } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong, heading, press } from "../support/browser/visit.ts"
import {
  createInstance,
  createKey,
  createSession,
  field,
  send,
  signUp,
  type TestSession,
  text
} from "../support/client.ts"
import { TestServer } from "../support/server.ts"

const company = Effect.gen(function* () {
  const server = yield* TestServer
  const owner = yield* signUp(server)
  const key = yield* createKey(server, owner)
  const instance = yield* createInstance(server, owner)
  const make = (fields: object = {}) => createSession(server, key.token, instance.id, fields)
  const start = ({ path, token }: TestSession) =>
    send(server, "POST", `${path}/progress`, { json: { token, status: "running" } })
  const complete = ({ path, token }: TestSession) =>
    send(server, "POST", `${path}/complete`, { json: { token } })
  const events = Effect.map(
    send(server, "GET", "/api/events?order=newest&limit=100", { headers: { "x-api-key": key.token } }),
    ({ body }) => field(body, "events") as ReadonlyArray<unknown>
  )
  return { server, owner, key, make, start, complete, events }
})

inBrowser(TestServer.layer)("events in the dashboard", (test) => {
  test("appear while one looks, are searched by type and id, and show their body", () =>
    Effect.gen(function* () {
      const { complete, events, make, owner } = yield* company
      const { page, visit } = yield* openedDashboard("/dashboard", { owner })
      yield* goTo(visit, "Events")
      yield* looksRight(visit, "Events")
      const rows = page.getByRole("row").filter({ has: page.getByRole("rowheader") })
      const shown = () => rows.getByRole("link").allTextContents()
      yield* act(() => expect.poll(shown).toEqual(["API key created"]))

      // Without a reload.
      yield* act(() => page.evaluate("window.stillHere = true"))
      const session = yield* make()
      yield* act(() => expect.poll(shown).toEqual(["Session created", "API key created"]))
      yield* complete(session)
      const all = ["Session completed", "Session created", "API key created"]
      yield* act(() => expect.poll(shown).toEqual(all))
      yield* act(() => expect.poll(() => page.evaluate("window.stillHere")).toBe(true))
      yield* looksRight(visit, "Events")

      yield* act(() => page.getByLabel("Type").selectOption("Session failed"))
      yield* act(() => page.getByText("No event matches").waitFor())
      yield* looksRight(visit, "Events")
      yield* act(() => press(page, "Show all events"))
      yield* act(() => expect.poll(shown).toEqual(all))

      // By the id of what changed, and of the event.
      yield* act(() => page.getByRole("searchbox", { name: "Id" }).fill(` ${session.id} `))
      yield* act(() => page.keyboard.press("Enter"))
      yield* act(() => expect.poll(shown).toEqual(all.slice(0, 2)))
      yield* act(() => page.reload())
      yield* act(() => expect.poll(shown).toEqual(all.slice(0, 2)))
      const [completed, , created] = yield* events
      yield* act(() => page.getByRole("searchbox", { name: "Id" }).fill(text(created, "id")))
      yield* act(() => page.keyboard.press("Enter"))
      yield* act(() => heading(page, "API key created"))
      yield* act(() => page.getByRole("link", { name: "API keys" }).last().waitFor())
      yield* act(() => page.goBack())
      yield* act(() => page.getByRole("searchbox", { name: "Id" }).fill(""))
      yield* act(() => expect.poll(shown).toEqual(all))

      yield* act(() => page.getByRole("link", { name: "Session completed" }).click())
      yield* looksRight(visit, "Session completed")
      const body = page.getByRole("region", { name: "Body" }).locator("pre")
      yield* act(() =>
        expect.poll(async () => JSON.parse((await body.textContent()) ?? "")).toEqual(completed)
      )
      yield* act(() =>
        page.getByRole("region", { name: "About" }).getByRole("link", { name: "Session" }).click()
      )
      yield* act(() => page.waitForURL(`**/dashboard/sessions/${session.id}`))
      const ofSession = page.getByRole("region", { name: "Events" })
      yield* act(() => ofSession.getByText("Show the events").click())
      yield* act(() =>
        expect.poll(() => ofSession.getByRole("link").allTextContents()).toEqual(all.slice(0, 2))
      )
      yield* act(() => page.goto(`${visit.origin}/dashboard/events/evt_unknown`))
      yield* act(() => page.getByText("Not found", { exact: true }).waitFor())
      expectNothingWrong(visit)
    }))
})
