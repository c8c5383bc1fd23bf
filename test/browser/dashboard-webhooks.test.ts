/** Webhooks in the dashboard, with a receiver that really gets them. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Webhook } from "standardwebhooks"
import { desktop, goTo, looksRight, openedDashboard, phone } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  act,
  arrived,
  expectNothingWrong,
  hasFocus,
  heading,
  press,
  tabTo
} from "../support/browser/visit.ts"
import { field } from "../support/client.ts"
import { TestServer } from "../support/server.ts"
import { hooked, type Received, startReceiver, WebhookServer } from "../support/webhooks/receiver.ts"

/** The server that sends webhooks is the one whose dashboard is opened. */
const layer = Layer.provideMerge(Layer.effect(TestServer, WebhookServer), WebhookServer.layer)

/** Answers 204 to what `secret` has signed, and 401 to everything else. */
const careful =
  (secret: string) =>
  ({ body, headers }: Received): Response => {
    try {
      new Webhook(secret).verify(body, { ...headers })
      return new Response(null, { status: 204 })
    } catch {
      return new Response("The signature is wrong", { status: 401 })
    }
  }

/** A company with one endpoint, and its receiver. */
const receiving = (fields: object = {}) =>
  Effect.gen(function* () {
    const company = yield* hooked
    const receiver = yield* startReceiver
    const endpoint = yield* company.add(receiver.url, fields)
    /** Records an event, and sends what is due. */
    const deliver = company.happen.pipe(
      Effect.zipRight(company.ask("GET", "/api/events")),
      Effect.zipRight(company.attemptDue)
    )
    return { ...company, receiver, endpoint, secret: String(field(endpoint.body, "secret")), deliver }
  })

const pageOf = ({ id }: { readonly id: string }) => `/dashboard/webhooks/${id}`

