/** The hosted page in a frame on a partner's site (docs/guides/embedding.md). */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Frame, Page } from "playwright-core"
import { serious } from "../support/browser/axe.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  consent,
  linkOf,
  number,
  PageCompany,
  passport,
  person,
  photograph
} from "../support/browser/kyc-page.ts"
import { eventsOn, frameOn, heardOn, partnerSite } from "../support/browser/partner-site.ts"
import { act, arrived, heading, press, type Visit, visitor, wrongs } from "../support/browser/visit.ts"
import { createInstance, createSession, field } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { strayToken } from "../support/kyc/partner.ts"

interface Options {
  /** The site's host name. */
  readonly host?: string
  readonly config?: object
  readonly workflow?: object
  readonly session?: object
  readonly browser?: Parameters<typeof visitor>[1]
}

const consentStep = { id: "consent", type: "consent" }

const short = {
  steps: [
    consentStep,
    { id: "person", type: "form", fields: [{ id: "givenName", type: "text", required: true }] },
    { id: "review", type: "review" }
  ]
}

/** A site that may embed the session's page, and a browser. */
const partner = ({
  browser,
  config = {},
  host = "shop.localhost",
  session: fields,
  workflow = {}
}: Options = {}) =>
  Effect.gen(function* () {
    const company = yield* PageCompany
    const site = yield* partnerSite(company.server.url)
    const shop = site.origin(host)
    const { id } = yield* createInstance(company.server, company.member, {
      config: { embed: { allowedOrigins: ["https://shop.example", shop] }, ...config },
      workflow
    })
    const session = yield* createSession(company.server, company.key.token, id, fields)
    const visit = yield* visitor(company, browser)
    const { page } = visit
    const link = linkOf(visit, session)
    /** Opens a page of the site with the link in its frame. */
    const open = (address: string, shown = link) =>
      Effect.zipRight(
        act(() => page.goto(`${address}#${encodeURIComponent(shown)}`)),
        act(() => frameOn(page))
      )
    return { company, instanceId: id, site, shop, session, visit, page, link, open }
  })

const types = (events: ReadonlyArray<Record<string, unknown>>) => events.map(({ type }) => type)

/** All events except `resize`, which may arrive at any time. */
const course = async (page: Page) => (await eventsOn(page)).filter(({ type }) => type !== "resize")

const heard = (page: Page, type: string) =>
  eventually(
    `the event ${type}`,
    Effect.map(
      act(() => eventsOn(page)),
      (events) => types(events).includes(type)
    )
  )

/**
 * The frame sends nothing to the partner's page. An earlier message would arrive before the last one, which the test sends
 * from the frame.
 */
const hasSaidNothing = (page: Page, frame: Frame) =>
  act(async () => {
    await frame.evaluate(
      () =>
        new Promise<void>((resolve) =>
          requestAnimationFrame(() =>
            setTimeout(() => {
              parent.postMessage("the last word", "*")
              resolve()
            })
          )
        )
    )
    await expect.poll(async () => (await heardOn(page)).map(({ data }) => data)).toEqual(["the last word"])
  })

/** No request to third parties, no policy violation, no uncaught error. */
const expectNothingWrong = ({ seen }: Visit, shop: string) =>
  expect(wrongs({ ...seen, foreign: seen.foreign.filter((url) => !url.startsWith(`${shop}/`)) })).toEqual({
    foreign: [],
    violations: [],
    errors: []
  })

/** Checks a screen once it is shown: it fits the frame, and axe finds nothing serious. */
const lookingAt = (page: Page, frame: Frame) =>
  Effect.fnUntraced(function* (title: string) {
    yield* act(() => heading(frame, title))
    // A browser scrolls by whole pixels.
    yield* eventually(
      `the top of ${title} is in view`,
      act(() => page.evaluate("document.querySelector('iframe').getBoundingClientRect().top > -1"))
    )
    // The framed page needs no scroll bar, and has no empty space below.
    yield* eventually(
      `the frame is as high as ${title}`,
      act(() => frame.evaluate(() => Math.abs(innerHeight - document.body.scrollHeight) <= 1))
    )
    yield* act(() => expect.poll(() => serious(frame), { message: title }).toEqual([]))
  })

