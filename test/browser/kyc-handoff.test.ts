/** A session moves from a desktop to a phone: two browsers, one session. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import decodeQr from "qr/decode.js"
import { serious } from "../support/browser/axe.ts"
import {
  claim,
  codeOn,
  codeShown,
  type Desk,
  desk,
  enter,
  goOver,
  linkShown,
  phoneOf,
  reachable,
  showing
} from "../support/browser/handoff-page.ts"
import { inBrowser } from "../support/browser/in-browser.ts"
import { consent, number, PageCompany, passport, photograph } from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, heading, press, type Visit } from "../support/browser/visit.ts"
import { field } from "../support/client.ts"
import { otherThan } from "../support/kyc/handoffs.ts"
import { execute } from "../support/postgres.ts"

/** What a camera in front of the screen reads. Like a camera, it takes frames until it can read one: the page may still move in the first. */
const scan = async (page: Page, { context }: Visit): Promise<string> => {
  const code = page.locator(".qr")
  await code.locator("svg").waitFor()
  // A blank page, with no policy against drawing.
  const canvas = await context.newPage()
  try {
    for (let frames = 1; ; frames++) {
      const frame = await pixelsOf(await code.screenshot(), canvas)
      try {
        return decodeQr(frame)
      } catch (cause) {
        if (frames === 20) throw new Error("no frame of the QR code can be read", { cause })
      }
    }
  } finally {
    await canvas.close()
  }
}

const pixelsOf = async (png: Buffer, canvas: Page) => {
  const { data, height, width } = await canvas.evaluate(async (base64) => {
    const image = new Image()
    image.src = `data:image/png;base64,${base64}`
    await image.decode()
    const { height, width } = image
    const drawing = new OffscreenCanvas(width, height).getContext("2d")
    if (drawing === null) throw new Error("nothing can be drawn")
    drawing.drawImage(image, 0, 0)
    return { width, height, data: [...drawing.getImageData(0, 0, width, height).data] }
  }, png.toString("base64"))
  return { width, height, data: Uint8Array.from(data) }
}

const storedHandoffs = ({ company, session }: Desk) =>
  execute(
    company.server.databaseUrl,
    "select status from kyc_handoffs where session_id = $1 order by created_at, id",
    [session.id]
  )

