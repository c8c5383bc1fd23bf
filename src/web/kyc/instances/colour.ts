/** The colours of a partner's theme, checked for readable text (WCAG 2.2, 1.4.3). */
import { contrast, minContrast } from "../../../kyc/instances/colour-model.ts"

/** A colour in the form `#rrggbb`, or undefined, so that no other CSS gets in. */
const readColour = (value: string | undefined): string | undefined =>
  value !== undefined && /^#[0-9a-f]{6}$/i.test(value) ? value : undefined

/** The backgrounds of `styles/base.css`. */
const grounds = { light: "#f4f6fb", dark: "#11141b" } as const

/**
 * The custom properties for a partner's colours in a colour scheme. Text on the primary colour is white or black by
 * default. If the partner's choice is unreadable, the page keeps its own colours. The primary colour is used for text
 * only where it is readable.
 */
export const colourProperties = (
  theme: { readonly primary: string | undefined; readonly onPrimary: string | undefined },
  scheme: keyof typeof grounds
): Readonly<Record<string, string>> => {
  const primary = readColour(theme.primary)
  if (primary === undefined) return {}
  const best = contrast(primary, "#ffffff") >= minContrast ? "#ffffff" : "#000000"
  const onPrimary = readColour(theme.onPrimary) ?? best
  if (contrast(primary, onPrimary) < minContrast) return {}
  return {
    "--primary": primary,
    "--primary-strong": primary,
    "--on-primary": onPrimary,
    ...(contrast(primary, grounds[scheme]) < minContrast ? undefined : { "--accent": primary })
  }
}