inBrowser(PageCompany.layer)("the KYC page in a frame", (test) => {
  test("can be completed; the embedding page gets the events in order and no private data", () =>
    Effect.gen(function* () {
      const { company, open, page, session, shop, visit } = yield* partner({
        session: { successRedirectUrl: "https://shop.example/welcome?order=7" }
      })
      const frame = yield* open(`${shop}/`)
      const looked = lookingAt(page, frame)
      yield* looked("Before we begin")
      // The frame must not take the focus: the user may be busy elsewhere on the page.
      yield* act(() => expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("BODY"))
      expect(visit.seen.changing).toEqual([])
      yield* act(() => consent(frame))
      yield* looked("Your document")
      yield* act(() => arrived(frame, "Your document"))
      const documentNumber = number()
      yield* act(() => passport(frame, documentNumber))
      yield* act(() => press(frame, "Take photo"))
      // The camera takes what the frame has on the screen, and all of it is to be seen.
      const camera = frame.locator(".camera")
      yield* act(() => expect.poll(async () => (await camera.boundingBox())?.height).toBeGreaterThan(600))
      yield* act(() =>
        expect
          .poll(async () => {
            const { height = 0, y = 0 } = (await camera.boundingBox()) ?? {}
            return Math.floor(y) >= 0 && Math.floor(y + height) <= 844
          })
          .toBe(true)
      )
      yield* act(() => press(frame, "Close camera"))
      yield* act(() => photograph(frame))
      yield* act(() => press(frame, "Continue"))
      yield* looked("About you")
      yield* act(() => person(frame))
      yield* looked("Check and send")
      yield* act(() => press(frame, "Send"))
      yield* looked("All done")
      // The frame tells the partner's page to redirect, and does not navigate by itself.
      yield* heard(page, "redirect")
      yield* act(() => expect.poll(() => page.url()).toMatch(new RegExp(`^${shop}/#`)))
      const link = frame.getByRole("link", { name: "Continue to shop.example" })
      yield* act(() =>
        expect.poll(() => link.getAttribute("href")).toBe("https://shop.example/welcome?order=7")
      )
      yield* act(() => expect.poll(() => link.getAttribute("target")).toBe("_top"))

      const about = { source: "doorlock", v: 1, sessionId: session.id }
      const step = (position: number, id: string, type: string) => ({
        ...about,
        type: "step",
        step: { id, type },
        position,
        total: 4
      })
      const events = yield* act(() => course(page))
      // The captcha is solved in the background, so its event may arrive at any point.
      expect(events.filter(({ type }) => type !== "captcha")).toEqual([
        { ...about, type: "ready" },
        step(1, "consent", "consent"),
        step(2, "document", "document"),
        step(3, "person", "form"),
        step(4, "review", "review"),
        { ...about, type: "completed" },
        { ...about, type: "redirect", redirectUrl: "https://shop.example/welcome?order=7" }
      ])
      expect(events.filter(({ type }) => type === "captcha")).toEqual([
        { ...about, type: "captcha", verified: true }
      ])

      const messages = yield* act(() => heardOn(page))
      expect(new Set(messages.map(({ origin }) => origin))).toEqual(new Set([visit.origin]))
      const all = JSON.stringify(messages)
      for (const secret of [session.token, "kyc_sess_", documentNumber, "Ada", "Lovelace", "1990-12-10"]) {
        expect(all).not.toContain(secret)
      }
      // Read both lengths at once: another message may arrive at any time.
      yield* act(() => expect.poll(() => page.evaluate("heard.length - events.length")).toBe(0))
      yield* act(() => expect.poll(() => page.evaluate("Object.keys(doorlock)")).toEqual(["mount"]))
      yield* act(() => expect.poll(() => frame.url()).not.toContain(session.token))
      const besideTheAddress = () => frame.evaluate(() => JSON.stringify(history.state))
      yield* act(() => expect.poll(besideTheAddress).not.toContain(session.token))
      const { body } = yield* company.asPartner(`/api/kyc/sessions/${session.id}`)
      expect(field(body, "session", "status")).toBe("completed")
      expectNothingWrong(visit, shop)
    }))

  test("is refused to an unlisted site, and with a wrong token to a listed one; the site's script reports it", () =>
    Effect.gen(function* () {
      const { company, open, page, session, shop, site, visit } = yield* partner()
      const frame = yield* open(`${site.origin("stranger.localhost")}/`)
      yield* heard(page, "error")
      yield* act(() =>
        expect
          .poll(() => eventsOn(page))
          .toEqual([{ source: "doorlock", v: 1, sessionId: session.id, type: "error", code: "NOT_READY" }])
      )
      yield* act(() => expect.poll(() => page.title()).toBe("NOT_READY"))
      yield* act(() => expect.poll(() => frame.evaluate(() => document.querySelector("#page"))).toBeNull())
      yield* act(() => expect.poll(() => heardOn(page)).toEqual([]))
      yield* act(() => expect.poll(() => visit.seen.violations.join()).toMatch(/frame-ancestors/))
      const token = yield* strayToken(company)
      yield* open(`${shop}/`, linkOf(visit, { ...session, token }))
      yield* heard(page, "error")
      yield* act(() => expect.poll(async () => types(await eventsOn(page))).toEqual(["error"]))
    }))

  test("says nothing without embed.js, nor where the frame asks for an origin that it must not tell", () =>
    Effect.gen(function* () {
      const { link, open, page, shop, visit } = yield* partner({ workflow: short })
      const frame = yield* open(`${shop}/by-hand`)
      yield* act(() => consent(frame))
      yield* act(() => heading(frame, "About you"))
      yield* hasSaidNothing(page, frame)
      expectNothingWrong(visit, shop)
      for (const embedOrigin of [
        "https://other.example",
        visit.origin,
        "*",
        // On the list. The browser delivers only to the named origin, and the parent has another.
        "https://shop.example"
      ]) {
        const asked = `${link}&${new URLSearchParams({ embedOrigin })}`
        yield* act(() => page.goto("about:blank"))
        const other = yield* open(`${shop}/by-hand`, asked)
        yield* act(() => heading(other, "About you"))
        yield* hasSaidNothing(page, other)
      }
      expect({ ...wrongs(visit.seen), foreign: [] }).toEqual({ foreign: [], violations: [], errors: [] })
    }))

  test("goes on after a reload within the frame, where it was, although the browser refuses storage", () =>
    Effect.gen(function* () {
      // Another origin of the same site: browsers differ in what they let a cross-site frame store.
      const { open, page, session, shop, visit } = yield* partner({
        host: "127.0.0.1",
        workflow: {
          steps: [consentStep, { id: "doc", type: "document" }, { id: "review", type: "review" }]
        }
      })
      yield* act(() =>
        page.addInitScript(() => {
          if (window.parent === window) return
          Object.defineProperty(window, "sessionStorage", {
            get: () => {
              throw new DOMException("Access is denied for this document", "SecurityError")
            }
          })
        })
      )
      yield* act(() => page.clock.install())
      const frame = yield* open(`${shop}/`)
      const reload = Effect.gen(function* () {
        const reloaded = page.waitForEvent("framenavigated")
        yield* act(() => frame.evaluate(() => location.reload()))
        yield* act(() => reloaded)
      })
      yield* act(() => consent(frame))
      yield* act(() => heading(frame, "Your document"))
      const besideTheAddress = yield* act(() => frame.evaluate(() => JSON.stringify(history.state)))
      expect(besideTheAddress).toContain(session.token)
      yield* reload
      const address = new URL(frame.url())
      expect(address.pathname).toBe(`/kyc/session/${session.id}`)
      expect([...address.searchParams.keys()].sort()).toEqual(["embedOrigin", "frame"])
      yield* act(() => expect.poll(() => frame.url()).not.toContain(session.token))
      yield* act(() => passport(frame, number()))
      yield* act(() => photograph(frame))
      yield* act(() => press(frame, "Continue"))
      yield* act(() => heading(frame, "Check and send"))
      // No response of the server contains the document number.
      yield* reload
      yield* act(() => press(frame, "Send"))
      yield* heard(page, "completed")
      // The page reported ready after each load, so no later fault may be reported either.
      yield* act(() => page.clock.fastForward("01:00"))
      const told = types(yield* act(() => course(page))).filter((type) => type !== "captcha")
      expect(told.join(" ")).toBe("ready step step ready step step ready step completed")
      expectNothingWrong(visit, shop)
    }))

  test("ignores forged and malformed messages, leaves no frame once unmounted, and rejects an unknown container or an invalid URL", () =>
    Effect.gen(function* () {
      const { open, page, shop, visit } = yield* partner()
      const frame = yield* open(`${shop}/`)
      yield* act(() => heading(frame, "Before we begin"))
      const forged = (mark: number) => ({ source: "doorlock", v: 1, type: "completed", mark })
      // From the shop's own page, then from a window that claims the service's origin, then from the frame with invalid
      // messages.
      yield* act(() => page.evaluate((data) => postMessage(data, "*"), forged(1)))
      yield* act(() =>
        page.evaluate(
          ([data, origin]) => dispatchEvent(new MessageEvent("message", { data, origin, source: window })),
          [forged(2), visit.origin] as const
        )
      )
      for (const data of [
        { ...forged(3), v: 2 },
        { ...forged(4), source: "other" },
        JSON.stringify(forged(5)),
        forged(6)
      ]) {
        yield* act(() => frame.evaluate((data) => parent.postMessage(data, "*"), data))
      }
      yield* heard(page, "completed")
      const completed = async () => (await eventsOn(page)).filter(({ type }) => type === "completed")
      yield* act(() => expect.poll(completed).toEqual([forged(6)]))

      const element = yield* act(() => page.locator("#kyc iframe").elementHandle())
      for (const [name, value] of [
        ["allow", "camera"],
        ["title", "Check of who you are"],
        ["referrerpolicy", "no-referrer"]
      ] as const) {
        yield* act(() => expect.poll(async () => element?.getAttribute(name)).toBe(value))
      }
      yield* act(() => page.evaluate("mounted.unmount()"))
      yield* act(() => expect.poll(() => page.locator("iframe").count()).toBe(0))
      const thrown = (call: string) =>
        act(() => page.evaluate(`(() => { try { ${call} } catch (error) { return String(error) } })()`))
      expect(yield* thrown('doorlock.mount("#nowhere", { verificationUrl: "https://a.example" })')).toBe(
        "TypeError: doorlock.mount: there is no such container"
      )
      expect(yield* thrown('doorlock.mount("#kyc", { verificationUrl: "javascript:alert(1)" })')).toBe(
        "TypeError: doorlock.mount: verificationUrl must be an http or https URL"
      )
      // The element says so by an event, also to a listener that is added after it.
      const said = (url: string) =>
        act(() =>
          page.evaluate(
            (given) =>
              new Promise((resolve) => {
                const element = document.createElement("doorlock-verification")
                element.setAttribute("verification-url", given)
                document.body.append(element)
                element.addEventListener("doorlock-error", (event) => resolve(Reflect.get(event, "detail")))
              }),
            url
          )
        )
      for (const url of ["javascript:alert(1)", "https://", "an order number"]) {
        expect(yield* said(url)).toEqual({
          source: "doorlock",
          v: 1,
          sessionId: "",
          type: "error",
          code: "INVALID_URL"
        })
      }
      yield* act(() => expect.poll(() => page.locator("iframe").count()).toBe(0))
      expectNothingWrong(visit, shop)
    }))

  test("is shown by the code of the guide, with embed.js and without", () =>
    Effect.gen(function* () {
      const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/embedding.md"), "utf8")
      const blocks = [...guide.matchAll(/```html\n([\s\S]*?)```/g)].map(([, code = ""]) => code)
      const [script, element, frame] = blocks
      expect(blocks.map((code) => code.includes("embed.js"))).toEqual([true, true, false])
      const site = yield* Effect.acquireRelease(
        Effect.sync(() => {
          const pages = new Map<string, string>()
          const headers = { "content-type": "text/html; charset=utf-8" }
          const server = Bun.serve({
            port: 0,
            hostname: "127.0.0.1",
            fetch: ({ url }) => new Response(pages.get(new URL(url).pathname) ?? "", { headers })
          })
          return { pages, server, origin: `http://shop.localhost:${server.port}` }
        }),
        ({ server }) => Effect.promise(() => server.stop(true))
      )
      const { company, link, page } = yield* partner({
        workflow: short,
        config: { embed: { allowedOrigins: [site.origin] } }
      })
      const listening = `<link rel="icon" href="data:,">
        <script>
          window.heard = []
          addEventListener("message", ({ data }) => heard.push(data.type))
          const verificationUrl = ${JSON.stringify(link)}
          const showLinkInstead = (code) => heard.push(code)
        </script>`
      const told = `${link}&embedOrigin=${encodeURIComponent(site.origin)}`
      site.pages.set("/script", script?.replaceAll("https://doorlock.example", company.server.url) ?? "")
      const inElement = element
        ?.replaceAll("https://doorlock.example", company.server.url)
        .replace("{verificationUrl}", link)
      site.pages.set("/element", `<div id="kyc">${inElement}</div>`)
      site.pages.set("/frame", `<div id="kyc">${frame?.replace("{verificationUrl}", told)}</div>`)
      for (const [path, html] of [...site.pages]) {
        site.pages.set(path, `<!doctype html>${listening}${html}`)
        yield* act(() => page.goto(site.origin + path))
        yield* act(async () => heading(await frameOn(page), "Before we begin"))
        yield* act(() => expect.poll(() => page.evaluate("heard")).toContain("ready"))
      }
    }))
})
