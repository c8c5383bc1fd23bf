import { mkdir, readFile, stat, writeFile } from "node:fs/promises"
import type { BlockList } from "node:net"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { isLoopback, plainAddress, within } from "./client-address.ts"

/** Headers in which proxies say whom they speak for. */
const forwardingHeaders = ["x-forwarded-for", "forwarded", "x-real-ip"]

/** The file that says that a proxy was seen which the configuration does not name. It is for `doctor`, which is another process. */
export const unnamedProxyNote = (dataDir: string): string => join(dataDir, "unnamed-proxy")

/** Such a proxy, by its address, and when a process last found it. */
export interface UnnamedProxy {
  readonly address: string
  readonly at: Date
}

/** The proxy that was noted last; undefined when none was. */
export const unnamedProxySeen = (dataDir: string): Effect.Effect<UnnamedProxy | undefined> =>
  Effect.promise(async () => {
    const note = unnamedProxyNote(dataDir)
    try {
      return { address: (await readFile(note, "utf8")).trim(), at: (await stat(note)).mtime }
    } catch {
      return undefined
    }
  })

/**
 * Looks for a proxy on this machine whose address is not one of those trusted: all its clients then count as loopback, which has no
 * limits per address.
 *
 * @param tell is called once, for the first request that shows such a proxy, with the proxy's address
 * @returns what looks at a request
 */
export const lookingForProxy = (trusted: BlockList, tell: (address: string) => void) => {
  let seen = false
  return (peer: string, headers: Headers): void => {
    if (seen) return
    const address = plainAddress(peer)
    if (!isLoopback(address) || within(trusted, address)) return
    if (!forwardingHeaders.some((name) => headers.has(name))) return
    seen = true
    tell(address)
  }
}

/** Warns in the log of the proxy with this address, and leaves a note for `doctor` in `dataDir`. */
export const tellOfUnnamedProxy = (dataDir: string, address: string): Effect.Effect<void> =>
  Effect.logWarning(
    `A proxy on this machine forwards requests from ${address}, and TRUSTED_PROXIES does not name it: all its clients count as this machine, which has no limits per address. Add 127.0.0.1,::1 to TRUSTED_PROXIES if only your proxy can reach this port`
  ).pipe(
    Effect.zipRight(
      Effect.tryPromise(async () => {
        await mkdir(dataDir, { recursive: true })
        await writeFile(unnamedProxyNote(dataDir), address)
      })
    ),
    Effect.catchAll((error) =>
      Effect.logWarning("This warning could not be written down for the command doctor", error.cause)
    )
  )
