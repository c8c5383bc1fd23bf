/** The hosted page in a browser with a session. Also watches for what the page must not do. */
import { Context, Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { createInstance, createSession, field, type TestSession, text } from "../client.ts"
import { download } from "../kyc/files.ts"
import { type Company, companyOn } from "../kyc/partner.ts"
import { sharedServer } from "../server.ts"
import { act, heading, press, type Shown, type Visit, visitor } from "./visit.ts"

/**
 * A company for one test file on the shared server. Its pages are opened at the server's listening address.
 */
export class PageCompany extends Context.Tag("test/PageCompany")<PageCompany, Company>() {
  static readonly layer = Layer.effect(
    PageCompany,
    Effect.flatMap(sharedServer, (server) => companyOn(server))
  )
}

/** The address that the partner sends its user to. */
export const linkOf = ({ origin }: Pick<Visit, "origin">, { id, token }: TestSession): string =>
  `${origin}/kyc/session/${id}?token=${token}`

interface Opening {
  /** The config of a new instance; omitted settings have the page's defaults. */
  readonly config?: object
  readonly workflow?: object
  /** Fields of the request that creates the session. */
  readonly session?: object
  readonly browser?: Parameters<typeof visitor>[1]
  readonly host?: string
}

/** A session of a new instance, and a browser that has not opened its link yet. */
export const prepared = ({
  browser: options,
  config = {},
  host,
  session: fields,
  workflow = {}
}: Opening = {}) =>
  Effect.gen(function* () {
    const company = yield* PageCompany
    const { id } = yield* createInstance(company.server, company.member, { config, workflow })
    const session = yield* createSession(company.server, company.key.token, id, fields)
    const visit = yield* visitor(company, options, host)
    /** The session as the partner reads it. */
    const outcome = Effect.map(company.asPartner(`/api/kyc/sessions/${session.id}`), ({ body }) =>
      field(body, "session")
    )
    return { company, session, visit, page: visit.page, link: linkOf(visit, session), outcome }
  })

/** Like `prepared`, with the link opened. */
export const opened = (opening?: Opening) =>
  Effect.tap(prepared(opening), ({ link, page }) => act(() => page.goto(link)))

/** Counts the taps from now on, in `window.taps`. */
export const countTaps = (page: Page) =>
  page.evaluate(() => {
    Object.assign(window, { taps: 0 })
    addEventListener(
      "pointerdown",
      () => Object.assign(window, { taps: Reflect.get(window, "taps") + 1 }),
      true
    )
  })

/** Gives the consent that the first step asks for. */
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

/** The files that the server received in a session, as the partner downloads them. */
export const receivedFiles = (company: Company, { id }: Pick<TestSession, "id">) =>
  Effect.gen(function* () {
    const path = `/api/kyc/sessions/${id}/files`
    const { body } = yield* company.asPartner(path)
    const files = field(body, "files")
    return yield* Effect.forEach(Array.isArray(files) ? files : [], (file) =>
      Effect.map(
        download(company.server, `${path}/${text(file, "id")}?original=true`, {
          "x-api-key": company.key.token
        }),
        ({ bytes }) => ({ type: text(file, "content_type"), bytes: Buffer.from(bytes) })
      )
    )
  })

/** A workflow with every kind of step. */
export const fullWorkflow = {
  v: 1,
  id: "full",
  version: 1,
  steps: [
    {
      id: "consent",
      type: "consent",
      items: [
        {
          id: "privacy",
          required: true,
          text: { en: "I agree that my personal details are checked." },
          url: "https://partner.test/privacy"
        }
      ]
    },
    { id: "captcha", type: "captcha" },
    {
      id: "person",
      type: "form",
      fields: [
        { id: "givenName", type: "text", autocomplete: "given-name", required: true, max: 100 },
        { id: "familyName", type: "text", autocomplete: "family-name", required: true, max: 100 },
        { id: "dateOfBirth", type: "date", autocomplete: "bday", required: true, minAge: 18 },
        { id: "nationality", type: "country", required: true }
      ]
    },
    { id: "doc", type: "document", mrz: "optional", dedup: true },
    { id: "selfie", type: "selfie", prompts: 0 },
    { id: "poa", type: "upload", maxFiles: 2 },
    { id: "review", type: "review" }
  ]
}

/** The workflow with only these of its steps. */
export const stepsOf = (...ids: ReadonlyArray<string>) => ({
  steps: fullWorkflow.steps.filter(({ id }) => ids.includes(id))
})

/** Makes the browser refuse the camera, either once or for as long as the page is open. */
export const refuseCamera = (page: Page, name: string, times: "once" | "always" = "once") =>
  page.evaluate(
    ([reason, times]) => {
      const { mediaDevices } = navigator
      const ask = mediaDevices.getUserMedia.bind(mediaDevices)
      mediaDevices.getUserMedia = () => {
        if (times === "once") mediaDevices.getUserMedia = ask
        return Promise.reject(new DOMException("no", reason))
      }
    },
    [name, times] as const
  )
