import { type BlockList, isIP } from "node:net"
import { isLoopback, plainAddress, within } from "../../shared/ip-address.ts"

/** An entry of `X-Forwarded-For`; some proxies add the port, and then put an IPv6 address in brackets. */
const hopAddress = (hop: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1]
  return plainAddress(bracketed ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop)
}

/**
 * A proxy on this machine that is trusted, and does not say whom it speaks for. It is written as an IPv4-mapped address: what comes
 * from this machine itself is exempt from limits, and this may come from anywhere.
 */
const mutedLoopback = "::ffff:127.0.0.1"

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
  let address = plainAddress(peer)
  const hops = forwardedFor?.split(",") ?? []
  while (within(trustedProxies, address)) {
    const next = hopAddress(hops.pop()?.trim() ?? "")
    if (isIP(next) === 0) return isLoopback(address) ? mutedLoopback : address
    address = next
  }
  return address
}
