/** The partner's colours and logo, set through CSSOM: the policy permits no style in the page. */
import { type Colour, contrast, readable, readColour } from "./colour.client.ts"
import type { PageConfig } from "./config.client.ts"

const white: Colour = [255, 255, 255]
/** The ground of `kyc.css` in the dark scheme. */
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
export const applyTheme = ({ mode, primary, radius }: PageConfig["theme"]): void => {
  const root = document.documentElement
  const apply = () => {
    const dark = mode === "dark" || (mode === "auto" && darkPreferred.matches)
    root.dataset.scheme = dark ? "dark" : "light"
    for (const name of ["--primary", "--primary-strong", "--on-primary", "--accent"])
      root.style.removeProperty(name)
    for (const [name, value] of Object.entries(colourProperties(primary, dark)))
      root.style.setProperty(name, value)
    if (radius !== undefined) root.style.setProperty("--radius", `${radius}px`)
  }
  darkPreferred.onchange = apply
  apply()
}
