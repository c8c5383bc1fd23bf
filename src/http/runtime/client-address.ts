import { type BlockList, isIP } from "node:net"
import { isLoopback, plainAddress, within } from "../../shared/ip-address.ts"

/** An entry of `X-Forwarded-For`; some proxies add the port, and then put an IPv6 address in brackets. */
const hopAddress = (hop: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1]
  return plainAddress(bracketed ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop)
}

/**
 * An address that a proxy speaks for. Loopback is written as an IPv4-mapped address: what comes from this machine itself is exempt from
 * limits, and what a proxy passes on may come from anywhere.
 */
const reported = (address: string): string => (isLoopback(address) ? "::ffff:127.0.0.1" : address)

/** Whether the peer is the client itself: whoever is trusted as a proxy may speak for anybody. */
export const isDirect = (peer: string, trustedProxies: BlockList): boolean =>
  !within(trustedProxies, plainAddress(peer))

/** Whether a trusted proxy's `X-Forwarded-For` does not say for whom it speaks. */
export const isMuted = (peer: string, forwardedFor: string | null, trustedProxies: BlockList): boolean =>
  within(trustedProxies, plainAddress(peer)) &&
  isIP(hopAddress((forwardedFor ?? "").split(",").pop()?.trim() ?? "")) === 0

/**
 * The client's address. `X-Forwarded-For` is read from the right, over trusted proxies only: the first
 * entry that is none of them is the client; what stands left of it was written by the client itself.
 */
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
