/** The language of the code, which the browser remembers. */

const name = "docs:language"

const stored = (): string | null => {
  try {
    return localStorage.getItem(name)
  } catch {
    // Storage is blocked.
    return null
  }
}

export const rememberLanguage = (within: HTMLElement) => {
  const known = stored()
  for (const choice of within.querySelectorAll<HTMLInputElement>(".languages input")) {
    if (choice.value === known) choice.checked = true
    choice.addEventListener("change", () => {
      try {
        localStorage.setItem(name, choice.value)
      } catch {
        // The page shows the language anyway.
      }
    })
  }
}
