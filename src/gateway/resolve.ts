import { isIP } from "node:net"
import { Context, Effect } from "effect"
import { LRUCache } from "lru-cache"
import { Config } from "../config.ts"
import { DeadlineClock } from "../limits/deadlines.ts"
import { Counts } from "../shared/counts.ts"
import { Timing } from "../shared/timing.ts"
import { hostOf, isAllowedPort, isPublicAddress, portOf } from "./address.ts"
import { UpstreamFault } from "./faults.ts"
import { type Lookup, systemLookup } from "./names.ts"

/** Looks names up instead of the system. */
export class Resolver extends Context.Reference<Resolver>()("doorlock/gateway/Resolver", {
  defaultValue: (): Lookup | undefined => undefined
}) {}

/** Milliseconds to cache a lookup. */
const lifetime = { found: 10_000, failed: 1_000 }

/** Milliseconds before retrying a name whose name servers timed out. Random, to spread the retries. */
const timeoutLifetime = () => 20_000 + 20_000 * Math.random()

/** Cached names. */
const capacity = 1_000

/** Maximum concurrent lookups. */
export const maxLookups = { inAll: 256, perAsker: 16 }

/** The most addresses of each family to dial. A name may have thousands, of hosts that nobody wants to call. */
const mostAddresses = 4

/** IPv4 first. */
const toDial = (addresses: ReadonlyArray<string>): ReadonlyArray<string> =>
  addresses.length <= mostAddresses
    ? addresses
    : [4, 6].flatMap((family) =>
        addresses.filter((address) => isIP(address) === family).slice(0, mostAddresses)
      )

interface Remembered {
  readonly addresses: Promise<ReadonlyArray<string>>
  until: number
}

/** Aborts the lookup at its timeout and uses the addresses found by then. */
const inTime = async (
  lookup: Lookup,
  hostname: string,
  timing: Timing["Type"]
): Promise<ReadonlyArray<string>> => {
  const late = Promise.withResolvers<never>()
  const ending = new AbortController()
  const timer = timing.after("gateway.lookup", () => {
    ending.abort()
    setImmediate(() => late.reject(new UpstreamFault("dns_timeout")))
  })
  try {
    return await Promise.race([lookup(hostname, ending.signal), late.promise])
  } catch (cause) {
    throw cause instanceof UpstreamFault
      ? cause
      : new UpstreamFault(ending.signal.aborted || isTimeout(cause) ? "dns_timeout" : "dns_error")
  } finally {
    timer.cancel()
  }
}

/** Whether the name servers timed out. */
const isTimeout = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ETIMEOUT"

/** Whether calls can be sent below this URL: http(s), without credentials, query and fragment. */
const isBaseUrl = ({ hash, password, protocol, search, username }: URL): boolean =>
  /^https?:$/.test(protocol) && username + password + search + hash === ""

type BoundedLookup = (hostname: string, asker: string, most: number) => Promise<ReadonlyArray<string>>

const cached = (lookup: Lookup, timing: Timing["Type"], now: () => number): BoundedLookup => {
  const names = new LRUCache<string, Remembered>({ max: capacity })
  const underWay = new Counts()
  let inAll = 0

  /** An asker may use as many lookups as are free, so that one cannot take them all. */
  const permits = (asker: string, most: number): boolean =>
    underWay.of(asker) < Math.min(most, maxLookups.inAll - inAll)

  const count = (asker: string, change: 1 | -1) => {
    inAll += change
    underWay.add(asker, change)
  }

  return async (hostname, asker, most) => {
    const known = names.get(hostname)
    if (known !== undefined && now() < known.until) return known.addresses
    if (!permits(asker, most)) throw new UpstreamFault("connection_limit_reached")
    count(asker, 1)
    const entry: Remembered = {
      addresses: inTime(lookup, hostname, timing).finally(() => count(asker, -1)),
      // Valid until the lookup ends.
      until: Number.POSITIVE_INFINITY
    }
    names.set(hostname, entry)
    const keepFor = (milliseconds: number) => {
      entry.until = now() + milliseconds
    }
    entry.addresses.then(
      () => keepFor(lifetime.found),
      (fault: UpstreamFault) => keepFor(fault.type === "dns_timeout" ? timeoutLifetime() : lifetime.failed)
    )
    return entry.addresses
  }
}

/**
 * Resolves and checks the addresses of upstreams. The gateway dials exactly the checked address, so an
 * attacker gains nothing by changing it after the check. One forbidden address rejects the whole name.
 */
export class UpstreamAddresses extends Effect.Service<UpstreamAddresses>()("UpstreamAddresses", {
  effect: Effect.gen(function* () {
    const { allowPrivateUpstreams } = yield* Config
    const timing = yield* Timing
    const lookup = cached((yield* Resolver) ?? systemLookup(timing), timing, yield* DeadlineClock)
    const isAllowed = allowPrivateUpstreams ? () => true : isPublicAddress

    /**
     * The addresses to dial, four of each family at most. Rejects with an `UpstreamFault`.
     *
     * @param most concurrent lookups of this asker
     */
    const of = async (
      hostname: string,
      asker: string,
      most: number = maxLookups.perAsker
    ): Promise<ReadonlyArray<string>> => {
      const addresses = isIP(hostname) === 0 ? await lookup(hostname, asker, most) : [hostname]
      if (addresses.length === 0) throw new UpstreamFault("dns_error")
      if (!addresses.every(isAllowed)) throw new UpstreamFault("destination_ip_prohibited")
      return toDial(addresses)
    }

    /** Why a URL may not be registered as an upstream. A name need not resolve yet. */
    const objection = (url: URL): Effect.Effect<"address" | "port" | undefined> =>
      Effect.promise(async () => {
        if (!isBaseUrl(url)) return "address"
        if (!isAllowedPort(portOf(url))) return "port"
        return of(hostOf(url), "registration").then(
          () => undefined,
          ({ type }: UpstreamFault) => (type === "destination_ip_prohibited" ? "address" : undefined)
        )
      })

    return { of, objection }
  })
}) {}
