import { mkdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { isLoopback, plainAddress } from "./client-address.ts"

/** Headers in which proxies say whom they speak for. */
const forwardingHeaders = ["x-forwarded-for", "forwarded", "x-real-ip"]

/** Where it is noted that a proxy was seen which the configuration does not name: for `doctor`, which is another process. */
export const unnamedProxyNote = (dataDir: string): string => join(dataDir, "unnamed-proxy")

/** When a request last came that way for the first time of a process; undefined when none has. */
export const unnamedProxySeen = (dataDir: string): Effect.Effect<Date | undefined> =>
  Effect.promise(() =>
    stat(unnamedProxyNote(dataDir)).then(
      ({ mtime }) => mtime,
      () => undefined
    )
  )

/**
 * Looks for a proxy on this machine while no proxy is trusted: all clients are then loopback, which is exempt from the limits per
 * address. The first request that shows one is told in the log and noted; later ones are not looked at.
 *
 * @returns what looks at a request, and runs `tell` at most once
 */
export const lookingForProxy = (tell: () => void) => {
  let seen = false
  return (peer: string, headers: Headers): void => {
    if (seen || !isLoopback(plainAddress(peer)) || !forwardingHeaders.some((name) => headers.has(name)))
      return
    seen = true
    tell()
  }
}

/** Tells the log, and notes it in `dataDir`. */
export const tellOfUnnamedProxy = (dataDir: string): Effect.Effect<void> =>
  Effect.logWarning(
    "A proxy on this machine forwards requests, and TRUSTED_PROXIES does not name it: all clients count as this machine, which has no limits by address. Set TRUSTED_PROXIES=127.0.0.1,::1 if only your proxy can reach this port"
  ).pipe(
    Effect.zipRight(
      Effect.tryPromise(async () => {
        await mkdir(dataDir, { recursive: true })
        await writeFile(unnamedProxyNote(dataDir), "")
      })
    ),
    Effect.catchAll((error) =>
      Effect.logWarning("That could not be noted for the command doctor", error.cause)
    )
  )
