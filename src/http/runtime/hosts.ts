import { isIP } from "node:net"
import { isLoopback } from "../../shared/ip-address.ts"

/** The name in a `Host`, without port and brackets. */
const nameOf = (host: string): string =>
  (/^\[([^\]]*)\]/.exec(host)?.[1] ?? host.replace(/:\d*$/, "")).toLowerCase().replace(/\.$/, "")

/**
 * Whether a request is for a host other than this machine and those of `urls`. Protects a service for this
 * machine alone from DNS rebinding, by which a site shares the service's origin. Browsers always send `Host`.
 */
export const isForeignHost = (urls: ReadonlyArray<string>): ((headers: Headers) => boolean) => {
  const names = new Set(urls.map((url) => nameOf(new URL(url).host)))
  return (headers) => {
    const host = headers.get("host")
    if (host === null || host === "") return false
    const name = nameOf(host)
    if (name === "localhost" || name.endsWith(".localhost") || names.has(name)) return false
    return isIP(name) === 0 || !isLoopback(name)
  }
}
