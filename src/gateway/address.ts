/** Publishers choose upstreams, so the gateway dials only public addresses (OWASP API7, ASVS 1.3.6). */
import { BlockList, isIP } from "node:net"

const forbiddenV4 = new BlockList()
// The IANA IPv4 special-purpose registry, without the globally reachable entries.
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4]
] as const) {
  forbiddenV4.addSubnet(network, prefix, "ipv4")
}
// A public address, but on Azure the host platform serves each virtual machine its secrets there.
forbiddenV4.addAddress("168.63.129.16", "ipv4")

const globalV6 = new BlockList()
// Global unicast: not unique local, link-local, multicast, IPv4-mapped, IPv4-compatible or NAT64.
globalV6.addSubnet("2000::", 3, "ipv6")

const forbiddenV6 = new BlockList()
for (const [network, prefix] of [
  // IETF protocol assignments, such as Teredo, benchmarking and ORCHID.
  ["2001::", 23],
  ["2001:db8::", 32],
  // 6to4 embeds an IPv4 address, which is not checked.
  ["2002::", 16],
  ["3fff::", 20]
] as const) {
  forbiddenV6.addSubnet(network, prefix, "ipv6")
}

/** Whether an IP address, as given by a resolver or a URL, is on the public internet. */
export const isPublicAddress = (address: string): boolean => {
  switch (isIP(address)) {
    case 4:
      return !forbiddenV4.check(address, "ipv4")
    case 6:
      // A zone (`fe80::1%eth0`) makes an address link-local.
      return !address.includes("%") && globalV6.check(address, "ipv6") && !forbiddenV6.check(address, "ipv6")
    default:
      return false
  }
}

/** Ports that browsers block too: services there may read a request as commands (WHATWG Fetch, 2.9). */
const badPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080
])

export const isAllowedPort = (port: number): boolean => !badPorts.has(port)

/** The host of a URL for a resolver or socket: an IPv6 address without its brackets. */
export const hostOf = (url: URL): string =>
  url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname

export const portOf = (url: URL): number =>
  url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port)
