import { hostOf, portOf } from "./address.ts"

/** All calls to an equal origin share its connections. */
export interface Origin {
  /** `scheme://host[:port]` */
  readonly href: string
  readonly host: string
  /** A name, or an IP address without brackets. */
  readonly hostname: string
  readonly port: number
  readonly secure: boolean
  /** Dialled without the address checks. Only doorlock's own upstream has it. */
  readonly address?: string
}

export interface Upstream {
  readonly origin: Origin
  /** Empty, or starting with a slash; no trailing slash. */
  readonly basePath: string
}

/** @param url a base URL to which `UpstreamAddresses` has no objection */
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