inBrowser(PageCompany.layer)("the KYC page, from a desktop to a phone", (test) => {
  test("moves with its input, and both devices show the end", () =>
    Effect.gen(function* () {
      const given = yield* desk()
      const { company, desktop, session } = given
      yield* act(() => consent(desktop.page))
      const typed = number()
      yield* act(() => passport(desktop.page, typed))
      yield* act(() => press(desktop.page, "Use your phone"))
      const link = yield* act(() => linkShown(desktop.page))
      expect(link).toMatch(
        new RegExp(`^http://doorlock\\.test/kyc/session/${session.id}#handoff=kyc_hand_\\w{49}$`)
      )
      yield* act(() => expect.poll(() => scan(desktop.page, desktop)).toBe(link))

      // A link scanner opens the link without its fragment, any number of times; the browser opens it with the fragment.
      const phone = yield* phoneOf(given)
      yield* act(() => phone.page.goto(reachable(link, phone).replace(/#.*/, "")))
      yield* act(() => heading(phone.page, "Please open your link again"))
      yield* act(() => phone.page.goto("about:blank"))
      for (let visits = 0; visits < 3; visits++) {
        yield* act(() => phone.page.goto(reachable(link, phone)))
        yield* act(() => heading(phone.page, "Continue on this device?"))
        yield* act(() => phone.page.goto("about:blank"))
      }
      expect(yield* storedHandoffs(given)).toEqual([{ status: "waiting" }])

      yield* act(() => phone.page.goto(reachable(link, phone)))
      yield* act(() => phone.page.getByText(/^Example Ltd asks you/).waitFor())
      yield* act(() => expect.poll(() => new URL(phone.page.url()).hash).toBe(""))
      yield* act(() => press(phone.page, "Continue on this phone"))
      const code = yield* act(() => codeOn(desktop))
      yield* act(() => desktop.page.getByText(/on this device: iPhone\./).waitFor())
      yield* act(() => expect.poll(() => desktop.page.locator(".qr").count()).toBe(0))
      yield* act(() => enter(phone, code))

      yield* act(() => heading(phone.page, "Your document"))
      yield* act(() => expect.poll(() => phone.page.getByLabel("Document number").inputValue()).toBe(typed))
      yield* act(() =>
        expect.poll(() => phone.page.getByRole("radio", { name: "Passport" }).isChecked()).toBe(true)
      )
      yield* act(() => heading(desktop.page, "Your phone has taken over"))
      yield* act(() => photograph(phone.page))
      yield* act(() => press(phone.page, "Continue"))
      yield* act(() => desktop.page.getByText("Your phone is at step 3 of 4.").waitFor())
      yield* act(() => photograph(phone.page))
      yield* act(() => press(phone.page, "Continue"))
      yield* act(() => press(phone.page, "Send"))
      yield* act(() => heading(phone.page, "All done"))
      yield* act(() => phone.page.getByText("You can go back to your other device now.").waitFor())
      yield* act(() => heading(desktop.page, "All done"))

      const { body } = yield* company.asPartner(`/api/kyc/sessions/${session.id}`)
      expect(field(body, "session", "status")).toBe("completed")
      expect(field(body, "session", "result", "client", "handoff")).toBe(true)
      expect(field(body, "session", "result", "document", "number")).toBe(typed)
      // The server never stored the text before it was sent.
      expect(JSON.stringify(field(body, "session", "progress"))).not.toContain(typed)
      for (const visit of [desktop, phone]) expectNothingWrong(visit)
    }))

  test("a wrong number ends the handoff on both devices; a new code works", () =>
    Effect.gen(function* () {
      const given = yield* showing()
      const { desktop } = given
      const phone = yield* phoneOf(given)
      yield* act(() => claim(phone, given.link))
      const code = yield* act(() => codeOn(desktop))
      // Input that cannot be the number does not count as an attempt.
      yield* act(() => enter(phone, "4"))
      yield* act(() => phone.page.getByText("Enter the two digits shown on your first device.").waitFor())
      yield* act(() => enter(phone, otherThan(code)))
      yield* act(() => heading(phone.page, "The number was wrong"))
      yield* act(() => heading(desktop.page, "The number was wrong"))
      yield* act(() => phone.page.reload())
      yield* act(() => heading(phone.page, "The number was wrong"))
      yield* act(() => press(desktop.page, "Create a new code"))
      const next = yield* act(() => linkShown(desktop.page))
      expect(next).not.toBe(given.link)
      yield* act(() => goOver(desktop, phone, next))
      yield* act(() => heading(phone.page, "A photo of you"))
      expect(yield* storedHandoffs(given)).toEqual([{ status: "refused" }, { status: "confirmed" }])
      for (const visit of [desktop, phone]) expectNothingWrong(visit)
    }))

  test("works on one device only, and the desktop can reject a stranger's phone", () =>
    Effect.gen(function* () {
      const given = yield* showing()
      const { desktop } = given
      const stranger = yield* phoneOf(given)
      yield* act(() => claim(stranger, given.link))
      const own = yield* phoneOf(given)
      yield* act(() => own.page.goto(reachable(given.link, own)))
      yield* act(() => heading(own.page, "This link is already in use"))
      const code = yield* act(() => codeOn(desktop))
      yield* act(() => press(desktop.page, "This is not my phone"))
      yield* act(() => heading(desktop.page, "Continue on your phone"))
      const next = yield* act(() => linkShown(desktop.page))
      // Even with the right number, it is too late.
      yield* act(() => enter(stranger, code))
      yield* act(() => heading(stranger.page, "This link no longer works"))
      yield* act(() => goOver(desktop, own, next))
      yield* act(() => heading(own.page, "A photo of you"))
      for (const visit of [desktop, own, stranger]) expectNothingWrong(visit)
    }))

  for (const colorScheme of ["light", "dark"] as const) {
    test(`is without serious fault on every screen, ${colorScheme}`, () =>
      Effect.gen(function* () {
        const given = yield* showing({ colorScheme })
        const { desktop } = given
        const looked = Effect.fnUntraced(function* ({ page }: Visit, title: string) {
          yield* act(() => heading(page, title))
          yield* act(() => expect.poll(() => serious(page), { message: title }).toEqual([]))
        })
        yield* act(() => desktop.page.locator(".qr svg").waitFor())
        yield* looked(desktop, "Continue on your phone")
        // Dark on white in every colour scheme; otherwise cameras could not read it.
        yield* act(() => expect.poll(() => scan(desktop.page, desktop)).toBe(given.link))
        const phone = yield* phoneOf(given, { colorScheme })
        yield* act(() => phone.page.goto(reachable(given.link, phone)))
        yield* looked(phone, "Continue on this device?")
        yield* act(() => press(phone.page, "Continue on this phone"))
        yield* looked(phone, "Enter the number")
        yield* act(() => press(phone.page, "Continue"))
        yield* act(() => phone.page.locator("#matching-code-error").waitFor())
        yield* looked(phone, "Enter the number")
        yield* looked(desktop, "Enter this number on your phone")
        const code = yield* act(() => codeOn(desktop))
        yield* act(() => enter(phone, otherThan(code)))
        yield* looked(phone, "The number was wrong")
        yield* looked(desktop, "The number was wrong")
        yield* act(() => press(desktop.page, "Create a new code"))
        const next = yield* act(() => linkShown(desktop.page))
        yield* act(() => goOver(desktop, phone, next))
        yield* looked(phone, "A photo of you")
        yield* looked(desktop, "Your phone has taken over")
        for (const visit of [desktop, phone]) expectNothingWrong(visit)
      }))
  }

  test("is right-to-left in Arabic, except for the number, and accepts Arabic digits", () =>
    Effect.gen(function* () {
      const given = yield* showing({ locale: "ar" }, "استخدام هاتفك")
      const { desktop } = given
      yield* act(() => heading(desktop.page, "تابع على هاتفك"))
      const phone = yield* phoneOf(given, { locale: "ar" })
      yield* act(() => phone.page.goto(reachable(given.link, phone)))
      yield* act(() => heading(phone.page, "هل تريد المتابعة على هذا الجهاز؟"))
      const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      yield* act(() => expect.poll(() => phone.page.evaluate(() => document.documentElement.dir)).toBe("rtl"))
      yield* act(() => expect.poll(() => overflow(phone.page)).toBe(0))
      yield* act(() => press(phone.page, "المتابعة على هذا الهاتف"))
      yield* act(() => heading(phone.page, "أدخل الرقم"))
      yield* act(() => heading(desktop.page, "أدخل هذا الرقم على هاتفك"))
      yield* act(() => expect.poll(() => overflow(desktop.page)).toBe(0))
      const code = yield* act(() => codeShown(desktop.page))
      const arabic = code.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)))
      yield* act(() => phone.page.locator("#matching-code").fill(arabic))
      yield* act(() => phone.page.keyboard.press("Enter"))
      yield* act(() => heading(phone.page, "صورة لك"))
      for (const visit of [desktop, phone]) expectNothingWrong(visit)
    }))
})
