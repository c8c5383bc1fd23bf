/** The partner's colours and logo, set through CSSOM, because the policy forbids inline styles. */
import { colourProperties } from "./colour.ts"
import type { PageConfig } from "./config.ts"

/** A logo's address, if it is on the page's own origin or inline. Any other host would learn who is being verified. */
export const logoAddress = (address: string | undefined): string | undefined => {
  const url = address === undefined ? null : URL.parse(address, location.origin)
  if (url === null) return undefined
  return url.origin === location.origin || /^data:image\/(png|jpeg|svg\+xml|webp)[;,]/.test(url.href)
    ? url.href
    : undefined
}

const darkPreferred = matchMedia("(prefers-color-scheme: dark)")

/** Applies the theme's colour scheme, or the reader's if the theme leaves it open. */
export const applyTheme = ({ mode, onPrimary, primary, radius }: PageConfig["theme"]): void => {
  const root = document.documentElement
  const apply = () => {
    const dark = mode === "dark" || (mode === "auto" && darkPreferred.matches)
    root.dataset.scheme = dark ? "dark" : "light"
    for (const name of ["--primary", "--primary-strong", "--on-primary", "--accent"])
      root.style.removeProperty(name)
    for (const [name, value] of Object.entries(
      colourProperties({ primary, onPrimary }, dark ? "dark" : "light")
    ))
      root.style.setProperty(name, value)
    if (radius !== undefined) root.style.setProperty("--radius", `${radius}px`)
  }
  darkPreferred.onchange = apply
  apply()
}
