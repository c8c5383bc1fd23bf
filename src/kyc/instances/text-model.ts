import { Schema } from "effect"
import { like, type Problem, ruled, string } from "./shape-model.ts"

/** The maximum length of a text on the page, in characters. */
const maxTextLength = 4000

export const maxLocales = 20

const localePattern = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/
const maxLocaleLength = 35

/** A BCP 47 language tag. */
export const locale = like(localePattern, "a language tag like en or pt-BR", { max: maxLocaleLength })

export const textRule = `must be an object of 1 to ${maxLocales} texts by language tag, like en or pt-BR`

/** A text in one or more languages. Plain text: the page does not interpret markup. */
export const Text = Schema.Record({
  key: Schema.String,
  value: ruled(string(maxTextLength))
})
  .annotations({ message: () => textRule })
  .pipe(
    Schema.filter(
      (texts) => {
        const tags = Object.keys(texts)
        return tags.length > 0 && tags.length <= maxLocales && tags.every(Schema.is(locale.schema))
      },
      {
        message: () => textRule,
        jsonSchema: {
          minProperties: 1,
          maxProperties: maxLocales,
          propertyNames: { pattern: localePattern.source, maxLength: maxLocaleLength },
          examples: [{ en: "Verify your identity", et: "Tuvasta oma isik" }]
        }
      }
    )
  )
export type Text = typeof Text.Type

export type PlacedText = readonly [path: Problem["path"], text: Text | undefined]

/** The page falls back to English: a text without it needs all `locales` and languages of other texts. */
export const untranslated = (
  texts: ReadonlyArray<PlacedText>,
  locales: ReadonlyArray<string> = []
): ReadonlyArray<Problem> => {
  const used = new Set([...locales, ...texts.flatMap(([, text]) => Object.keys(text ?? {}))])
  return texts.flatMap(([path, text]) => {
    if (text === undefined || Object.hasOwn(text, "en")) return []
    return [...used].every((tag) => Object.hasOwn(text, tag))
      ? []
      : [{ path, rule: "must have a text in en, or in every language in use" }]
  })
}
