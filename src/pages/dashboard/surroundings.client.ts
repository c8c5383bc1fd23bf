/** What the server has told the page in its HTML. */

/** The public address of the API, for what is shown to be called from elsewhere. */
export const apiAddress = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="dashboard:base-url"]')?.content ?? location.origin
