/** Light or dark: the device's setting, unless the user has chosen. */

const schemes = ["system", "light", "dark"] as const
export type SchemeChoice = (typeof schemes)[number]

const storageKey = "scheme"

export const chosenScheme = (): SchemeChoice => {
  try {
    const stored = localStorage.getItem(storageKey)
    return schemes.find((scheme) => scheme === stored) ?? "system"
  } catch {
    return "system"
  }
}

/** With `system`, the style sheet follows the device. */
export const applyScheme = (choice: SchemeChoice = chosenScheme()): void => {
  document.documentElement.dataset.scheme = choice
}

export const chooseScheme = (choice: SchemeChoice): void => {
  try {
    localStorage.setItem(storageKey, choice)
  } catch {
    // The choice then applies to this page only.
  }
  applyScheme(choice)
}
