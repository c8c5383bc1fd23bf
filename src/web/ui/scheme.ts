/** Light or dark: as the reader's device has it, unless they chose. */

const darkPreferred = matchMedia("(prefers-color-scheme: dark)")

export const schemes = ["system", "light", "dark"] as const
export type SchemeChoice = (typeof schemes)[number]

const stored = "scheme"

const isChoice = (value: unknown): value is SchemeChoice => schemes.some((scheme) => scheme === value)

/** What the reader chose on this device. */
export const chosenScheme = (): SchemeChoice => {
  try {
    const kept = localStorage.getItem(stored)
    return isChoice(kept) ? kept : "system"
  } catch {
    return "system"
  }
}

/** Shows the page in what was chosen, from now on also when the device changes. */
export const applyScheme = (choice: SchemeChoice = chosenScheme()): void => {
  const apply = () => {
    const dark = choice === "dark" || (choice === "system" && darkPreferred.matches)
    document.documentElement.dataset.scheme = dark ? "dark" : "light"
  }
  darkPreferred.onchange = apply
  apply()
}

/** Chooses, for this device. */
export const chooseScheme = (choice: SchemeChoice): void => {
  try {
    localStorage.setItem(stored, choice)
  } catch {
    // It holds for this page, then.
  }
  applyScheme(choice)
}
