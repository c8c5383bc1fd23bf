/** KYC sessions in the dashboard: filters, pages, and the page of one session. */
import { buffer } from "node:stream/consumers"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { looksRight, openedDashboard, phone } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong, hasFocus, holding, press } from "../support/browser/visit.ts"
import { createInstance, createKey, createSession, expire, send, signUp, text } from "../support/client.ts"
import { check, newKeyHash } from "../support/kyc/dedup.ts"
import { samples, sha256, upload } from "../support/kyc/files.ts"
import { unzip } from "../support/kyc/zip.ts"
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
      yield* act(() => part("Raw data").getByText("Progress as JSON").click())
      yield* act(() =>
        expect.poll(() => part("Raw data").locator("pre").textContent()).toContain('"givenName": "Ada"')
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

  test("an owner destroys the data of a session, which then says so; a member cannot", () =>
    Effect.gen(function* () {
      const { make, owner, post, server } = yield* company
      const session = yield* make({ externalReference: "customer-9", metadata: { plan: "pro" } })
      yield* upload(server, session, image)
      yield* post(session, "progress", { status: "running", progress: { s_person: { givenName: "Ada" } } })
      const path = `/dashboard/sessions/${session.id}`
      const member = yield* openedDashboard(path, { owner, role: "member" })
      yield* act(() => member.page.getByRole("button", { name: "Cancel session" }).waitFor())
      yield* act(() =>
        expect.poll(() => member.page.getByRole("button", { name: "Destroy data" }).count()).toBe(0)
      )

      const { page, visit } = yield* openedDashboard(path, { owner, browser: phone })
      yield* act(() =>
        page
          .getByText(/\bAda\b/)
          .first()
          .waitFor()
      )
      yield* act(() => press(page, "Destroy data"))
      const dialog = page.getByRole("dialog", { name: "Destroy the data of this session?" })
      yield* act(() => dialog.getByText("Nobody can restore it.").waitFor())
      yield* looksRight(visit, "customer-9")
      yield* act(() => dialog.getByRole("button", { name: "Destroy data" }).click())
      yield* act(() => page.getByText("All personal data of this session was destroyed").waitFor())
      const about = page.getByRole("region", { name: "About" })
      yield* act(() => about.getByText("Cancelled").waitFor())
      yield* act(() => expect.poll(() => about.getByText("Link works until").count()).toBe(0))
      yield* looksRight(visit, "customer-9")
      for (const gone of ["Person", "Metadata", "Notes", "Raw data"]) {
        yield* act(() => expect.poll(() => page.getByRole("region", { name: gone }).count()).toBe(0))
      }
      yield* act(() => expect.poll(() => page.getByText(/\bAda\b/).count()).toBe(0))
      yield* act(() => expect.poll(() => page.getByRole("button", { name: "Destroy data" }).count()).toBe(0))
      yield* act(() => page.getByRole("link", { name: "Report" }).click())
      yield* act(() => page.getByText("All personal data of this session was destroyed").waitFor())
      yield* looksRight(visit, "Report: customer-9")
      expectNothingWrong(visit)
      expectNothingWrong(member.visit)
    }))

  test("selected sessions are cancelled, and their data is destroyed, by keyboard; Stop leaves the others", () =>
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

      yield* act(() => all.check())
      const release = yield* act(() => holding(page, /\/redact$/))
      yield* act(() => use("Destroy data of 6 sessions"))
      yield* act(() => dialog.getByText("Nobody can restore it.").waitFor())
      yield* act(() => dialog.getByRole("button", { name: "Destroy data" }).click())
      yield* act(() => dialog.getByRole("status").getByText("0 of 6").waitFor())
      yield* act(() => page.keyboard.press("Escape"))
      yield* looksRight(visit, "Sessions")
      yield* act(() => press(page, "Stop"))
      release()
      yield* act(() =>
        dialog.getByText("Data of 4 sessions destroyed. Stopped: 2 sessions not changed.").waitFor()
      )
      yield* act(() => press(page, "Close"))
      yield* act(() => expect.poll(() => all.isChecked()).toBe(false))
      // On a phone, and for a member.
      const member = yield* openedDashboard("/dashboard/sessions", { owner, role: "member", browser: phone })
      yield* act(() => member.page.getByLabel("Select customer-e").check())
      yield* act(() => member.page.getByText("1 selected").waitFor())
      yield* act(() =>
        expect.poll(() => member.page.getByRole("button", { name: /Destroy/ }).count()).toBe(0)
      )
      yield* looksRight(member.visit, "Sessions")
      const viewer = yield* openedDashboard("/dashboard/sessions", { owner, role: "viewer" })
      yield* act(() => viewer.page.getByRole("link", { name: "customer-e" }).waitFor())
      yield* act(() => expect.poll(() => viewer.page.getByRole("checkbox").count()).toBe(0))
      expectNothingWrong(member.visit)
    }))

  test("an unfinished session gets a new link, is exported, and is cancelled", () =>
    Effect.gen(function* () {
      const { make, owner, server } = yield* company
      const session = yield* make()
      yield* Effect.orDie(expire(server, session.id))
      const { page, visit } = yield* openedDashboard(`/dashboard/sessions/${session.id}`, {
        owner,
        browser: phone
      })
      const dialog = page.getByRole("dialog")
      yield* act(() => press(page, "New link"))
      yield* act(() => dialog.getByLabel("The new link works for").selectOption("7 days"))
      yield* looksRight(visit, "Session")
      yield* act(() => press(page, "Make a new link"))
      const link = dialog.getByText(`/kyc/session/${session.id}?token=kyc_sess_`)
      yield* act(() => link.waitFor())
      yield* looksRight(visit, "Session")
      const token = new URL((yield* act(() => link.textContent())) ?? "").searchParams.get("token")
      expect((yield* send(server, "GET", `${session.path}?token=${token}`)).status).toBe(200)
      expect((yield* send(server, "GET", `${session.path}?token=${session.token}`)).status).toBe(404)
      yield* act(() => dialog.getByRole("button", { name: "Close" }).click())

      const download = page.waitForEvent("download")
      yield* act(() => page.getByRole("link", { name: "Export" }).click())
      const downloaded = yield* act(() => download)
      expect(downloaded.suggestedFilename()).toBe(`session-${session.id}.zip`)
      const files = unzip(yield* act(async () => buffer(await downloaded.createReadStream())))
      expect(files.get("missing.json")?.toString()).toBe("[]\n")

      yield* act(() => press(page, "Cancel session"))
      yield* looksRight(visit, "Session")
      yield* act(() => dialog.getByRole("button", { name: "Cancel session" }).click())
      yield* act(() => page.getByRole("region", { name: "About" }).getByText("Cancelled").waitFor())
      yield* act(() => expect.poll(() => page.getByRole("button", { name: "New link" }).count()).toBe(0))
      expectNothingWrong(visit)
    }))
})
