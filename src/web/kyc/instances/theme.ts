/** The partner's colours and logo, set through CSSOM, because the policy forbids inline styles. */
import { contrast, minContrast } from "../../../kyc/instances/colour-model.ts"
import type { PageConfig } from "./config.ts"

/** A logo's address, if it is on the page's own origin or inline. Any other host would learn who is being verified. */
export const logoAddress = (address: string | undefined): string | undefined => {
  const url = address === undefined ? null : URL.parse(address, location.origin)
  if (url === null) return undefined
  return url.origin === location.origin || /^data:image\/(png|jpeg|svg\+xml|webp)[;,]/.test(url.href)
    ? url.href
    : undefined
}

/** A colour in the form `#rrggbb`, or undefined, so that no other CSS gets in. */
const readColour = (value: string | undefined): string | undefined =>
  value !== undefined && /^#[0-9a-f]{6}$/i.test(value) ? value : undefined

/** The background and the accent colour of `ui/base.css`, in the light and in the dark scheme. */
const schemes = [
  { ground: "#f4f6fb", accent: "#1f4fd8" },
  { ground: "#11141b", accent: "#9db8ff" }
]

/**
 * The custom properties for a partner's colours, checked for readable text (WCAG 2.2, 1.4.3). Text on the primary
 * colour is white or black by default. If the partner's choice is unreadable, the page keeps its own colours. The
 * primary colour is used for text only in a scheme where it is readable.
 */
export const colourProperties = (
  theme: Pick<PageConfig["theme"], "primary" | "onPrimary">
): Readonly<Record<string, string>> => {
  const primary = readColour(theme.primary)
  if (primary === undefined) return {}
  const best = contrast(primary, "#ffffff") >= minContrast ? "#ffffff" : "#000000"
  const onPrimary = readColour(theme.onPrimary) ?? best
  if (contrast(primary, onPrimary) < minContrast) return {}
  const accents = schemes.map(({ accent, ground }) =>
    contrast(primary, ground) < minContrast ? accent : primary
  )
  return {
    "--primary": primary,
    "--primary-strong": primary,
    "--on-primary": onPrimary,
    "--accent": `light-dark(${accents.join(", ")})`
  }
}

/** Applies the theme. With the mode `auto`, the style sheet follows the end user's colour scheme. */
export const applyTheme = ({ mode, radius, ...colours }: PageConfig["theme"]): void => {
  const { dataset, style } = document.documentElement
  dataset.scheme = mode
  // A preview may have shown another theme before.
  style.cssText = ""
  for (const [name, value] of Object.entries(colourProperties(colours))) style.setProperty(name, value)
  if (radius !== undefined) style.setProperty("--radius", `${radius}px`)
}
