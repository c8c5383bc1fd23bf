import { mkdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { isLoopback, plainAddress } from "./client-address.ts"

/** Headers in which proxies say whom they speak for. */
const forwardingHeaders = ["x-forwarded-for", "forwarded", "x-real-ip"]

/** The file that says that a proxy was seen which the configuration does not name. It is for `doctor`, which is another process. */
export const unnamedProxyNote = (dataDir: string): string => join(dataDir, "unnamed-proxy")

/** When a process last found such a proxy; undefined when none has. */
export const unnamedProxySeen = (dataDir: string): Effect.Effect<Date | undefined> =>
  Effect.promise(() =>
    stat(unnamedProxyNote(dataDir)).then(
      ({ mtime }) => mtime,
      () => undefined
    )
  )

/**
 * Looks for a proxy on this machine while no proxy is trusted: all its clients then count as loopback, which has no limits per address.
 *
 * @param tell runs once, for the first request that shows such a proxy
 * @returns what looks at a request
 */
export const lookingForProxy = (tell: () => void) => {
  let seen = false
  return (peer: string, headers: Headers): void => {
    if (seen || !forwardingHeaders.some((name) => headers.has(name)) || !isLoopback(plainAddress(peer)))
      return
    seen = true
    tell()
  }
}

/** Warns in the log, and leaves a note for `doctor` in `dataDir`. */
export const tellOfUnnamedProxy = (dataDir: string): Effect.Effect<void> =>
  Effect.logWarning(
    "A proxy on this machine forwards requests, and TRUSTED_PROXIES does not name it: all its clients count as this machine, which has no limits per address. Set TRUSTED_PROXIES=127.0.0.1,::1 if only your proxy can reach this port"
  ).pipe(
    Effect.zipRight(
      Effect.tryPromise(async () => {
        await mkdir(dataDir, { recursive: true })
        await writeFile(unnamedProxyNote(dataDir), "")
      })
    ),
    Effect.catchAll((error) =>
      Effect.logWarning("This warning could not be written down for the command doctor", error.cause)
    )
  )
