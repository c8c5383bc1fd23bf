/** What the server has told the page in its HTML. */

const told = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="dashboard:${name}"]`)?.content

/** The public address of the API, for what is shown to be called from elsewhere. */
export const apiAddress = (): string => told("base-url") ?? location.origin

/** The public address of the gateway, without a slash at its end. */
export const gatewayAddress = (): string => told("gateway-url") ?? `${location.origin}/gateway`
