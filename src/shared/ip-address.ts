import { BlockList, isIP } from "node:net"

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")

/** Separate, because a list with IPv4 addresses also matches their IPv4-mapped forms. */
const loopback6 = new BlockList()
loopback6.addAddress("::1", "ipv6")

/** This machine and private networks (RFC 1918, RFC 3927, RFC 4193, and link-local addresses of RFC 4291). */
const near = new BlockList()
near.addSubnet("127.0.0.0", 8, "ipv4")
near.addSubnet("10.0.0.0", 8, "ipv4")
near.addSubnet("172.16.0.0", 12, "ipv4")
near.addSubnet("192.168.0.0", 16, "ipv4")
near.addSubnet("169.254.0.0", 16, "ipv4")
near.addAddress("::1", "ipv6")
near.addSubnet("fc00::", 7, "ipv6")
near.addSubnet("fe80::", 10, "ipv6")

/** `::ffff:10.0.0.1` is 10.0.0.1 reached through an IPv6 socket. */
export const plainAddress = (address: string): string =>
  address.startsWith(":") && address.toLowerCase().startsWith("::ffff:") && isIP(address.slice(7)) === 4
    ? address.slice(7)
    : address

export const within = (list: BlockList, address: string): boolean => {
  const family = isIP(address)
  return family !== 0 && list.check(address, family === 4 ? "ipv4" : "ipv6")
}

export const isNear = (address: string): boolean => within(near, plainAddress(address))

export const isLoopback = (address: string): boolean =>
  address === "127.0.0.1" || address === "::1" || within(isIP(address) === 4 ? loopback : loopback6, address)

/** Parses addresses and CIDR ranges; undefined if any of them is invalid. */
export const parseRanges = (ranges: ReadonlyArray<string>): BlockList | undefined => {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = "", bits, ...rest] = range.split("/")
    const family = isIP(address)
    const longest = family === 4 ? 32 : 128
    const prefix = bits === undefined ? longest : /^\d+$/.test(bits) ? Number(bits) : Number.NaN
    if (family === 0 || rest.length > 0 || !(prefix <= longest)) return undefined
    list.addSubnet(address, prefix, family === 4 ? "ipv4" : "ipv6")
  }
  return list
}
