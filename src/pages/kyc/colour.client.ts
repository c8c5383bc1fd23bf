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
/** The ground of `styles/base.css` in the dark scheme. */
const darkGround: Colour = [17, 20, 27]

/** The custom properties that a primary colour sets in a scheme; none where text in it could not be read. */
export const colourProperties = (
  primary: string | undefined,
  dark: boolean
): Readonly<Record<string, string>> => {
  const colour = primary === undefined ? undefined : readColour(primary)
  if (primary === undefined || colour === undefined || contrast(colour, white) < readable) return {}
  const solid = { "--primary": primary, "--primary-strong": primary, "--on-primary": "#fff" }
  if (!dark) return { ...solid, "--accent": primary }
  // A colour dark enough to carry white text is rarely light enough to be text on a dark ground.
  return contrast(colour, darkGround) < readable ? solid : { ...solid, "--accent": primary }
}
