/** Publishing in the dashboard: from a company that publishes nothing to an API that others call. */
import { expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { goTo, looksRight, openedDashboard } from "../support/browser/dashboard.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { act, expectNothingWrong, heading, press } from "../support/browser/visit.ts"
import { answering } from "../support/marketplace/gateway.ts"
import { freshSlug, openapi } from "../support/marketplace/publisher.ts"
import { startServer, TestServer } from "../support/server.ts"

/** One whose publishers may have upstreams of this machine. */
const server = Layer.scoped(
  TestServer,
  Effect.orDie(startServer({ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" }))
)

const tides = openapi({
  "/high-water": {
    get: { summary: "When the water is high", responses: { 200: { description: "The hour" } } }
  }
})

inBrowser(server)("publishing in the dashboard", (test) => {
  test("a company becomes a publisher, adds an API, publishes it, and unpublishes it", () =>
    Effect.gen(function* () {
      const { url } = yield* answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n12")
      const { page, visit } = yield* openedDashboard("/dashboard")
      const slug = freshSlug()
      yield* goTo(visit, "Publishing")
      yield* looksRight(visit, "Publishing")
      yield* act(() => page.getByLabel("Slug").fill("Not a slug"))
      yield* act(() => press(page, "Become a publisher"))
      yield* act(() => page.getByText("Slug must be 1 to 63 lower-case letters").waitFor())
      yield* act(() => page.getByLabel("Slug").fill(slug))
      yield* act(() => page.getByLabel("Name").fill("Harbour Office"))
      yield* act(() => press(page, "Become a publisher"))
      yield* act(() => page.getByText("You publish as Harbour Office").waitFor())
      yield* looksRight(visit, "Publishing")

      yield* act(() => page.getByRole("link", { name: "Add API" }).first().click())
      yield* looksRight(visit, "Add an API")
      yield* act(() => page.getByLabel("Name").fill("Tides of the Walk"))
      yield* act(() => expect.poll(() => page.getByLabel("Slug").inputValue()).toBe("tides-of-the-walk"))
      yield* act(() => press(page, "Add API"))
      yield* looksRight(visit, "Tides of the Walk")
      yield* act(() => page.getByText("it needs a version to call and a plan to subscribe to").waitFor())
      const place = (name: string) => page.getByRole("region", { name }).boundingBox()
      const isBeside = async () => {
        const [about, versions] = [await place("About"), await place("Versions")]
        return about?.y === versions?.y && (about?.x ?? 0) > (versions?.x ?? 0)
      }
      for (const [width, beside] of [
        [1199, false],
        [1200, true],
        [1280, true]
      ] as const) {
        yield* act(() => page.setViewportSize({ width, height: 800 }))
        yield* act(() => expect.poll(isBeside, { message: `${width}` }).toBe(beside))
      }

      // A version: what is refused is said where it is, and what was entered stays.
      yield* act(() => page.getByRole("link", { name: "Add version" }).click())
      yield* looksRight(visit, "Add a version")
      yield* act(() => page.getByLabel("Version", { exact: true }).fill("1"))
      yield* act(() => page.getByLabel("Upstream").fill("ftp://example.com"))
      const document = page.getByLabel("OpenAPI document")
      const height = async () => (await document.boundingBox())?.height ?? 0
      yield* act(() => expect.poll(height).toBeLessThan(250))
      yield* act(() => document.fill('{\n  "openapi": "3.1.0",\n  "info"\n}'))
      yield* act(() => press(page, "Add version"))
      yield* act(() => page.getByText("Line 4 should have a colon.").waitFor())
      yield* act(() =>
        page.getByLabel("From a file").setInputFiles({
          name: "tides.json",
          mimeType: "application/json",
          buffer: Buffer.from(JSON.stringify({ ...tides, info: { title: "Tides" } }, null, 2))
        })
      )
      yield* act(() => press(page, "Add version"))
      yield* act(() => page.getByText("Upstream must be an http or https URL").waitFor())
      yield* act(() => page.getByLabel("Upstream").fill(url))
      yield* act(() => page.getByLabel("Timeout in seconds").fill("5"))
      yield* act(() => press(page, "Add version"))
      yield* act(() => page.getByText(/^openapi\.info must have the field "version".* \(line 3\)$/).waitFor())
      // It is selected in the text.
      const selected = () =>
        document.evaluate((area) =>
          area instanceof HTMLTextAreaElement
            ? area.value.slice(area.selectionStart, area.selectionEnd).trim()
            : undefined
        )
      yield* act(() => expect.poll(selected).toBe('"info": {'))
      const box = page.locator(".text-editor")
      const looks = () =>
        box.evaluate((element) => {
          const { borderTopColor, outlineStyle } = getComputedStyle(element)
          const error = element.parentElement?.querySelector(".error")
          return { outlineStyle, isRed: error ? borderTopColor === getComputedStyle(error).color : undefined }
        })
      yield* act(() => expect.poll(looks).toEqual({ outlineStyle: "solid", isRed: true }))
      yield* looksRight(visit, "Add a version")
      // Going elsewhere asks first.
      yield* act(() => page.getByRole("link", { name: "Members" }).click())
      yield* act(() => press(page.getByRole("dialog", { name: "Leave without saving?" }), "Stay"))
      yield* act(() => page.goBack())
      yield* act(() => press(page.getByRole("dialog", { name: "Leave without saving?" }), "Stay"))
      yield* act(() => heading(page, "Add a version"))
      yield* act(() => expect.poll(() => page.getByLabel("Upstream").inputValue()).toBe(url))
      yield* act(() => document.fill(JSON.stringify(tides)))
      yield* act(() => press(page, "Add version"))
      yield* looksRight(visit, "Tides of the Walk")
      yield* act(() => page.getByText("5 s").waitFor())

      yield* act(() => page.getByRole("link", { name: "Add plan" }).click())
      yield* looksRight(visit, "Add a plan")
      yield* act(() => page.getByLabel("Name").fill("Small"))
      yield* act(() => page.getByLabel("Requests per minute").fill("0"))
      yield* act(() => press(page, "Add plan"))
      yield* act(() => page.getByText("Requests per minute must be a whole number from 1 to").waitFor())
      yield* act(() => page.getByLabel("Requests per minute").fill("60"))
      yield* act(() => press(page, "Add plan"))
      yield* act(() => page.getByText("60 calls a minute").waitFor())

      yield* act(() => page.getByRole("link", { name: "Edit" }).click())
      yield* looksRight(visit, "Edit the API")
      yield* act(() => page.getByLabel("Description").fill("High and low water."))
      yield* act(() => press(page, "Save"))
      yield* act(() => page.getByText("High and low water.").waitFor())

      yield* act(() => press(page, "Publish"))
      yield* act(() => press(page.getByRole("dialog", { name: "Publish Tides of the Walk?" }), "Publish"))
      yield* act(() => page.getByText("Published", { exact: true }).waitFor())
      yield* looksRight(visit, "Tides of the Walk")

      yield* act(() => press(page, "Unpublish"))
      yield* act(() => press(page.getByRole("dialog", { name: "Unpublish Tides of the Walk?" }), "Unpublish"))
      yield* act(() => page.getByText("Draft", { exact: true }).waitFor())
      expectNothingWrong(visit)
    }))
})
