/** What the server wrote into the HTML, and the user's browser settings. */

const told = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="dashboard:${name}"]`)?.content

/** The public address of the API, for calls from elsewhere. */
export const apiAddress = (): string => told("base-url") ?? location.origin

/** The public address of the gateway, without a trailing slash. */
export const gatewayAddress = (): string => told("gateway-url") ?? `${location.origin}/gateway`

/** Whether the browser sent a session when it loaded the page. It may have ended. */
export const hadSession = (): boolean => told("had-session") !== undefined

/** Whether anybody may sign up a company. */
export const signupIsOpen = (): boolean => told("signup-open") !== undefined

/** The address of the script that draws charts. */
export const chartAddress = (): string | undefined => told("chart")

const isLocale = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}

/** The reader's preferred locales in order. Some browsers include invalid names, which are left out. */
export const readerLocales = (): Array<string> => navigator.languages.filter(isLocale)
