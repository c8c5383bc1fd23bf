/** The partner's colours and logo, set through CSSOM: the policy permits no style in the page. */
import { colourProperties } from "./colour.ts"
import type { PageConfig } from "./config.ts"

/** A logo's address, if it is of the page's own origin or carried along: any other would tell its host who is verified. */
export const logoAddress = (address: string | undefined): string | undefined => {
  const url = address === undefined ? null : URL.parse(address, location.origin)
  if (url === null) return undefined
  return url.origin === location.origin || /^data:image\/(png|jpeg|svg\+xml|webp)[;,]/.test(url.href)
    ? url.href
    : undefined
}

const darkPreferred = matchMedia("(prefers-color-scheme: dark)")

/** Follows the theme's scheme, or the reader's where it leaves that open. */
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
