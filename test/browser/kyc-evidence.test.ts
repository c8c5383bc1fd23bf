/** The evidence that the KYC page submits: consents, document photos and selfies. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { inBrowser } from "../support/browser/in-browser.ts"
import {
  consent,
  number,
  opened,
  PageCompany,
  passport,
  photograph,
  receivedFiles,
  stepsOf
} from "../support/browser/kyc-page.ts"
import { act, expectNothingWrong, heading, press } from "../support/browser/visit.ts"
import { field } from "../support/client.ts"
import { fileOf, plain } from "../support/kyc/pictures.ts"

const sha256 = (content: string | Buffer) => new Bun.CryptoHasher("sha256").update(content).digest("hex")

inBrowser(PageCompany.layer)("evidence from the KYC page", (test) => {
  test("a consent: the hash, version and language of the text on the page", () =>
    Effect.gen(function* () {
      const text = { en: "I agree to be checked.", de: "Ich bin mit der Prüfung einverstanden." }
      const { outcome, page, visit } = yield* opened({
        browser: { locale: "de-DE" },
        config: { legal: { consentVersion: "2026-11" } },
        workflow: {
          steps: [
            {
              id: "consent",
              type: "consent",
              items: [
                { id: "check", required: true, text },
                { id: "news", required: false, text: { en: "Write to me." } }
              ]
            }
          ]
        }
      })
      yield* act(() => page.getByRole("checkbox", { name: text.de }).check())
      yield* act(() => page.locator("button[type=submit]").click())
      yield* act(() => page.getByRole("heading", { level: 1, name: "Fertig" }).waitFor())
      const agreed = field(yield* outcome, "result", "consents")
      expect(agreed).toEqual([
        {
          id: "check",
          version: "2026-11",
          textSha256: sha256(text.de),
          locale: "de",
          acceptedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
        }
      ])
      expectNothingWrong(visit)
    }))

  test("a document photo: a warning about its quality does not prevent its use", () =>
    Effect.gen(function* () {
      const { company, outcome, page, session, visit } = yield* opened({ workflow: stepsOf("doc", "review") })
      yield* act(() => passport(page, number()))
      const choose = (colour: string, edge: number) =>
        act(async () => {
          const picture = fileOf("photo.png", "image/png", await plain(page, colour, edge))
          await page.getByLabel("Choose a file").setInputFiles(picture)
        })
      for (const [colour, edge, said] of [
        ["#111", 1200, "This picture is rather dark. More light helps."],
        ["#fff", 1200, "This picture is very bright. Avoid flash and reflections."],
        ["#888", 300, "This picture is small. Come closer, or use a larger photo."],
        ["#888", 1200, "This picture looks blurred. Can you read every word?"]
      ] as const) {
        yield* choose(colour, edge)
        yield* act(() => page.getByText(said).waitFor())
        yield* act(() => press(page, "Choose another file"))
      }
      expect(yield* receivedFiles(company, session)).toEqual([])
      yield* choose("#888", 1200)
      yield* act(() => press(page, "Use this photo"))
      yield* act(() => page.getByText("Received").waitFor())
      yield* act(() => press(page, "Continue"))
      yield* act(() => press(page, "Send"))
      yield* act(() => heading(page, "All done"))
      const [stored] = yield* receivedFiles(company, session)
      expect(field(yield* outcome, "result", "document", "files")).toMatchObject([
        { side: "front", w: 1200, h: 1200, blur: 0, sha256: sha256(stored?.bytes ?? "") }
      ])
      expectNothingWrong(visit)
    }))

  test("a selfie: one photo for each prompt, in the order of the prompts", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* opened({
        workflow: {
          steps: [
            { id: "consent", type: "consent" },
            { id: "selfie", type: "selfie", prompts: 2 }
          ]
        }
      })
      yield* act(() => consent(page))
      yield* act(() => heading(page, "A photo of you"))
      yield* act(() => expect.poll(() => page.getByRole("group").count()).toBe(3))
      const groups = yield* act(() => page.getByRole("group").all())
      const asked: Array<string> = []
      for (const group of groups) asked.push((yield* act(() => group.locator(".hint").textContent())) ?? "")
      yield* act(() => page.getByRole("button", { name: "Take photo" }).first().click())
      for (const instruction of asked) {
        yield* act(() => page.getByRole("dialog", { name: instruction }).waitFor())
        yield* act(() => press(page, "Take the photo"))
      }
      yield* act(() => page.getByText("Received").nth(2).waitFor())
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "All done"))
      const words: Readonly<Record<string, string>> = {
        straight: "Look straight into the camera",
        left: "Turn your head a little to your left",
        right: "Turn your head a little to your right",
        up: "Look slightly upwards",
        down: "Look slightly downwards"
      }
      const selfie = field(yield* outcome, "result", "selfie")
      expect(field(selfie, "nonce")).toMatch(/^[0-9a-f]{32}$/)
      const files = field(selfie, "files")
      const prompts = Array.isArray(files) ? files.map((file) => String(field(file, "prompt"))) : []
      expect(prompts.map((prompt) => words[prompt])).toEqual(asked)
      expect(prompts[0]).toBe("straight")
      expect(new Set(prompts).size).toBe(3)
      expectNothingWrong(visit)
    }))

  test("a selfie: can be skipped if the workflow allows it", () =>
    Effect.gen(function* () {
      const { outcome, page, visit } = yield* opened({
        config: { capture: { sources: ["camera"] } },
        workflow: { steps: [{ id: "selfie", type: "selfie", prompts: 0, skipIfNoCamera: true }] }
      })
      yield* act(() => press(page, "Skip the photos"))
      yield* act(() => heading(page, "All done"))
      expect(field(yield* outcome, "result")).not.toHaveProperty("selfie")
      expectNothingWrong(visit)
    }))

  test("a missing photo: the page asks for it again", () =>
    Effect.gen(function* () {
      const { page, visit } = yield* opened({ workflow: stepsOf("selfie", "review") })
      yield* act(() => press(page, "Continue"))
      yield* act(() => page.getByText("Please check your entries").waitFor())
      yield* act(() => page.getByRole("link", { name: /We need this photo/ }).waitFor())
      yield* act(() => photograph(page))
      yield* act(() => expect.poll(() => page.getByText(/We need this photo/).count()).toBe(0))
      yield* act(() => press(page, "Continue"))
      yield* act(() => heading(page, "Check and send"))
      expectNothingWrong(visit)
    }))
})
