import * as dns from "node:dns/promises"
import { isIP } from "node:net"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Config } from "../config.ts"
import { hostOf, isAllowedPort, isPublicAddress, portOf } from "./address.ts"
import { UpstreamForbidden, UpstreamUnresolvable } from "./errors.ts"
import { UpstreamFault } from "./faults.ts"

/** A name's addresses; rejects when it has none. */
export type Lookup = (hostname: string) => Promise<ReadonlyArray<string>>

const systemLookup: Lookup = async (hostname) =>
  (await dns.lookup(hostname, { all: true, order: "verbatim" })).map(({ address }) => address)

/** Where addresses of names come from; the system's own resolver unless something else is provided. */
export class Resolver extends Context.Reference<Resolver>()("doorlock/gateway/Resolver", {
  defaultValue: (): Lookup => systemLookup
}) {}

/** Milliseconds for which an answer, also that there is none, is believed. */
const lifetime = { found: 10_000, failed: 1_000 }

/** Milliseconds a look-up may take. */
export class LookupPatience extends Context.Reference<LookupPatience>()("doorlock/gateway/LookupPatience", {
  defaultValue: () => 5_000
}) {}

/** Names remembered at most. */
const capacity = 1_000

interface Remembered {
  readonly addresses: Promise<ReadonlyArray<string>>
  until: number
}

const inTime = <A>(asked: Promise<A>, patience: number): Promise<A> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new UpstreamFault("dns_timeout")), patience)
  return Promise.race([asked, late.promise]).finally(() => clearTimeout(timer))
}

const cached = (lookup: Lookup, patience: number): Lookup => {
  const names = new Map<string, Remembered>()
  return (hostname) => {
    const known = names.get(hostname)
    if (known !== undefined && performance.now() < known.until) return known.addresses
    names.delete(hostname)
    const oldest = names.size < capacity ? undefined : names.keys().next()
    if (oldest !== undefined && oldest.done !== true) names.delete(oldest.value)
    const entry: Remembered = {
      addresses: inTime(lookup(hostname), patience).catch((cause) => {
        entry.until = performance.now() + lifetime.failed
        throw cause instanceof UpstreamFault ? cause : new UpstreamFault("dns_error")
      }),
      until: performance.now() + patience + lifetime.found
    }
    names.set(hostname, entry)
    entry.addresses.then(
      () => {
        entry.until = performance.now() + lifetime.found
      },
      () => {}
    )
    return entry.addresses
  }
}

/**
 * The addresses at which an upstream may be dialled. A name is dialled at the very address that was checked, so that a
 * name that changes its address between check and dial gains nothing; one forbidden address among several refuses all.
 */
export class UpstreamAddresses extends Effect.Service<UpstreamAddresses>()("UpstreamAddresses", {
  effect: Effect.gen(function* () {
    const { allowPrivateUpstreams } = yield* Config
    const lookup = cached(yield* Resolver, yield* LookupPatience)
    const isAllowed = allowPrivateUpstreams ? () => true : isPublicAddress

    /**
     * The addresses to dial, in the resolver's order.
     *
     * @returns a promise that rejects with an `UpstreamFault`
     */
    const of = async (hostname: string): Promise<ReadonlyArray<string>> => {
      const addresses = isIP(hostname) === 0 ? await lookup(hostname) : [hostname]
      if (addresses.length === 0) throw new UpstreamFault("dns_error")
      if (!addresses.every(isAllowed)) throw new UpstreamFault("destination_ip_prohibited")
      return addresses
    }

    /**
     * Whether a URL may be registered as an upstream's base: http or https, without credentials, query or fragment, at
     * an allowed port, and none of its addresses forbidden.
     */
    const check = (url: URL): Effect.Effect<void, UpstreamForbidden | UpstreamUnresolvable> =>
      Effect.suspend((): Effect.Effect<void, UpstreamForbidden | UpstreamUnresolvable> => {
        if (url.protocol !== "http:" && url.protocol !== "https:") {
          return new UpstreamForbidden({ rule: "scheme" })
        }
        if (url.username !== "" || url.password !== "") return new UpstreamForbidden({ rule: "credentials" })
        if (url.search !== "" || url.hash !== "") return new UpstreamForbidden({ rule: "query" })
        if (!isAllowedPort(portOf(url))) return new UpstreamForbidden({ rule: "port" })
        const hostname = hostOf(url)
        return Effect.tryPromise({
          try: () => of(hostname),
          catch: (fault) =>
            fault instanceof UpstreamFault && fault.type === "destination_ip_prohibited"
              ? new UpstreamForbidden({ rule: "address" })
              : new UpstreamUnresolvable({ hostname })
        }).pipe(Effect.asVoid)
      })

    return { of, check }
  })
}) {}
