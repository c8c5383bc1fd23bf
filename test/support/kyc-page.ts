/** The hosted page in a browser: a session to open, and an eye on what the page must not do. */
import { expect } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { BrowserContext, Page } from "playwright-core"
import { browser } from "./chromium.ts"
import type { TestSession } from "./client.ts"
import { type Company, companyOn } from "./kyc.ts"
import { startServer } from "./server.ts"

/** A company on a server of its own whose pages are opened at the address it listens on. */
export class PageCompany extends Context.Tag("test/PageCompany")<PageCompany, Company>() {
  static readonly layer = Layer.scoped(
    PageCompany,
    Effect.orDie(Effect.flatMap(startServer(), (server) => companyOn(server)))
  )
}

const cameraFlags = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]

/** What a page did that it must not do, filled as it happens. */
export interface Seen {
  readonly foreign: Array<string>
  readonly violations: Array<string>
  /** Requests that change something. */
  readonly changing: Array<string>
  readonly errors: Array<string>
}

export const nothingWrong = { foreign: [], violations: [], errors: [] }

/** What is to be empty after every run. */
export const wrongs = ({ errors, foreign, violations }: Seen) => ({ errors, foreign, violations })

const watch = (context: BrowserContext, origin: string): Seen => {
  const seen: Seen = { foreign: [], violations: [], changing: [], errors: [] }
  context.on("request", (request) => {
    const { origin: target, pathname, protocol } = new URL(request.url())
    if (protocol.startsWith("http") && target !== origin) seen.foreign.push(request.url())
    if (request.method() !== "GET") seen.changing.push(`${request.method()} ${pathname}`)
  })
  context.on("console", (message) => {
    if (/Content Security Policy|TrustedScript|Trusted Type/i.test(message.text())) {
      seen.violations.push(message.text())
    }
  })
  context.on("weberror", (error) => seen.errors.push(String(error.error())))
  return seen
}

/** A browser, a page in it, and what is seen of both. */
export interface Visit {
  readonly context: BrowserContext
  readonly page: Page
  readonly seen: Seen
  /** What was uploaded. */
  readonly files: Array<{ readonly type: string; readonly bytes: Buffer }>
  readonly origin: string
}

/** A browser to visit a company's pages with. `host` is another name for the server, which then is no secure context. */
export const visitor = (company: Company, options: Parameters<typeof browser>[0] = {}, host?: string) =>
  Effect.gen(function* () {
    const origin = host === undefined ? company.server.url : company.server.url.replace("127.0.0.1", host)
    const context = yield* browser({
      locale: "en-GB",
      viewport: { width: 390, height: 844 },
      ...options,
      args: [
        ...cameraFlags,
        ...(host === undefined ? [] : [`--host-resolver-rules=MAP ${host} 127.0.0.1`]),
        ...(options.args ?? [])
      ]
    })
    context.setDefaultTimeout(8000)
    const seen = watch(context, origin)
    const files: Visit["files"] = []
    context.on("request", (request) => {
      if (!new URL(request.url()).pathname.endsWith("/files")) return
      files.push({
        type: request.headers()["content-type"] ?? "",
        bytes: request.postDataBuffer() ?? Buffer.alloc(0)
      })
    })
    const page = yield* Effect.promise(() => context.newPage())
    return { context, page, seen, files, origin } satisfies Visit
  })

/** The address that the partner sends its user to. */
export const linkOf = ({ origin }: Pick<Visit, "origin">, { id, token }: TestSession): string =>
  `${origin}/kyc/session/${id}?token=${token}`

/** Waits for something in the page; what never happens fails the test by itself. */
export const act = <A>(action: () => Promise<A>): Effect.Effect<A> => Effect.promise(action)

/** A page, or a frame in one. */
export type Shown = Pick<Page, "getByLabel" | "getByRole" | "getByText">

export const heading = (page: Shown, name: string | RegExp) =>
  page.getByRole("heading", { level: 1, name }).waitFor()

export const press = (page: Shown, name: string | RegExp) => page.getByRole("button", { name }).click()

/** Agrees to what the first step asks for. */
export const consent = async (page: Shown) => {
  await heading(page, "Before we begin")
  for (const box of await page.getByRole("checkbox").all()) await box.check()
  await press(page, "Agree and continue")
}

export const person = async (page: Shown) => {
  await heading(page, "About you")
  await page.getByLabel("First names").fill("Ada")
  await page.getByLabel("Last name").fill("Lovelace")
  await page.getByLabel("Date of birth").fill("1990-12-10")
  await page.getByLabel("Nationality").selectOption("EST")
  await press(page, "Continue")
}

/** Takes a picture of every side with the camera. */
export const photograph = async (page: Shown) => {
  await press(page, "Take photo")
  await press(page, "Take the photo")
  await press(page, "Use this photo")
  await page.getByText("Received").first().waitFor()
}

export const passport = async (page: Shown, number: string) => {
  await heading(page, "Your document")
  await page.getByRole("radio", { name: "Passport" }).check()
  await page.getByLabel("Issued by").selectOption("EST")
  await page.getByLabel("Document number").fill(number)
  await page.getByLabel("Valid until").fill("2035-04-01")
}

export const number = () => `K${Math.floor(Math.random() * 1e9)}`

/** Nothing that the policy forbids, no other origin, no uncaught error. */
export const expectNothingWrong = ({ seen }: Visit) => expect(wrongs(seen)).toEqual(nothingWrong)
