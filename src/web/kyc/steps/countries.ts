import { alpha2 } from "../../../kyc/instances/country-model.ts"

const namesIn = (locale: string): ((code: string) => string) => {
  const names = new Intl.DisplayNames([locale, "en"], { type: "region" })
  return (code) => names.of(alpha2.get(code) ?? code) ?? code
}

export const countryName = (code: string, locale: string): string =>
  alpha2.has(code) ? namesIn(locale)(code) : code

/** By alpha-3 code, sorted by name; all if `among` is empty. */
export const countries = (locale: string, among: ReadonlyArray<string>) => {
  const nameOf = namesIn(locale)
  const chosen = [...alpha2.keys()].filter((code) => among.length === 0 || among.includes(code))
  const { compare } = new Intl.Collator(locale)
  return chosen
    .map((code) => ({ code, name: nameOf(code) }))
    .sort((left, right) => compare(left.name, right.name))
}

/** Of a machine-readable zone, where Germany is a single letter. */
export const zoneCountry = (code: string): string | undefined => {
  const country = code === "D" ? "DEU" : code
  return alpha2.has(country) ? country : undefined
}
