/** Light or dark: the device's setting, unless the user has chosen. */

const darkPreferred = matchMedia("(prefers-color-scheme: dark)")

const schemes = ["system", "light", "dark"] as const
export type SchemeChoice = (typeof schemes)[number]

const storageKey = "scheme"

const isChoice = (value: unknown): value is SchemeChoice => schemes.some((scheme) => scheme === value)

export const chosenScheme = (): SchemeChoice => {
  try {
    const choice = localStorage.getItem(storageKey)
    return isChoice(choice) ? choice : "system"
  } catch {
    return "system"
  }
}

/** Applies the choice, and follows later changes of the device's setting. */
export const applyScheme = (choice: SchemeChoice = chosenScheme()): void => {
  const apply = () => {
    const dark = choice === "dark" || (choice === "system" && darkPreferred.matches)
    document.documentElement.dataset.scheme = dark ? "dark" : "light"
  }
  darkPreferred.onchange = apply
  apply()
}

export const chooseScheme = (choice: SchemeChoice): void => {
  try {
    localStorage.setItem(storageKey, choice)
  } catch {
    // The choice then applies to this page only.
  }
  applyScheme(choice)
}
