/**
 * Which addresses and ports an upstream may have. Whoever publishes an API chooses its upstream, and the gateway dials
 * from inside our network: only what anybody on the internet could dial is dialled (OWASP API7, ASVS 1.3.6).
 */
import { BlockList, isIP } from "node:net"

const forbiddenV4 = new BlockList()
// The IANA registry of IPv4 special-purpose addresses, without those that are globally reachable.
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
// Public by its number, but Azure's own virtual host answers there, to each machine its secrets.
forbiddenV4.addAddress("168.63.129.16", "ipv4")

const globalV6 = new BlockList()
// Of IPv6 only global unicast. Unique local, link-local, multicast, mapped and compatible IPv4 and NAT64 are outside it.
globalV6.addSubnet("2000::", 3, "ipv6")

const forbiddenV6 = new BlockList()
for (const [network, prefix] of [
  // IETF protocol assignments: Teredo, benchmarking, ORCHID and others.
  ["2001::", 23],
  ["2001:db8::", 32],
  // 6to4 carries an IPv4 address that nobody has checked.
  ["2002::", 16],
  ["3fff::", 20]
] as const) {
  forbiddenV6.addSubnet(network, prefix, "ipv6")
}

/** Whether an IP address, as a resolver or a URL gives it, is one of the public internet. */
export const isPublicAddress = (address: string): boolean => {
  switch (isIP(address)) {
    case 4:
      return !forbiddenV4.check(address, "ipv4")
    case 6:
      // One with a zone (`fe80::1%eth0`) is of a link.
      return !address.includes("%") && globalV6.check(address, "ipv6") && !forbiddenV6.check(address, "ipv6")
    default:
      return false
  }
}

/** The ports that browsers refuse, too, because what listens there takes a request for commands (WHATWG Fetch, 2.9). */
const badPorts = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080
])

export const isAllowedPort = (port: number): boolean => !badPorts.has(port)

/** The host of a URL as a resolver or a socket takes it: without the brackets of an IPv6 address. */
export const hostOf = (url: URL): string =>
  url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname

/** The port of a URL, the scheme's own when none is named. */
export const portOf = (url: URL): number =>
  url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port)
