import { networkInterfaces } from "node:os"

/**
 * The addresses that `HOST` stands for. `localhost` is both loopback addresses, for a client may try either first; the IPv6 one only
 * where this machine has it.
 */
export const addressesOf = (host: string): readonly [string, ...ReadonlyArray<string>] => {
  if (host !== "localhost") return [host]
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return interfaces.some(({ address }) => address === "::1") ? ["127.0.0.1", "::1"] : ["127.0.0.1"]
}
