import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  consent,
  linkOf,
  opened,
  PageCompany,
  person,
  prepared,
  stepsOf
} from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, failing, hasFocus, heading, press } from "../support/browser/visit.ts"
import { field } from "../support/client.ts"
import { samples } from "../support/kyc/files.ts"
import { execute } from "../support/postgres.ts"

inBrowser(PageCompany.layer)("the KYC page, when something fails", (test) => {
  test("a retried step is sent as it is now, not as it was when the server failed", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* opened({ workflow: stepsOf("consent", "person", "review") })
      yield* act(() => consent(page))
      const answer = yield* act(() => failing(page, /\/progress$/))
      yield* act(() => person(page))
      yield* act(() => page.getByText("Something went wrong on our side").waitFor())
      yield* act(() => page.getByLabel("First names").fill("Augusta"))
      yield* act(() => page.getByText("Something went wrong on our side").waitFor({ state: "detached" }))
      answer.status = undefined
      yield* act(() => press(page, "Continue"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      expect(field(yield* outcome, "result", "person", "givenName")).toBe("Augusta")
      expectNothingWrong(visit)
    }))

  test("input typed while the step is being saved is not lost", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* opened({ workflow: stepsOf("consent", "person", "review") })
      yield* act(() => consent(page))
      yield* act(() =>
        page.route(
          /\/progress$/,
          async (route) => {
            await page.getByLabel("First names").fill("Augusta")
            await route.continue()
          },
          { times: 1 }
        )
      )
      yield* act(() => person(page))
      yield* act(() => page.getByRole("button", { name: "Continue" }).click())
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      expect(field(yield* outcome, "result", "person", "givenName")).toBe("Augusta")
      expectNothingWrong(visit)
    }))

  test("an unreachable server is retried automatically, even if the browser does not notice", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({ workflow: stepsOf("consent", "person", "review") })
      yield* act(() => consent(page))
      yield* act(() => page.route(/\/progress$/, (route) => route.abort()))
      yield* act(() => person(page))
      yield* act(() => page.getByText("No connection").waitFor())
      yield* act(() => page.unroute(/\/progress$/))
      yield* act(() => heading(page, "Check and send"))
      expectNothingWrong(visit)
    }))

  test("while the server stays unreachable, the message stays, and its button keeps the focus", () =>
    Effect.gen(function* () {
      const { link, page, visit } = yield* prepared({ workflow: stepsOf("consent", "poa") })
      yield* act(() => page.clock.install())
      const again = page.getByRole("button", { name: "Try again" })
      /** Fails with each attempt, by itself and by the button, without losing the focus. */
      const staysWith = async (path: RegExp, title: string) => {
        await page.getByText(title).waitFor()
        await again.focus()
        for (const retry of [() => page.clock.fastForward(6000), () => page.keyboard.press("Enter")]) {
          await expect.poll(() => again.getAttribute("aria-disabled")).toBe("false")
          const failed = page.waitForEvent("requestfailed", (request) => path.test(request.url()))
          await retry()
          await failed
          await hasFocus(again)
        }
        // No attempt by itself comes before the one of the button.
        await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000)
        await expect.poll(() => again.getAttribute("aria-disabled")).toBe("false")
        await page.unroute(path)
        await again.click()
        await page.clock.resume()
      }
      const session = /\/api\/kyc\/public\/sessions\/[^/]+\?/
      yield* act(() => page.route(session, (route) => route.abort()))
      yield* act(() => page.goto(link))
      yield* act(() => staysWith(session, "No connection"))
      yield* act(() => heading(page, "Before we begin"))
      yield* act(() => page.route(/\/progress$/, (route) => route.abort()))
      yield* act(() => consent(page))
      yield* act(() => staysWith(/\/progress$/, "No connection"))
      yield* act(() => heading(page, "Additional documents"))
      yield* act(() => page.route(/\/files$/, (route) => route.abort()))
      yield* act(() =>
        page
          .getByLabel("Choose a file")
          .setInputFiles({ name: "bill.pdf", mimeType: "application/pdf", buffer: samples.pdf })
      )
      yield* act(() => staysWith(/\/files$/, "The file was not sent."))
      yield* act(() => page.getByText("bill.pdf").waitFor())
      expectNothingWrong(visit)
    }))

  test("the error of an entry stays until the entry is changed", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({ workflow: stepsOf("consent", "person", "review") })
      yield* act(() => consent(page))
      yield* act(() => heading(page, "About you"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => page.getByRole("link", { name: "Please fill in: First names" }).click())
      yield* act(() => page.keyboard.type("Ada"))
      yield* act(() => expect.poll(() => page.getByLabel("First names").inputValue()).toBe("Ada"))
      yield* act(() => expect.poll(() => page.getByText("Please fill in: First names").count()).toBe(0))
      yield* act(() => expect.poll(() => page.getByText("Please fill in: Last name").count()).toBe(2))
      expectNothingWrong(visit)
    }))

  test("a failed completion can be retried without losing anything", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* opened({ workflow: stepsOf("consent", "person", "review") })
      yield* act(() => consent(page))
      yield* act(() => person(page))
      const answer = yield* act(() => failing(page, /\/complete$/))
      yield* act(() => press(page, "Send"))
      yield* act(() => page.getByText("Something went wrong on our side").waitFor())
      yield* act(() => page.getByText("Lovelace").waitFor())
      answer.status = undefined
      yield* act(() => press(page, "Try again"))
      yield* act(() => heading(page, "All done"))
      expect(yield* outcome).toMatchObject({
        status: "completed",
        result: { person: { familyName: "Lovelace" } }
      })
      expectNothingWrong(visit)
    }))

  test("a completed and an expired session each have their own screen", () =>
    Effect.gen(function* () {
      const { company, link, page, session, visit } = yield* prepared()
      yield* company.complete(session)
      yield* act(() => page.goto(link))
      yield* act(() => heading(page, "All done"))
      const late = yield* company.expiredSession()
      yield* act(() => page.goto(linkOf(visit, late)))
      yield* act(() => heading(page, "The time for this verification is over"))
      expectNothingWrong(visit)
    }))

  for (const workflow of ['{"steps":"all"}', '{"steps":[1,null]}', '{"steps":[{"id":7}],"rules":{"a":1}}']) {
    test(`a workflow that is none, such as ${workflow}, is no dead end`, () =>
      Effect.gen(function* () {
        const { company, link, page, session, visit } = yield* prepared()
        yield* Effect.orDie(
          execute(
            company.server.databaseUrl,
            "update kyc_instance_versions set workflow = $1::jsonb where id = (select version_id from kyc_sessions where id = $2)",
            [workflow, session.id]
          )
        )
        yield* act(() => page.goto(link))
        yield* act(() => heading(page, /Before we begin|This page needs an update/))
        expectNothingWrong(visit)
      }))
  }
})
