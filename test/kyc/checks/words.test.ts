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

interface Text {
  readonly where: string
  readonly text: string
  readonly language?: Language
}

/** What a failing test shows. */
const claiming = (texts: ReadonlyArray<Text>): ReadonlyArray<string> =>
  texts.flatMap(({ language, text, where }) => {
    const claim = claimIn(text, language)
    return claim === undefined ? [] : [`${where}: "${claim}" in: ${text.trim()}`]
  })

/** Files below the root of the repository. */
const contentOf = async (pattern: string): Promise<ReadonlyArray<Text>> =>
  Promise.all(
    [...new Bun.Glob(pattern).scanSync(root)]
      .sort()
      .map(async (where) => ({ where, text: await Bun.file(`${root}/${where}`).text() }))
  )

const parts = ({ where }: Text, found: Iterable<string>): ReadonlyArray<Text> =>
  Array.from(found, (text) => ({ where, text }))

/** Of the rest, such as webhooks or receipts, it may be said that something is verified. */
const isOfChecks = (text: string): boolean =>
  /\bphoto|\bpicture|\bselfie|machine-readable|\bbarcode|\bchecks?\b.*\bdocument|\bdocument\b.*\bchecks?\b|checks\.|`checks/i.test(
    text
  )

const sentencesIn = (file: Text): ReadonlyArray<Text> =>
  parts(
    file,
    file.text
      .split(/\n{2,}|\n(?=[-|#] ?)|\n\s*```/)
      .flatMap((paragraph) => paragraph.replaceAll("\n", " ").split(/(?<=[.:;?!|]) /))
  )

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
const wordsIn = (file: Text): ReadonlyArray<Text> => {
  const code = file.text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
  return parts(
    file,
    code.matchAll(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|>[^<>{}=;]+</g).map(([text]) => text)
  )
}

const sections = (markdown: string): ReadonlyArray<string> => markdown.split(/^(?=## )/m)

describe("No text claims of a check what was not seen", () => {
  it("in the code that makes checks", async () => {
    const files = await contentOf("src/kyc/checks/**/*.{ts,md}")
    expect(files.map(({ where }) => where)).toContain("src/kyc/checks/findings-model.ts")
    expect(claiming(files.flatMap((file) => parts(file, file.text.split("\n"))))).toEqual([])
  })

  it("in the API and its events", () => {
    const api = { where: "the OpenAPI document", text: "" }
    const config = { where: "the config of an instance", text: "" }
    const texts = parts(api, proseIn(describeApi(Api, "https://doorlock.test")))
      .concat(parts(config, proseIn(JSONSchema.make(Config))))
      .flatMap(sentencesIn)
      .filter(({ text }) => isOfChecks(text))
    const all = texts.map(({ text }) => text).join("\n")
    expect(all).toContain("What doorlock itself saw in the photos")
    expect(all).toContain("The photos of a KYC session were checked")
    expect(all).toContain("Whether the photos of completed sessions are looked at")
    expect(claiming(texts)).toEqual([])
  })

  it("in the dashboard", async () => {
    const files = await contentOf("src/web/dashboard/**/*.{ts,tsx}")
    // The evidence of a session has its checks. Elsewhere, the dashboard has words for other things, too.
    const texts = files
      .flatMap(wordsIn)
      .filter(({ text, where }) => where.includes("/kyc/evidence/") || isOfChecks(text))
    expect(texts.map(({ text }) => text)).toContain('"Captcha passed"')
    // The form of a config has other settings, too.
    const [form] = await contentOf("src/web/dashboard/kyc/instances/editor/config-form.tsx")
    const controls = form?.text.match(/<\w+\s+at="checks\.[^>]*>/g) ?? []
    expect(controls.join("\n")).toMatch(/checks\.photos[\s\S]*checks\.timeZone/)
    expect(
      claiming([...texts, ...controls.map((text) => ({ where: "the form of a config", text }))])
    ).toEqual([])
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
      expect(keys).toEqual(expect.arrayContaining(["hintBlurred", "cameraReady", "photoHint", "selfieIntro"]))
      const texts = keys.map((key) => ({ where: key, text: JSON.stringify(own[key]), language }))
      expect(claiming(texts)).toEqual([])
    }
  )

  it("in the docs", async () => {
    const pages = [...(await contentOf("docs/*.md")), ...(await contentOf("README.md"))]
    const page = pages.find(({ where }) => where === "docs/checks.md")
    const [said = [], denied = []] = [
      sections(page?.text ?? "").filter((section) => !section.startsWith("## What is not claimed")),
      sections(page?.text ?? "").filter((section) => section.startsWith("## What is not claimed"))
    ]
    // There, each sentence is what is not claimed.
    expect(denied).toHaveLength(1)
    expect(denied[0]).toContain("That a document is genuine")
    const others = pages.filter((one) => one !== page).flatMap(sentencesIn)
    expect(claiming(said.map((text) => ({ where: "docs/checks.md", text })))).toEqual([])
    expect(claiming(others.filter(({ text }) => isOfChecks(text)))).toEqual([])
  })

  it("and such a text would be found", () => {
    const found = (text: string, language: Language = "en") => claimIn(text, language) !== undefined
    for (const text of [
      "The document is genuine.",
      "Verified by its check digits.",
      "The person is live.",
      "The photo passed the liveness check.",
      "The passport's authenticity was checked."
    ])
      expect([text, found(text)]).toEqual([text, true])
    for (const [language, text] of [
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
