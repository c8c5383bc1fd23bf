import { networkInterfaces } from "node:os"

/**
 * The addresses to listen on for `HOST`. `localhost` means both loopback addresses, because clients may try
 * either first, but IPv6 only if this machine has it.
 */
export const addressesOf = (host: string): readonly [string, ...ReadonlyArray<string>] => {
  if (host !== "localhost") return [host]
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return interfaces.some(({ address }) => address === "::1") ? ["127.0.0.1", "::1"] : ["127.0.0.1"]
}
