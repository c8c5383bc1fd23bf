import { hostOf, portOf } from "./address.ts"

/** Where a connection goes. All calls to an equal origin share its connections. */
export interface Origin {
  /** `scheme://host[:port]` */
  readonly href: string
  /** The value of `Host`. */
  readonly host: string
  /** A name, or an IP address without brackets. */
  readonly hostname: string
  readonly port: number
  /** Whether it is https. */
  readonly secure: boolean
  /** An address to dial without the address checks. Only doorlock's own upstream has one. */
  readonly address?: string
}

/** Where an API's calls go. */
export interface Upstream {
  readonly origin: Origin
  /** Empty, or starting with a slash; no trailing slash. */
  readonly basePath: string
}

/** The upstream of a base URL that `UpstreamAddresses.check` has allowed. */
export const upstreamOf = (url: URL): Upstream => ({
  origin: {
    href: url.origin,
    host: url.host,
    hostname: hostOf(url),
    port: portOf(url),
    secure: url.protocol === "https:"
  },
  basePath: url.pathname.replace(/\/+$/, "")
})
