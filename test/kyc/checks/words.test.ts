/**
 * No text says more of a check than was seen: not that something is verified, genuine, authentic or live. Walked are the code that makes
 * checks, with its reasons, descriptions and logs; what API, dashboard and docs say of photos and checks; and what the hosted page says
 * of photos and documents in each language.
 */
import { JSONSchema } from "effect"
import { describe, expect, it } from "vitest"
import { Api } from "../../../src/api.ts"
import { describe as describeApi } from "../../../src/http/contract/openapi.ts"
import { Config } from "../../../src/kyc/instances/config-model.ts"
import { isJsonObject } from "../../../src/shared/json.ts"

const root = `${import.meta.dirname}/../../..`

const claims = {
  en: "verif(?:y|ies|ied|ying|ication)|genuine(?:ly|ness)?|authentic(?:ity|ate[sd]?|ation)?|live(?:ness)?|forgery-proof|tamper-proof",
  de: "verifizier\\p{L}*|überprüft\\p{L}*|echt(?:e[nmrs]?|heit)?|authenti\\p{L}*|lebend\\p{L}*|live",
  es: "verific\\p{L}*|genuin[oa]s?|auténtic[oa]s?|autenti\\p{L}*|viv[oa]s?",
  et: "kontrollitud|ehtsa?\\p{L}*|ehtne|autent\\p{L}*|elus",
  fr: "vérifiée?s?|vérification|véritables?|authenti\\p{L}*|vivante?s?|en direct",
  ar: "(?:ال)?(?:موثق\\p{L}*|أصلي\\p{L}*|أصيل\\p{L}*|حقيقي\\p{L}*|حي|حية|مباشر)|تحققنا|تم التحقق"
} as const
type Language = keyof typeof claims

/** The first word of a text that claims something. */
const claimIn = (text: string, language: Language = "en"): string | undefined =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${claims[language]})(?![\\p{L}\\p{N}])`, "iu").exec(text)?.[0]

/** What a failing test shows. */
const claiming = (texts: Iterable<string>, language: Language = "en"): ReadonlyArray<string> =>
  Array.from(texts).flatMap((text) => {
    const claim = claimIn(text, language)
    return claim === undefined ? [] : [`"${claim}" in: ${text.trim()}`]
  })

/** The contents of files below the root of the repository, by path. */
const contentOf = async (pattern: string): Promise<ReadonlyMap<string, string>> =>
  new Map(
    await Promise.all(
      [...new Bun.Glob(pattern).scanSync(root)].map(
        async (path) => [path, await Bun.file(`${root}/${path}`).text()] as const
      )
    )
  )

/** Of the rest, such as webhooks or receipts, it may be said that something is verified. */
const isOfChecks = (text: string): boolean =>
  /\bphoto|\bpicture|\bselfie|machine-readable|\bbarcode|\bchecks?\b.*\bdocument|\bdocument\b.*\bchecks?\b|checks\.|`checks/i.test(
    text
  )

const sentencesIn = (text: string): ReadonlyArray<string> =>
  text
    .split(/\n{2,}|\n(?=[-|#] ?)|\n\s*```/)
    .flatMap((paragraph) => paragraph.replaceAll("\n", " ").split(/(?<=[.:;?!|]) /))

/** Each string of JSON that a person reads. */
const proseIn = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(proseIn)
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === "string" && ["description", "summary", "title", "reason"].includes(key)
      ? [inner]
      : proseIn(inner)
  )
}

/** String literals and the text of JSX, without comments and names of variables. */
const wordsIn = (code: string): ReadonlyArray<string> =>
  Array.from(
    code
      .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
      .matchAll(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|>[^<>{}=;]+</g),
    ([text]) => text
  )

describe("No text claims of a check what was not seen", () => {
  it("in the code that makes checks", async () => {
    const files = await contentOf("src/kyc/checks/**/*.{ts,md}")
    expect(files.has("src/kyc/checks/findings-model.ts")).toBe(true)
    expect(claiming([...files.values()].flatMap((file) => file.split("\n")))).toEqual([])
  })

  it("in the API and its events", () => {
    const texts = [describeApi(Api, "https://doorlock.test"), JSONSchema.make(Config)]
      .flatMap(proseIn)
      .flatMap(sentencesIn)
      .filter(isOfChecks)
    expect(texts.join("\n")).toContain("What doorlock itself saw in the photos")
    expect(claiming(texts)).toEqual([])
  })

  it("in the dashboard", async () => {
    const files = await contentOf("src/web/dashboard/**/*.{ts,tsx}")
    // The evidence of a session has its checks. Elsewhere, the dashboard has words for other things, too.
    const texts = [...files].flatMap(([path, code]) =>
      wordsIn(code).filter((text) => path.includes("/kyc/evidence/") || isOfChecks(text))
    )
    expect(texts).toContain('"Captcha passed"')
    expect(claiming(texts)).toEqual([])
  })

  it.each(["en", "de", "es", "et", "fr", "ar"] as const)(
    "in what the hosted page says of photos (%s)",
    async (language) => {
      const locale = async (tag: string): Promise<Readonly<Record<string, unknown>>> =>
        JSON.parse(await Bun.file(`${root}/src/web/kyc/i18n/locales/${tag}.json`).text())
      const [english, own] = [await locale("en"), await locale(language)]
      const keys = Object.keys(english).filter(
        (key) =>
          /^(?:hint|camera|photo|selfie|zone|document)/.test(key) ||
          (typeof english[key] === "string" && isOfChecks(english[key]))
      )
      expect(keys).toContain("selfieIntro")
      expect(
        claiming(
          keys.map((key) => JSON.stringify(own[key])),
          language
        )
      ).toEqual([])
    }
  )

  it("in the docs, but where it says what is not claimed", async () => {
    const pages = new Map([...(await contentOf("docs/*.md")), ...(await contentOf("README.md"))])
    const denied = "## What is not claimed"
    const [before = "", after = ""] = (pages.get("docs/checks.md") ?? "").split(denied)
    expect(after).toContain("That a document is genuine")
    pages.set("docs/checks.md", "")
    expect(claiming([before, after.slice(after.indexOf("\n## "))])).toEqual([])
    expect(claiming([...pages.values()].flatMap(sentencesIn).filter(isOfChecks))).toEqual([])
  })

  it("and such a text would be found", () => {
    const found = (text: string, language: Language = "en") => claimIn(text, language) !== undefined
    for (const [language, text] of [
      ["en", "The document is genuine."],
      ["en", "Verified by its check digits."],
      ["en", "The photo passed the liveness check."],
      ["de", "Das Dokument ist echt."],
      ["de", "Ihr Ausweis wurde verifiziert."],
      ["es", "El documento es auténtico."],
      ["et", "Dokument on ehtne."],
      ["fr", "Le document est authentique."],
      ["ar", "الوثيقة أصلية."]
    ] as const)
      expect([text, found(text, language)]).toEqual([text, true])
    for (const text of ["Delivered, as the olive says.", "The machine-readable zone was read."])
      expect([text, found(text)]).toEqual([text, false])
  })
})
