/** Colours of a partner's theme, and whether text in them can be read (WCAG 2.2, 1.4.3). */
import { contrast, minContrast } from "../../../kyc/instances/colour-model.ts"

/** A colour written `#rrggbb`; anything else is undefined, so that no other CSS gets in. */
const readColour = (value: string | undefined): string | undefined =>
  value !== undefined && /^#[0-9a-f]{6}$/i.test(value) ? value : undefined

/** The grounds of `styles/base.css`. */
const grounds = { light: "#f4f6fb", dark: "#11141b" } as const

/**
 * The custom properties that a partner's colours set in a scheme. Text on the primary colour is white or black unless said;
 * where what is said cannot be read, the page keeps its own colours. As text, the primary colour is used only where it reads.
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
