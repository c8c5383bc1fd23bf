import { networkInterfaces } from "node:os"

/** `localhost` means both loopback addresses, as clients may try either; IPv6 only if available. */
export const addressesOf = (host: string): readonly [string, ...ReadonlyArray<string>] => {
  if (host !== "localhost") return [host]
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return interfaces.some(({ address }) => address === "::1") ? ["127.0.0.1", "::1"] : ["127.0.0.1"]
}
