/** The page's language: its texts and direction. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import { told } from "../screens/surroundings.ts"
import { isLocale, type Locale, languages } from "./languages.ts"
import english from "./locales/en.json"

export type Messages = typeof english
export type MessageKey = keyof Messages

/** The instance's languages, or all. */
export const offered = (wanted: ReadonlyArray<string>): ReadonlyArray<Locale> => {
  const known = Object.keys(languages).filter(isLocale)
  const chosen = known.filter((locale) => wanted.includes(locale))
  return chosen.length === 0 ? known : chosen
}

/** The first wish that is offered; `de-AT` matches `de`. */
export const chooseLocale = (
  wishes: ReadonlyArray<string | null | undefined>,
  among: ReadonlyArray<Locale>
): Locale => {
  const primary = wishes.map((wish) => wish?.toLowerCase().split("-")[0])
  const found = primary.find((wish) => isLocale(wish) && among.includes(wish))
  return isLocale(found) ? found : (among[0] ?? "en")
}

const isKey = (key: string): key is MessageKey => Object.hasOwn(english, key)

/** Undefined if the request fails. The English texts are in the script. */
export const loadMessages = async (locale: Locale): Promise<Messages | undefined> => {
  const address = told(locale)
  if (locale === "en") return english
  if (address === undefined) return undefined
  try {
    const response = await fetch(address)
    return response.ok ? await response.json() : undefined
  } catch {
    return undefined
  }
}

type Values = Readonly<Record<string, string | number>>

export const i18n = (locale: Locale, messages: Messages) => {
  const unit = (name: "minute" | "second") =>
    new Intl.NumberFormat(locale, { style: "unit", unit: name, unitDisplay: "long" })
  return {
    locale,
    /** The text, with its `{values}` filled in. */
    t: (key: MessageKey, values: Values = {}) =>
      messages[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole)),
    /** Takes any key, such as one built from a partner's id. */
    known: (key: string) => (isKey(key) ? messages[key] : undefined),
    /** In words, such as "4 minutes". */
    time: (seconds: number) =>
      seconds > 90
        ? unit("minute").format(Math.round(seconds / 60))
        : unit("second").format(Math.max(0, Math.ceil(seconds)))
  }
}

export type I18n = ReturnType<typeof i18n>

export const inEnglish = i18n("en", english)

export const I18nContext = createContext(inEnglish)

export const useI18n = (): I18n => useContext(I18nContext)

/** For hyphenation, voices and direction. */
export const applyLocale = (locale: Locale): void => {
  document.documentElement.lang = locale
  document.documentElement.dir = locale === "ar" ? "rtl" : "ltr"
}
