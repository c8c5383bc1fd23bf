import { mkdir, readFile, stat, writeFile } from "node:fs/promises"
import type { BlockList } from "node:net"
import { join } from "node:path"
import { Effect } from "effect"
import { isLoopback, plainAddress, within } from "../../shared/ip-address.ts"
import { isForwarded, isMuted } from "./client-address.ts"

/**
 * `unnamed`: an untrusted proxy on this machine; its clients count as loopback, without limits per address.
 * `muted`: a trusted proxy that does not send the client's address; all its clients count as one.
 */
export type ProxyFault = "unnamed" | "muted"

/** Records the proxy for `doctor`, which is another process. */
export const proxyNote = (dataDir: string, fault: ProxyFault): string => join(dataDir, `${fault}-proxy`)

export interface SeenProxy {
  readonly address: string
  readonly at: Date
}

/** The last recorded proxy with this fault. */
export const proxySeen = (dataDir: string, fault: ProxyFault): Effect.Effect<SeenProxy | undefined> =>
  Effect.promise(async () => {
    const note = proxyNote(dataDir, fault)
    try {
      return { address: (await readFile(note, "utf8")).trim(), at: (await stat(note)).mtime }
    } catch {
      return undefined
    }
  })

/** Paths that a proxy may request for no client. */
const probes = ["/healthz", "/readyz", "/metrics"]

/** Checks requests, and calls `tell` at the first one that shows a fault, once per fault. */
export const lookingForProxy = (trusted: BlockList, tell: (fault: ProxyFault, address: string) => void) => {
  const left = new Set<ProxyFault>(["unnamed", "muted"])
  const found = (fault: ProxyFault, address: string) => {
    if (left.delete(fault)) tell(fault, address)
  }
  const trustsAny = trusted.rules.length > 0
  return (peer: string, headers: Headers, path: string): void => {
    if (left.size === 0) return
    const address = plainAddress(peer)
    if (trustsAny && within(trusted, address)) {
      const isMute = left.has("muted") && isMuted(address, headers.get("x-forwarded-for"), trusted)
      if (isMute && !probes.includes(path)) found("muted", address)
    } else if (isLoopback(address) && isForwarded(headers)) {
      found("unnamed", address)
    }
  }
}

const warning = (fault: ProxyFault, address: string): string =>
  fault === "unnamed"
    ? `A proxy on this machine forwards requests from ${address}, and TRUSTED_PROXIES does not name it: all its clients count as this machine, which has no limits per address. Add 127.0.0.1,::1 to TRUSTED_PROXIES if only your proxy can reach this port`
    : `TRUSTED_PROXIES names ${address}, and a request from there has no X-Forwarded-For with the client's address: all its clients count as one, and share the limits of one address. Have the proxy set X-Forwarded-For; doorlock reads no other header for it`

/** Logs a warning, and records the proxy in `dataDir` for `doctor`. */
export const tellOfProxy = (dataDir: string, fault: ProxyFault, address: string): Effect.Effect<void> =>
  Effect.logWarning(warning(fault, address)).pipe(
    Effect.zipRight(
      Effect.tryPromise(async () => {
        await mkdir(dataDir, { recursive: true })
        await writeFile(proxyNote(dataDir, fault), address)
      })
    ),
    Effect.catchAll((error) =>
      Effect.logWarning("This warning could not be stored for the command doctor", error.cause)
    )
  )