inBrowser(layer)("webhooks in the dashboard", (test) => {
  test("an endpoint is added, its secret shown once with code that works, and tested", () =>
    Effect.gen(function* () {
      const { member } = yield* hooked
      const receiver = yield* startReceiver
      const { page, visit } = yield* openedDashboard("/dashboard", {
        owner: member,
        browser: { ...desktop, permissions: ["clipboard-read", "clipboard-write"] }
      })
      yield* goTo(visit, "Webhooks")
      yield* act(() => page.getByText("No endpoints yet").waitFor())
      yield* looksRight(visit, "Webhooks")
      yield* act(() => page.getByRole("link", { name: "Add endpoint" }).first().click())
      yield* act(() => arrived(page, "Add an endpoint"))
      yield* act(() => press(page, "Add endpoint"))
      yield* act(() => hasFocus(page.getByLabel("URL")))
      yield* act(() => page.getByText("URL must be an https URL").waitFor())
      yield* act(() => page.getByLabel("URL").fill(receiver.url))
      yield* act(() => page.getByLabel("Description").fill("production"))
      yield* act(() => page.getByLabel("All, including types added later").uncheck())
      yield* act(() => page.getByText("An endpoint without types receives only tests.").waitFor())
      yield* looksRight(visit, "Add an endpoint")
      yield* act(() => page.getByRole("checkbox", { name: "API key created" }).check())
      yield* act(() => page.getByRole("checkbox", { name: "Session completed" }).check())
      yield* act(() => press(page, "Add endpoint"))
      yield* act(() => arrived(page, "Your new endpoint"))
      yield* looksRight(visit, "Your new endpoint")
      yield* act(() => press(page, "Copy Signing secret"))
      const copied = () => page.evaluate(() => navigator.clipboard.readText())
      yield* act(() => expect.poll(copied).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/))
      const secret = yield* act(copied)

      // The code is that of the documentation, which another test runs; the command is run here.
      const [typescript = "", python = "", command = ""] = yield* act(() =>
        page.locator("pre").allTextContents()
      )
      const documented = readFileSync(join(import.meta.dirname, "../../docs/guides/webhooks.md"), "utf8")
      expect(documented).toContain(typescript)
      expect(documented).toContain(python)
      receiver.answer = careful(secret)
      const tried = yield* act(() => Bun.$`sh -c ${command}`.quiet().text())
      expect(tried).toContain("204 No Content")
      expect(receiver.received).toHaveLength(1)

      yield* act(() => page.getByRole("link", { name: "I have copied it" }).click())
      yield* act(() => arrived(page, "production"))
      yield* act(() => expect.poll(() => page.content()).not.toContain(secret))
      yield* act(() => page.getByText("No deliveries yet").waitFor())
      yield* act(() => page.getByText("Session completed, API key created").waitFor())
      yield* looksRight(visit, "production")

      yield* act(() => press(page, "Send a test"))
      yield* act(() => arrived(page, "Webhook test"))
      const answers = page.getByRole("list", { name: "Attempts, newest first" }).getByRole("listitem")
      yield* act(() =>
        expect.poll(() => answers.allTextContents()).toEqual([expect.stringMatching(/^Attempt 1 204/)])
      )
      yield* looksRight(visit, "Webhook test")
      const request = yield* act(() => page.locator("pre").first().textContent())
      expect(request).toContain(receiver.received[1]?.body)
      expect(request).toContain("doorlock-sequence: 1")
      yield* act(() => page.getByRole("link", { name: "production" }).last().click())
      yield* act(() => arrived(page, "production"))
      yield* act(() =>
        page.getByRole("row").filter({ hasText: "webhook.test" }).getByText("Succeeded").waitFor()
      )
      yield* goTo(visit, "Webhooks")
      const row = page.getByRole("row").filter({ hasText: "production" })
      yield* act(() => row.getByText("1 succeeded").waitFor())
      yield* act(() => row.getByText("Session completed, API key created").waitFor())
      yield* looksRight(visit, "Webhooks")
      expectNothingWrong(visit)
    }))

  test("a drill reports what the endpoint accepts, on a phone in dark mode, by the keyboard alone", () =>
    Effect.gen(function* () {
      const { endpoint, member, receiver, secret } = yield* receiving({ description: "drilled" })
      const { page, visit } = yield* openedDashboard("/dashboard/webhooks", {
        owner: member,
        role: "member",
        browser: { ...phone, colorScheme: "dark" }
      })
      yield* act(() => heading(page, "Webhooks"))
      yield* act(() => page.getByRole("link", { name: "drilled" }).waitFor())
      yield* act(() => tabTo(page, "drilled"))
      yield* act(() => page.keyboard.press("Enter"))
      yield* act(() => arrived(page, "drilled"))
      yield* act(() => page.waitForURL(`**${pageOf(endpoint)}`))
      yield* act(() => page.getByRole("region", { name: "Drill" }).waitFor())
      yield* act(() => tabTo(page, "Run drill"))
      yield* act(() => page.keyboard.press("Enter"))
      const report = page.getByRole("region", { name: "Drill" }).getByRole("row")
      const was = () => report.locator('[data-label="Result"]').allTextContents()
      // It answers 204 to everything.
      yield* act(() => expect.poll(was).toEqual(["Accepted", "Accepted", "Accepted", "Accepted", "Accepted"]))
      yield* act(() => hasFocus(page.getByRole("alert").filter({ hasText: "Not passed" })))
      yield* act(() => report.getByText("Answer 4xx if no signature is right.").waitFor())
      yield* looksRight(visit, "drilled")
      receiver.answer = careful(secret)
      yield* act(() => press(page, "Run drill"))
      yield* act(() => expect.poll(was).toEqual(["Accepted", "Refused", "Refused", "Accepted", "Refused"]))
      yield* act(() => hasFocus(page.getByRole("status").filter({ hasText: "Passed" })))
      yield* looksRight(visit, "drilled")
      expectNothingWrong(visit)
    }))

  test("an endpoint is edited, disabled, enabled, recovered, rotated and removed", () =>
    Effect.gen(function* () {
      const { attemptDue, deliver, endpoint, makeDue, member, receiver, secret } = yield* receiving({
        description: "first"
      })
      const { page, visit } = yield* openedDashboard(pageOf(endpoint), { owner: member })
      yield* act(() => page.getByRole("link", { name: "Edit" }).click())
      yield* act(() => arrived(page, "Edit the endpoint"))
      yield* act(() => page.getByLabel("Description").fill("second"))
      yield* act(() => page.getByRole("link", { name: "Cancel" }).click())
      yield* act(() => press(page, "Stay"))
      yield* act(() => press(page, "Save"))
      yield* act(() => arrived(page, "second"))

      const dialog = page.getByRole("dialog")
      yield* act(() => press(page, "Disable"))
      yield* looksRight(visit, "second")
      yield* act(() => press(dialog, "Disable endpoint"))
      yield* act(() => page.getByText("Your company has disabled it.").waitFor())
      yield* act(() => hasFocus(page.getByRole("button", { name: "Enable" })))
      yield* deliver
      const rows = page.getByRole("row").filter({ has: page.getByRole("rowheader") })
      const states = () => rows.locator('[data-label="Status"] .state').allTextContents()
      yield* act(() => expect.poll(states).toEqual(["Held"]))
      yield* looksRight(visit, "second")
      yield* act(() => press(page, "Send a test"))
      yield* act(() =>
        page.getByRole("alert").getByText("The endpoint is disabled. Enable it, then try again.").waitFor()
      )
      yield* act(() => press(page, "Enable"))
      yield* act(() => press(dialog, "Enable endpoint"))
      yield* act(() => hasFocus(page.getByRole("button", { name: "Disable" })))

      yield* act(() => page.getByLabel("Since").selectOption("A date"))
      yield* act(() => page.getByLabel("Day").fill("2020-01-01"))
      yield* act(() => press(page, "Recover"))
      yield* act(() => page.getByText("Choose a day of the last 30 days.").waitFor())
      yield* act(() => hasFocus(page.getByLabel("Day")))
      yield* act(() => page.getByLabel("Since").selectOption("An hour ago"))
      yield* act(() => press(page, "Recover"))
      yield* act(() => hasFocus(page.getByText("1 delivery is sent again, oldest first.").locator("..")))
      yield* makeDue
      yield* attemptDue
      yield* act(() => expect.poll(states).toEqual(["Succeeded"]))
      yield* act(() => press(page, "Recover"))
      yield* act(() => page.getByText("Nothing has failed or been held since then.").waitFor())

      yield* act(() => page.getByRole("link", { name: "Rotate secret" }).click())
      yield* act(() => arrived(page, "Rotate the secret"))
      yield* looksRight(visit, "Rotate the secret")
      yield* act(() => page.getByLabel("The old secret ends").selectOption("In an hour"))
      yield* act(() => press(page, "Rotate secret"))
      yield* act(() => arrived(page, "The new secret"))
      yield* looksRight(visit, "The new secret")
      const rotated = (yield* act(() => page.locator(".secret code").textContent())) ?? ""
      expect(rotated).not.toBe(secret)
      yield* act(() => page.getByRole("link", { name: "I have copied it" }).click())
      yield* act(() => arrived(page, "second"))
      yield* deliver
      yield* act(() => expect.poll(states).toEqual(["Succeeded", "Succeeded"]))
      const last = receiver.received.at(-1)
      for (const known of [secret, rotated]) {
        expect(last && careful(known)(last).status).toBe(204)
      }

      yield* act(() => press(page, "Remove"))
      yield* act(() => press(page.getByRole("dialog", { name: "Remove “second”?" }), "Remove endpoint"))
      yield* act(() => arrived(page, "Webhooks"))
      yield* act(() => page.getByText("No endpoints yet").waitFor())
      yield* act(() => page.goto(visit.origin + pageOf(endpoint)))
      yield* act(() => page.getByText("Not found", { exact: true }).waitFor())
      expectNothingWrong(visit)
    }))
})
