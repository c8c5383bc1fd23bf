import { hostOf, portOf } from "./address.ts"

/** To whom a connection leads: connections are shared by all calls of an equal origin. */
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
  /** To be dialled whatever the rules about addresses say: only the product's own upstream has one. */
  readonly address?: string
}

/** Where an API's calls go. */
export interface Upstream {
  readonly origin: Origin
  /** Without a slash at its end: empty, or beginning with one. */
  readonly basePath: string
}

/** An upstream by its base URL, which `UpstreamAddresses.check` has permitted. */
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
