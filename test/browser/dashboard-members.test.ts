/** Members, invitations and the user's own account in the dashboard. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { desktop, goTo, looksRight, openedDashboard, phone } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  act,
  expectNothingWrong,
  hasFocus,
  heading,
  holding,
  press,
  visitor
} from "../support/browser/visit.ts"
import { join, send, signUp, text } from "../support/client.ts"
import { TestServer } from "../support/server.ts"

const password = "correct horse battery staple"

const someone = () => `someone-${crypto.randomUUID()}@example.com`

inBrowser(TestServer.layer)("members in the dashboard", (test) => {
  test("an owner invites a user, who joins by the link; the owner changes their role and removes them", () =>
    Effect.gen(function* () {
      const { owner, page, server, visit } = yield* openedDashboard("/dashboard/members")
      const email = someone()
      yield* looksRight(visit, "Members")
      yield* act(() => page.getByLabel("Email", { exact: true }).fill(owner.email))
      yield* act(() => press(page, "Create invitation link"))
      yield* act(() => page.getByText("Email is already registered").waitFor())
      yield* act(() => page.getByLabel("Email", { exact: true }).fill(email))
      yield* act(() => page.getByLabel("Role", { exact: true }).selectOption("Viewer"))
      yield* act(() => press(page, "Create invitation link"))
      const link = (yield* act(() => page.locator(".secret code").textContent())) ?? ""
      expect(link).toMatch(/^http:\/\/doorlock\.test\/dashboard\/invitation#token=dli_[0-9A-Za-z]{49}$/)
      yield* looksRight(visit, "Members")

      // The invited user has another browser. The link's origin is replaced by this server's address.
      const invited = yield* visitor({ server }, phone)
      yield* act(() => invited.page.goto(link.replace("http://doorlock.test", invited.origin)))
      yield* looksRight(invited, "Join your company")
      yield* act(() => expect.poll(() => invited.page.url()).toBe(`${invited.origin}/dashboard/invitation`))
      expect(invited.seen.changing).toEqual(["POST /api/auth/invitation"])
      yield* act(() => invited.page.reload())
      yield* looksRight(invited, "Join your company")
      yield* act(() => press(invited.page, "Join"))
      yield* act(() =>
        invited.page.getByText("Choose a password must be at least 12 characters long").waitFor()
      )
      yield* act(() => invited.page.getByLabel("Choose a password").fill(password))
      yield* act(() => press(invited.page, "Join"))
      yield* looksRight(invited, "Acme")
      yield* act(() => invited.page.getByRole("button", { name: "Menu" }).click())
      yield* goTo(invited, "Members")
      yield* act(() => invited.page.getByText("Owners can invite others").waitFor())
      yield* looksRight(invited, "Members")
      yield* act(() =>
        expect.poll(() => invited.page.getByRole("button", { name: /Remove/ }).count()).toBe(0)
      )

      yield* act(() => page.reload())
      const row = page.getByRole("row").filter({ hasText: email })
      yield* act(() => row.getByRole("combobox").selectOption("Member"))
      const question = page.getByRole("dialog")
      yield* act(() => question.getByRole("heading", { name: `Make ${email} a member?` }).waitFor())
      // Until it is confirmed, nothing has changed.
      yield* act(() => expect.poll(() => row.getByRole("combobox").inputValue()).toBe("viewer"))
      yield* act(() => press(question, "Change role"))
      yield* act(() => question.waitFor({ state: "detached" }))
      yield* act(() => expect.poll(() => row.getByRole("combobox").inputValue()).toBe("member"))
      yield* act(() => press(row, `Remove ${email}`))
      yield* act(() => press(question, "Remove"))
      yield* act(() => row.waitFor({ state: "detached" }))
      yield* act(() => invited.page.reload())
      yield* looksRight(invited, "Sign in")

      // The link is used up.
      yield* act(() => invited.page.goto(`${link.replace("http://doorlock.test", invited.origin)}`))
      yield* act(() => invited.page.getByText("Invitation not found").waitFor())
      expectNothingWrong(visit)
      expectNothingWrong(invited)
    }))

  test("a member's active keys are shown before removal; unusual letters in an invitation are shown", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const owner = yield* signUp(server)
      const member = yield* join(server, owner, "member")
      const post = (cookie: string, path: string, json: object) =>
        send(server, "POST", path, { headers: { cookie }, json })
      const make = (cookie: string, json: object) => post(cookie, "/api/api-keys", json)
      // The contract takes any text as a key's name.
      const backwards = "\u202ekrow"
      for (const name of ["billing", backwards]) yield* make(member.cookie, { name })
      yield* make(member.cookie, { name: "expired", expiresAt: "2020-01-01" })
      yield* make(owner.cookie, { name: "the owner's" })
      const { body } = yield* make(member.cookie, { name: "revoked" })
      yield* post(member.cookie, `/api/api-keys/${text(body, "apiKey", "id")}/revoke`, {})
      // The first letter is Cyrillic.
      const lookAlike = `\u0430da-${crypto.randomUUID()}@example.com`
      yield* post(owner.cookie, "/api/invitations", { email: lookAlike, role: "member" })

      const { page, visit } = yield* openedDashboard("/dashboard/members", { owner })
      const invitation = page.getByRole("row").filter({ hasText: lookAlike })
      yield* act(() => invitation.getByText("Unusual letters: \u0430 (U+0430)").waitFor())
      yield* act(() => expect.poll(() => page.getByText("Unusual letters").count()).toBe(1))
      yield* looksRight(visit, "Members")
      const question = page.getByRole("dialog")
      yield* act(() => press(page, `Remove ${owner.email}`))
      yield* act(() =>
        question.getByText("According to the audit trail, they created 1 active API key.").waitFor()
      )
      yield* act(() => press(question, "Cancel"))
      yield* act(() => press(page, `Remove ${member.email}`))
      yield* act(() =>
        question.getByText("According to the audit trail, they created 2 active API keys.").waitFor()
      )
      const names = question.getByRole("listitem").locator("bdi")
      yield* act(() =>
        expect.poll(async () => (await names.allTextContents()).sort()).toEqual(["billing", backwards])
      )
      yield* looksRight(visit, "Members")
      yield* act(() => question.getByRole("link", { name: "API keys" }).click())
      yield* looksRight(visit, "API keys")
      const row = page.getByRole("row").filter({ hasText: backwards })
      yield* act(() => expect.poll(() => row.locator("bdi").textContent()).toBe(backwards))
      expectNothingWrong(visit)
    }))

  test("invitations are listed and withdrawn; the last owner cannot be removed", () =>
    Effect.gen(function* () {
      const { owner, page, visit } = yield* openedDashboard("/dashboard/members", { browser: phone })
      const email = someone()
      yield* act(() => page.getByText("No open invitations").waitFor())
      yield* act(() => page.getByLabel("Email", { exact: true }).fill(email))
      yield* act(() => press(page, "Create invitation link"))
      const invitation = page.getByRole("row").filter({ hasText: email })
      const release = yield* act(() => holding(page, /\/withdraw$/))
      const withdraw = invitation.getByRole("button", { name: `Withdraw ${email}` })
      // Of two taps, the second does nothing.
      yield* act(() => withdraw.focus())
      yield* act(() => page.keyboard.press("Enter"))
      yield* act(() => page.keyboard.press("Enter"))
      release()
      yield* act(() => page.getByText("No open invitations").waitFor())
      yield* act(() => hasFocus(page.getByRole("region", { name: "Invitations" })))
      expect(visit.seen.changing.filter((request) => request.endsWith("/withdraw"))).toHaveLength(1)
      yield* act(() => press(page, `Remove ${owner.email}`))
      const question = page.getByRole("dialog")
      yield* act(() => press(question, "Remove"))
      yield* act(() => question.getByText("The company needs an owner").waitFor())
      yield* act(() => page.keyboard.press("Escape"))
      yield* act(() => question.waitFor({ state: "detached" }))
      yield* looksRight(visit, "Members")
      expectNothingWrong(visit)
    }))

  test("users change their own passwords and end their own sessions", () =>
    Effect.gen(function* () {
      const server = yield* TestServer
      const owner = yield* signUp(server)
      const member = yield* join(server, owner, "member")
      const elsewhere = yield* visitor({ server }, desktop)
      const here = yield* visitor({ server }, phone)
      for (const { origin, page } of [elsewhere, here]) {
        yield* act(async () => {
          await page.goto(`${origin}/dashboard/account`)
          await page.getByLabel("Email").fill(member.email)
          await page.getByLabel("Password").fill(member.password)
          await press(page, "Sign in")
          await heading(page, "Your account")
        })
      }
      const { page } = here
      yield* looksRight(here, "Your account")
      const sessions = page.getByRole("table").getByRole("row")
      yield* act(() => expect.poll(() => sessions.count()).toBe(4))
      yield* act(() => press(sessions.filter({ hasNotText: "This one" }).nth(1), /^End/))
      yield* act(() => expect.poll(() => sessions.count()).toBe(3))

      yield* act(() => page.getByLabel("Current password").fill("wrong"))
      yield* act(() => page.getByLabel("New password").fill("another horse battery staple"))
      yield* act(() => press(page, "Change password"))
      yield* act(() => page.getByText("Current password is incorrect").waitFor())
      yield* act(() => page.getByLabel("Current password").fill(member.password))
      yield* act(() => press(page, "Change password"))
      yield* act(() => page.getByText("Your password is changed").waitFor())
      yield* act(() => elsewhere.page.reload())
      yield* looksRight(elsewhere, "Sign in")
      yield* act(() => page.reload())
      yield* looksRight(here, "Your account")
      yield* act(() => expect.poll(() => sessions.count()).toBe(2))
      const again = yield* send(server, "POST", "/api/auth/login", {
        json: { email: member.email, password: "another horse battery staple" }
      })
      expect(again.status).toBe(200)
      yield* act(() => page.reload())
      yield* act(() => expect.poll(() => sessions.count()).toBe(3))
      yield* act(() => press(page, "End all other sessions"))
      yield* act(() => expect.poll(() => sessions.count()).toBe(2))
      expectNothingWrong(here)
      expectNothingWrong(elsewhere)
    }))
})
