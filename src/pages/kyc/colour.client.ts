/** Colours of a partner's theme, and whether text in them can be read (WCAG 2.2, 1.4.3). */

/** Red, green and blue, 0 to 255. */
type Colour = readonly [number, number, number]

/** A colour written `#rgb` or `#rrggbb`; anything else is undefined, so that no other CSS gets in. */
const readColour = (value: string): Colour | undefined => {
  const [, short] = /^#([0-9a-f]{3})$/i.exec(value) ?? []
  const [, long] = /^#([0-9a-f]{6})$/i.exec(value) ?? []
  const hex = long ?? short?.replace(/./g, "$&$&")
  if (hex === undefined) return undefined
  const channel = (start: number) => Number.parseInt(hex.slice(start, start + 2), 16)
  return [channel(0), channel(2), channel(4)]
}

const linear = (channel: number): number => {
  const share = channel / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

/** Relative luminance, 0 for black to 1 for white. */
const luminance = ([red, green, blue]: Colour): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

/** The contrast ratio of two colours, 1 to 21. */
const contrast = (one: Colour, other: Colour): number => {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right)
  return (lighter + 0.05) / (darker + 0.05)
}

/** The least contrast of text with its ground. */
const readable = 4.5

const white: Colour = [255, 255, 255]
/** The grounds of `styles/base.css`. */
const grounds = { light: [244, 246, 251], dark: [17, 20, 27] } as const

/**
 * The custom properties that a partner's colours set in a scheme. Text on the primary colour is white or black unless said;
 * where what is said cannot be read, the page keeps its own colours. As text, the primary colour is used only where it reads.
 */
export const colourProperties = (
  theme: { readonly primary: string | undefined; readonly onPrimary: string | undefined },
  scheme: keyof typeof grounds
): Readonly<Record<string, string>> => {
  const { onPrimary, primary = "" } = theme
  const colour = readColour(primary)
  if (colour === undefined) return {}
  const best = contrast(colour, white) >= readable ? "#ffffff" : "#000000"
  const chosen = onPrimary === undefined ? undefined : readColour(onPrimary)
  if (chosen !== undefined && contrast(colour, chosen) < readable) return {}
  return {
    "--primary": primary,
    "--primary-strong": primary,
    "--on-primary": chosen === undefined || onPrimary === undefined ? best : onPrimary,
    ...(contrast(colour, grounds[scheme]) < readable ? undefined : { "--accent": primary })
  }
}
