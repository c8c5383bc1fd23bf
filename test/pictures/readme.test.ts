/** Takes the pictures of the README. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { signInAs } from "../support/browser/dashboard.ts"
import { photoOfHolder, upright } from "../support/browser/film.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { linkOf, stepsOf } from "../support/browser/kyc-page.ts"
import { act, heading, press, visitor } from "../support/browser/visit.ts"
import { createInstance, createKey, signUp } from "../support/client.ts"
import { looked } from "../support/kyc/checks.ts"
import { companyOf } from "../support/kyc/partner.ts"
import { fileOf } from "../support/kyc/pictures.ts"
import { astronaut } from "../support/kyc/portraits.ts"
import { startServer } from "../support/server.ts"

/** A server whose jobs the test can wake. */
class OwnServer extends Context.Tag("OwnServer")<
  OwnServer,
  Effect.Effect.Success<ReturnType<typeof startServer>>
>() {
  static readonly layer = Layer.scoped(OwnServer, Effect.orDie(startServer()))
}

/** What the steps are called, on both pages. */
const titles: Readonly<Record<string, string>> = { person: "About you", doc: "Your document" }

/** What the page shows as WebP, which has to be small: people read the README over slow lines, too. */
const take = (page: Page, name: string) =>
  act(async () => {
    const devtools = await page.context().newCDPSession(page)
    const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 80 })
    const picture = Buffer.from(data, "base64")
    expect(picture.toString("latin1", 8, 12)).toBe("WEBP")
    expect(picture.length).toBeLessThan(150_000)
    await writeFile(join(import.meta.dirname, "../../docs/pictures", `${name}.webp`), picture)
  })

inBrowser(OwnServer.layer)("the pictures of the README", (test) => {
  test("show the hosted page on a phone, and the review of the same person", () =>
    Effect.gen(function* () {
      const server = yield* OwnServer
      const owner = yield* signUp(server, "lena@example.com")
      const key = yield* createKey(server, owner)
      const { steps } = stepsOf("person", "doc", "selfie", "review")
      const instance = yield* createInstance(server, owner, {
        name: "Onboarding",
        config: { review: { mode: "manual" } },
        workflow: {
          steps: steps.map((step) => ({
            ...step,
            ...(step.id in titles ? { title: { en: titles[step.id] } } : {})
          }))
        }
      })
      const company = companyOf(server, owner, key, instance)
      const session = yield* company.newSession({ externalReference: "customer-42" })
      const screen = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }
      const phone = yield* visitor(company, {
        ...screen,
        hasTouch: true,
        isMobile: true,
        timezoneId: "Europe/Tallinn"
      })
      const { page } = phone
      const choose = async (name: string, photo: Buffer) => {
        await page.getByLabel("Choose a file").setInputFiles(fileOf(name, "image/jpeg", photo))
        await press(page, "Use this photo")
        await page.getByText("Received").waitFor()
      }
      yield* act(() => page.goto(linkOf(phone, session)))
      yield* act(() => heading(page, "About you"))
      yield* act(() => page.getByLabel("First names").fill("Anna Maria"))
      yield* act(() => page.getByLabel("Last name").fill("Eriksson"))
      yield* act(() => page.getByLabel("Date of birth").fill("1974-08-12"))
      yield* act(() => page.getByLabel("Nationality").selectOption("EST"))
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "Your document"))
      yield* act(() => page.getByRole("radio", { name: "Passport" }).check())
      yield* act(async () => choose("photo.jpg", await photoOfHolder("TD3", upright)))
      yield* act(() => page.getByText("These details were read from your photo.").waitFor())
      yield* act(() => page.evaluate("scrollTo(0, 0)"))
      yield* take(page, "hosted-page")
      yield* act(() => press(page, "Continue"))
      yield* act(async () => choose("selfie.jpg", await astronaut().jpeg().toBuffer()))
      yield* act(() => press(page, "Continue"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      yield* looked(server, session)

      const desk = yield* visitor(company, { viewport: { width: 1440, height: 900 } })
      yield* signInAs(desk, company.member)
      yield* act(() => desk.page.goto(`${desk.origin}/dashboard/reviews/${session.id}`))
      const photos = () =>
        desk.page
          .locator(".case img")
          .evaluateAll(
            (all) => all.filter((it) => it instanceof HTMLImageElement && it.naturalWidth > 1).length
          )
      yield* act(() => expect.poll(photos).toBe(2))
      yield* take(desk.page, "review")
    }))
})
