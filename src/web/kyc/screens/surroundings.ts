/** What the page finds around itself. */

/** What the server has told the page in its HTML, by name; undefined where it had nothing to tell. */
export const told = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="kyc:${name}"]`)?.content

/** Whether another page shows this one. */
export const framed = (): boolean => window.parent !== window
