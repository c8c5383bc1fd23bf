/**
 * No text says more of a check than was seen: not that something is verified, genuine, authentic or live. Walked are the code that makes
 * checks, with its reasons, descriptions and logs, and what the hosted page says of photos and documents in each language.
 */
import { describe, expect, it } from "vitest"

const root = `${import.meta.dirname}/../../..`

const claims = {
  en: "verif(?:y|ies|ied|ying|ication)|genuine(?:ly|ness)?|authentic(?:ity|ate[sd]?|ation)?|live(?:ness)?|forgery-proof|tamper-proof",
  de: "verifizier\\p{L}*|überprüft\\p{L}*|echt(?:e[nmrs]?|heit)?|authenti\\p{L}*|lebend\\p{L}*|live",
  es: "verific\\p{L}*|genuin[oa]s?|auténtic[oa]s?|autenti\\p{L}*|viv[oa]s?",
  et: "kontrollitud|ehtsa?\\p{L}*|ehtne|autent\\p{L}*|elus",
  fr: "vérifiée?s?|vérification|véritables?|authenti\\p{L}*|vivante?s?|en direct",
  ar: "(?:ال)?(?:موثق\\p{L}*|أصلي\\p{L}*|أصيل\\p{L}*|حقيقي\\p{L}*|حي|حية|مباشر)|تحققنا|تم التحقق"
} as const

/** The texts that claim something. */
const claiming = (texts: ReadonlyArray<string>, language: keyof typeof claims = "en") => {
  const claim = new RegExp(`(?<![\\p{L}\\p{N}])(?:${claims[language]})(?![\\p{L}\\p{N}])`, "iu")
  return texts.filter((text) => claim.test(text))
}

describe("No text claims of a check what was not seen", () => {
  it("in the code that makes checks", async () => {
    const files = [...new Bun.Glob("src/kyc/checks/**/*.{ts,md}").scanSync(root)]
    expect(files).toContain("src/kyc/checks/findings-model.ts")
    for (const file of files) {
      const lines = (await Bun.file(`${root}/${file}`).text()).split("\n")
      expect({ file, claims: claiming(lines) }).toEqual({ file, claims: [] })
    }
  })

  it.each(["en", "de", "es", "et", "fr", "ar"] as const)(
    "in what the hosted page says (%s)",
    async (language) => {
      const texts: Readonly<Record<string, unknown>> = await Bun.file(
        `${root}/src/web/kyc/i18n/locales/${language}.json`
      ).json()
      const keys = Object.keys(texts).filter((key) => /^(?:hint|camera|photo|selfie|zone|document)/.test(key))
      expect(keys).toEqual(expect.arrayContaining(["hintBlurred", "cameraReady", "photoHint", "selfieIntro"]))
      const said = keys.map((key) => JSON.stringify(texts[key]))
      expect(claiming(said, language)).toEqual([])
    }
  )

  it("and such a text would be found", () => {
    for (const [language, text] of [
      ["en", "Verified by its check digits."],
      ["de", "Ihr Ausweis wurde verifiziert."],
      ["ar", "الوثيقة أصلية."]
    ] as const)
      expect(claiming([text], language)).toEqual([text])
    expect(claiming(["Delivered, as the olive says."])).toEqual([])
  })
})
