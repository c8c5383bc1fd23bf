/** The page's environment. */

/** A value from the server in the page's HTML, by name; undefined if there is none. */
export const told = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="kyc:${name}"]`)?.content

/** Whether another page frames this one. */
export const framed = (): boolean => window.parent !== window
