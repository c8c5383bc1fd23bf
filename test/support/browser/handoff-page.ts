/** A session that moves from a desktop browser to a phone browser. */
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { createInstance, createSession, type TestSession } from "../client.ts"
import { iphone } from "../kyc/handoffs.ts"
import type { Company } from "../kyc/partner.ts"
import { linkOf, PageCompany } from "./kyc-page.ts"
import { act, heading, press, type Visit, visitor } from "./visit.ts"

const steps = {
  consent: { id: "consent", type: "consent" },
  doc: { id: "doc", type: "document", mrz: "off", dedup: true },
  selfie: { id: "selfie", type: "selfie", prompts: 0 },
  review: { id: "review", type: "review" }
}

const config = { legal: { company: "Example Ltd" } }

const desktopScreen = { viewport: { width: 1280, height: 900 } }
const phoneScreen = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
  userAgent: iphone
}

type Options = NonNullable<Parameters<typeof visitor>[1]>

export interface Desk {
  readonly company: Company
  readonly session: TestSession
  readonly desktop: Visit
}

/** A desktop at the first step of a session. */
export const desk = (options: Options = {}, workflow: object = { steps: Object.values(steps) }) =>
  Effect.gen(function* () {
    const company = yield* PageCompany
    const { id } = yield* createInstance(company.server, company.member, { config, workflow })
    const session = yield* createSession(company.server, company.key.token, id)
    const desktop = yield* visitor(company, { ...desktopScreen, ...options })
    yield* act(() => desktop.page.goto(linkOf(desktop, session)))
    return { company, session, desktop } satisfies Desk
  })

/** The same with a code shown at the selfie, which is the first step. */
export const showing = (options: Options = {}, open = "Use your phone") =>
  Effect.gen(function* () {
    const given = yield* desk(options, { steps: [steps.selfie, steps.review] })
    yield* act(() => press(given.desktop.page, open))
    return { ...given, link: yield* act(() => linkShown(given.desktop.page)) }
  })

export const phoneOf = ({ company }: Desk, options: Options = {}) =>
  visitor(company, { ...phoneScreen, ...options })

export const linkShown = (page: Page) => page.locator("#handoff-link").inputValue()

/** The link with the address of the test's server, which uses another address for itself. */
export const reachable = (link: string, { origin }: Visit) => {
  const url = new URL(link)
  return `${origin}${url.pathname}${url.hash}`
}

export const claim = async (phone: Visit, link: string) => {
  await phone.page.goto(reachable(link, phone))
  await press(phone.page, "Continue on this phone")
  await heading(phone.page, "Enter the number")
}

/** The number on the first device, once it appears. */
export const codeShown = async (page: Page) => {
  const code = page.locator("p.matching").filter({ hasText: /\d\d/ })
  return (await code.textContent())?.trim() ?? ""
}

export const codeOn = async ({ page }: Visit) => {
  await heading(page, "Enter this number on your phone")
  return codeShown(page)
}

export const enter = async ({ page }: Visit, code: string) => {
  await page.getByLabel("Number on the first device").fill(code)
  await press(page, "Continue")
}

/** Moves the desktop's session to the phone: from the link that the desktop shows to the entered number. */
export const goOver = async (desktop: Visit, phone: Visit, link: string) => {
  await claim(phone, link)
  await enter(phone, await codeOn(desktop))
}
