import { type BlockList, isIP } from "node:net"
import { isLoopback, plainAddress, within } from "../../shared/ip-address.ts"

/** An entry of `X-Forwarded-For`. Some proxies add the port, and put an IPv6 address in brackets. */
const hopAddress = (hop: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1]
  return plainAddress(bracketed ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop)
}

/**
 * An address from a proxy. Loopback becomes an IPv4-mapped address: direct requests from this machine are
 * exempt from limits, but a forwarded one may come from anywhere.
 */
const reported = (address: string): string => (isLoopback(address) ? "::ffff:127.0.0.1" : address)

/** Whether the peer is the client itself, not a trusted proxy, which may speak for any client. */
export const isDirect = (peer: string, trustedProxies: BlockList): boolean =>
  !within(trustedProxies, plainAddress(peer))

/** The last entry that is not a trusted proxy: entries before it come from the client itself. */
export const clientAddress = (
  peer: string,
  forwardedFor: string | null,
  trustedProxies: BlockList
): string => {
  if (isDirect(peer, trustedProxies)) return plainAddress(peer)
  let address = plainAddress(peer)
  const hops = forwardedFor?.split(",") ?? []
  while (within(trustedProxies, address)) {
    const next = hopAddress(hops.pop()?.trim() ?? "")
    if (isIP(next) === 0) break
    address = next
  }
  return reported(address)
}

/** Headers that proxies add to forwarded requests. */
const forwardingHeaders = new Set([
  ...["forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip"],
  ...["cf-connecting-ip", "true-client-ip", "fastly-client-ip", "x-envoy-external-address"]
])

/** Whether a proxy forwarded the request, so that the peer is not the client. */
export const isForwarded = (request: Headers): boolean => {
  for (const name of request.keys())
    if (forwardingHeaders.has(name) || name.startsWith("x-forwarded-")) return true
  return false
}
