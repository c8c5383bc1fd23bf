import { networkInterfaces } from "node:os"

/**
 * The addresses to listen on for `HOST`. `localhost` means both loopback addresses, because a client may try either first. The IPv6 one is
 * left out if this machine does not have it.
 */
export const addressesOf = (host: string): readonly [string, ...ReadonlyArray<string>] => {
  if (host !== "localhost") return [host]
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return interfaces.some(({ address }) => address === "::1") ? ["127.0.0.1", "::1"] : ["127.0.0.1"]
}
