import { expect, it } from "vitest"
import { languages } from "../../src/web/kyc/i18n/languages.ts"

const folder = `${import.meta.dirname}/../../src/web/kyc/i18n/locales`

const messages = async (locale: string): Promise<Record<string, string>> =>
  Bun.file(`${folder}/${locale}.json`).json()

/** The placeholders of a text. */
const places = (text: string | undefined) =>
  [...(text ?? "").matchAll(/\{\w+\}/g)].map(([place]) => place).sort()

it.each(Object.keys(languages).filter((locale) => locale !== "en"))(
  "%s says all that English says",
  async (locale) => {
    const english = await messages("en")
    const others = await messages(locale)
    expect(Object.keys(others)).toEqual(Object.keys(english))
    for (const [key, text] of Object.entries(english)) {
      expect(others[key]?.trim(), key).not.toBe("")
      expect(places(others[key]), key).toEqual(places(text))
    }
    const translated = Object.entries(english).filter(([key, text]) => others[key] !== text)
    expect(translated.length / Object.keys(english).length).toBeGreaterThan(0.95)
  }
)
