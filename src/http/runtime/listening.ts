import { networkInterfaces } from "node:os"
import type { Server } from "bun"
import { Context, Data, Effect, type Scope } from "effect"
import type { Configuration } from "../../config.ts"
import { pause } from "../../limits/turn-of-others.ts"
import { Timing } from "../../shared/timing.ts"
import { Lifecycle } from "./lifecycle.ts"

/** The longest that Bun knows. */
const longestIdle = 255

/** Seconds after which Bun closes a connection without progress. */
export const idleSeconds = ({ timeout }: Timing["Type"]): number =>
  Math.min(timeout("http.idle") / 1_000, longestIdle)

/** The address and actual port. */
export class Listening extends Context.Tag("Listening")<
  Listening,
  { readonly hostname: string; readonly port: number }
>() {}

/** Whether other processes of this service listen on the port too. */
export class SharedPort extends Context.Reference<SharedPort>()("doorlock/http/SharedPort", {
  defaultValue: () => false
}) {}

/** `message` is one sentence that names the address. */
export class ListenFailed extends Data.TaggedError("ListenFailed")<{ readonly message: string }> {}

export const listenFailed = ({ host, port }: Pick<Configuration, "host" | "port">, cause: unknown) =>
  new ListenFailed({
    message: `Cannot listen on HOST ${host}, PORT ${port}: ${cause instanceof Error ? cause.message : cause}`
  })

/** `localhost` means both loopback addresses, as clients may try either; IPv6 only if available. */
export const addressesOf = (host: string): readonly [string, ...ReadonlyArray<string>] => {
  if (host !== "localhost") return [host]
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return interfaces.some(({ address }) => address === "::1") ? ["127.0.0.1", "::1"] : ["127.0.0.1"]
}

/** One may have looked at the sockets already when it began. */
const quietTurns = 3

/** Turns of the event loop after which a busy server stops listening nevertheless. */
const mostTurns = 1_000

/**
 * Waits until those who have connected are heard. The kernel accepts connections in place of a busy process, and resets them
 * when it stops listening: one turn of the event loop takes them over, and another one reads their requests. So it waits for
 * `quietTurns` in which no request came.
 *
 * @param count the number of requests so far
 */
const hearAll = (count: () => number) =>
  Effect.gen(function* () {
    let heard = count()
    for (let turns = 0, quiet = 0; quiet < quietTurns && turns < mostTurns; turns++) {
      yield* pause
      quiet = count() === heard ? quiet + 1 : 0
      heard = count()
    }
  })

/** Stops listening and lets open requests finish. */
const stop = (
  servers: ReadonlyArray<Server<undefined>>,
  count: () => number,
  { sleep, within }: Timing["Type"]
) => {
  const stopped = Effect.logInfo("Stopping after the requests in flight").pipe(
    Effect.zipRight(sleep("http.lame_duck")),
    Effect.zipRight(hearAll(count)),
    Effect.zipRight(Effect.promise(() => Promise.all(servers.map((server) => server.stop()))))
  )
  // `stop` waits for the last request, and a finalizer is uninterruptible: the timeout would wait too.
  return within("http.drain", Effect.interruptible(stopped)).pipe(
    Effect.flatMap((stopped) =>
      stopped._tag === "Some"
        ? Effect.void
        : Effect.zipRight(
            Effect.logWarning(
              `Cutting ${servers.reduce((sum, { pendingRequests }) => sum + pendingRequests, 0)} requests that did not finish`
            ),
            Effect.sync(() => {
              for (const server of servers) void server.stop(true)
            })
          )
    )
  )
}

type Fetch = (request: Request, server: Server<undefined>) => Response | Promise<Response>

/** Listens on every address of `HOST`, all on the port of the first, until the scope closes. */
export const listen = (
  config: Configuration,
  fetch: Fetch
): Effect.Effect<Listening["Type"], ListenFailed, Lifecycle | Scope.Scope> =>
  Effect.gen(function* () {
    const lifecycle = yield* Lifecycle
    const reusePort = yield* SharedPort
    const timing = yield* Timing
    let count = 0
    const counted: Fetch = (request, server) => {
      count++
      return fetch(request, server)
    }
    const listenOn = (hostname: string, port: number) =>
      Bun.serve({
        port,
        hostname,
        reusePort,
        idleTimeout: idleSeconds(timing),
        // Bodies are limited where they are read (`body`), with doorlock's own error.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        fetch: counted
      })
    const listenOnAll = (): readonly [Server<undefined>, ...ReadonlyArray<Server<undefined>>] => {
      const [address, ...others] = addressesOf(config.host)
      const first = listenOn(address, config.port)
      try {
        return [first, ...others.map((other) => listenOn(other, first.port ?? config.port))]
      } catch (error) {
        void first.stop(true)
        throw error
      }
    }
    const [first] = yield* Effect.acquireRelease(
      Effect.try({ try: listenOnAll, catch: (cause) => listenFailed(config, cause) }),
      (servers) =>
        Effect.zipRight(
          lifecycle.startDraining,
          stop(servers, () => count, timing)
        )
    )
    return { hostname: config.host, port: first.port ?? config.port }
  })
