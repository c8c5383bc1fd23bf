/** KYC sessions in the dashboard: the page of one, and what is done with many. */
import { buffer } from "node:stream/consumers"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { looksRight, openedDashboard, phone } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong, hasFocus, press } from "../support/browser/visit.ts"
import { createInstance, createKey, createSession, send, signUp, text } from "../support/client.ts"
import { check, newKeyHash } from "../support/kyc/dedup.ts"
import { samples, sha256, upload } from "../support/kyc/files.ts"
import { TestServer } from "../support/server.ts"

/** One that a browser can show. */
const image = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)

const company = Effect.gen(function* () {
  const server = yield* TestServer
  const owner = yield* signUp(server)
  const key = yield* createKey(server, owner)
  const instance = yield* createInstance(server, owner, { name: "Customers" })
  const make = (fields: object = {}, instanceId = instance.id) =>
    createSession(server, key.token, instanceId, fields)
  const post = (
    { path, token }: { readonly path: string; readonly token: string },
    to: string,
    json: object
  ) => send(server, "POST", `${path}/${to}`, { json: { token, ...json } })
  return { server, owner, key, instance, make, post }
})

inBrowser(TestServer.layer)("KYC sessions in the dashboard", (test) => {
  test("a session's page shows the person, checks, other sessions, timeline and files", () =>
    Effect.gen(function* () {
      const { make, owner, post, server } = yield* company
      const known = newKeyHash()
      yield* check({ server }, yield* make({ externalReference: "customer-6" }), known)
      const session = yield* make({ externalReference: "customer-7", metadata: { plan: "pro" } })
      const photo = text((yield* upload(server, session, image)).body, "file", "id")
      const bill = text((yield* upload(server, session, samples.pdf)).body, "file", "id")
      yield* post(session, "progress", {
        status: "running",
        progress: {
          s_person: {
            ...{ givenName: "Ada", familyName: "<img src=x>" },
            ...{ dateOfBirth: "1990-12-10", nationality: "EST" }
          },
          s_document: { files: [{ id: photo, side: "front" }] }
        }
      })
      yield* check({ server }, session, known)
      yield* post(session, "complete", { result: { outcome: "submitted" } })
      const path = `/dashboard/sessions/${session.id}`
      const { page, visit } = yield* openedDashboard(path, { owner, browser: phone })
      yield* looksRight(visit, "customer-7")
      const part = (name: string) => page.getByRole("region", { name, exact: true })
      yield* act(async () => {
        await part("About").getByText("Submitted").waitFor()
        await part("About").getByRole("link", { name: "Customers" }).waitFor()
        await part("Checks").getByText("The same document is in another session").waitFor()
        await part("Checks").getByText("Captcha not passed").waitFor()
        await part("Other sessions").getByRole("link", { name: "customer-6" }).waitFor()
        await part("Metadata").getByText("pro").first().waitFor()
        await part("Person").getByText("Date of birth").waitFor()
        await part("Person").getByText("<img src=x>", { exact: true }).waitFor()
      })
      yield* act(() =>
        expect
          .poll(() => part("Timeline").getByRole("listitem").locator("p").allInnerTexts())
          .toEqual([
            "Created",
            "2 files received",
            "Started by the end user",
            expect.stringContaining("Searched for duplicates: found"),
            expect.stringContaining("Last answer saved"),
            "Submitted"
          ])
      )
      yield* looksRight(visit, "customer-7")

      // The page loads no file of the end user before it is requested.
      const files = `/api/kyc/sessions/${session.id}/files`
      yield* act(() => expect.poll(() => page.locator("main img").count()).toBe(0))
      yield* act(() => press(page, "Show the 2 photos and files"))
      const picture = page.getByRole("img", { name: "Front of document" })
      yield* act(() =>
        expect.poll(() => picture.evaluate((it) => it instanceof HTMLImageElement && it.naturalWidth)).toBe(1)
      )
      yield* looksRight(visit, "customer-7")
      // A PDF is only downloaded.
      yield* act(() => page.getByText(/^PDF, .* download it to see it/).waitFor())
      const download = page.waitForEvent("download")
      yield* act(() => page.locator(`a[href="${files}/${bill}"]`).click())
      const downloaded = yield* act(() => download)
      expect(downloaded.suggestedFilename()).toBe(`${bill}.pdf`)
      const bytes = yield* act(async () => buffer(await downloaded.createReadStream()))
      expect(sha256(bytes)).toBe(sha256(samples.pdf))
      expectNothingWrong(visit)
    }))

  test("selected sessions are cancelled by keyboard, and what failed is named", () =>
    Effect.gen(function* () {
      const { make, owner, post } = yield* company
      for (const name of ["a", "b", "c", "d", "e"]) yield* make({ externalReference: `customer-${name}` })
      const ending = yield* make({ externalReference: "customer-z" })
      const { page, visit } = yield* openedDashboard("/dashboard/sessions", { owner })
      const dialog = page.getByRole("dialog")
      const all = page.getByLabel("Select all shown")
      const use = async (name: string | RegExp) => {
        await page.getByRole("button", { name }).last().focus()
        await page.keyboard.press("Enter")
      }
      yield* act(() => page.getByLabel("Select customer-a").check())
      yield* act(() => page.getByText("1 selected").waitFor())
      yield* act(() => all.focus())
      yield* act(() => page.keyboard.press("Space"))
      yield* act(() => page.getByText("6 selected").waitFor())
      yield* act(() => page.getByLabel("Select customer-e").uncheck())
      yield* looksRight(visit, "Sessions")

      // One of them ends before it can be cancelled.
      yield* post(ending, "complete", { status: "failed" })
      yield* act(() => use("Cancel 5 sessions"))
      yield* act(() => dialog.getByText("This cannot be undone.").waitFor())
      yield* act(() => dialog.getByRole("button", { name: "Cancel 5 sessions" }).focus())
      yield* act(() => page.keyboard.press("Enter"))
      yield* act(() => dialog.getByText("4 sessions cancelled.").waitFor())
      yield* act(() => dialog.getByText("1 session failed: Session is not updatable").waitFor())
      yield* act(() => dialog.getByRole("link", { name: "customer-z" }).waitFor())
      yield* looksRight(visit, "Sessions")
      yield* act(() => hasFocus(dialog.getByRole("button", { name: "Close" })))
      yield* act(() => page.keyboard.press("Enter"))
      yield* act(() => hasFocus(all))
      const inState = (state: string) => page.getByRole("row", { name: new RegExp(`customer-.*${state}`) })
      yield* act(() => expect.poll(() => inState("Cancelled").count()).toBe(4))
      yield* act(() => expect.poll(() => inState("Failed").count()).toBe(1))
    }))
})
