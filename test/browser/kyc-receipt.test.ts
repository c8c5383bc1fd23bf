/** The receipt at the end, and the page that shows and checks receipts. */
import { text as textOf } from "node:stream/consumers"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { serious } from "../support/browser/axe.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { consent, fullWorkflow, opened, PageCompany, person } from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, heading, press } from "../support/browser/visit.ts"

const steps = fullWorkflow.steps.filter(({ id }) => ["consent", "person"].includes(id))

inBrowser(PageCompany.layer)("receipts", (test) => {
  test("the end user gets one, opens it, saves it, and anybody checks it; an altered one is refused", () =>
    Effect.gen(function* () {
      const { page, session, visit } = yield* opened({
        config: { legal: { company: "Acme Bank" }, retention: { finishedDays: 30 } },
        workflow: { v: 1, id: "short", version: 1, steps }
      })
      yield* act(() => consent(page))
      yield* act(() => person(page))
      yield* act(() => heading(page, "All done"))
      yield* act(() => press(page, "Get a receipt"))
      const link = page.getByRole("link", { name: "Open and print" })
      yield* act(() => link.waitFor())
      yield* act(() => expect.poll(() => serious(page)).toEqual([]))
      const download = page.waitForEvent("download")
      yield* act(() => page.getByRole("link", { name: "Save as a file" }).click())
      const downloaded = yield* act(() => download)
      expect(downloaded.suggestedFilename()).toBe(`receipt-${session.id}.jws`)
      const receipt = yield* act(async () => textOf(await downloaded.createReadStream()))

      const opening = visit.context.waitForEvent("page")
      yield* act(() => link.click())
      const shown = yield* act(() => opening)
      yield* act(async () => {
        await heading(shown, "Receipt")
        await shown.getByText("This receipt is genuine.").waitFor()
        await shown.getByRole("banner").getByText("doorlock").waitFor()
        await shown.getByText("A receipt is a signed record of a verification").waitFor()
        await shown.getByText("Acme Bank", { exact: true }).waitFor()
        await shown.getByText("I agree that my personal details are checked.").waitFor()
        await shown.getByText("About you: First names, Last name, Date of birth, Nationality").waitFor()
        await shown.getByText(/^Until /).waitFor()
        await shown.getByText(session.id).waitFor()
      })
      yield* act(() => expect.poll(() => serious(shown)).toEqual([]))
      yield* act(() => expect.poll(() => shown.locator("main").textContent()).not.toContain("Lovelace"))

      const file = (content: string) => ({
        name: "receipt.jws",
        mimeType: "application/jose",
        buffer: Buffer.from(content)
      })
      const [head, body = "", signature] = receipt.split(".")
      const altered = Buffer.from(
        Buffer.from(body, "base64url").toString().replace("Acme Bank", "Evil Bank")
      ).toString("base64url")
      const input = shown.getByLabel("Receipt file")
      yield* act(() => input.setInputFiles(file([head, altered, signature].join("."))))
      yield* act(() => shown.getByText("This receipt is not genuine").waitFor())
      yield* act(() => expect.poll(() => serious(shown)).toEqual([]))
      yield* act(() => input.setInputFiles(file(`${receipt}\n`)))
      yield* act(() => shown.getByText("This receipt is genuine.").waitFor())
      yield* act(() => input.setInputFiles(file("something else")))
      yield* act(() => shown.getByText("This receipt is not genuine").waitFor())
      // The receipt itself is sent nowhere.
      expect(visit.seen.changing.filter((one) => one.includes("/receipt"))).toEqual([
        `POST /api/kyc/public/sessions/${session.id}/receipt`
      ])
      expectNothingWrong(visit)
    }))
})
