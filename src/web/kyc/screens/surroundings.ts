/** A value that the server has written into the page. */
export const told = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="kyc:${name}"]`)?.content

export const framed = (): boolean => window.parent !== window
