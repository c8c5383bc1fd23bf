/** What the page finds around itself: what the server has told it in its HTML, and what the browser says of its reader. */

const told = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="dashboard:${name}"]`)?.content

/** The public address of the API, for what is shown to be called from elsewhere. */
export const apiAddress = (): string => told("base-url") ?? location.origin

/** The public address of the gateway, without a slash at its end. */
export const gatewayAddress = (): string => told("gateway-url") ?? `${location.origin}/gateway`

const isLocale = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}

/** The locales that the reader has set in the browser, the first one first. Some browsers have names among them that are none. */
export const readerLocales = (): Array<string> => navigator.languages.filter(isLocale)
