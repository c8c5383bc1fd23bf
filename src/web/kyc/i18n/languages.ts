/** The hosted page's languages, by their own names. */
export const languages = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  et: "Eesti",
  ar: "العربية"
} as const
export type Locale = keyof typeof languages

export const isLocale = (value: unknown): value is Locale =>
  typeof value === "string" && Object.hasOwn(languages, value)
