/**
 * Addresses of names as the system has them: /etc/hosts first, then the name servers of /etc/resolv.conf. Not by `getaddrinfo`: each of
 * its look-ups holds a thread of the pool that also hashes passwords, for as long as the name server is silent, and none can be ended.
 */

import * as dns from "node:dns/promises"
import { readFileSync, statSync } from "node:fs"

/** A name's addresses; rejects when it is not known which it has. It has to end, with what it has, when `signal` is aborted. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<ReadonlyArray<string>>

/** Where names are looked up. */
export interface NameSources {
  readonly hostsFile: string
  readonly resolverFile: string
  /** Name servers to ask instead of the system's, `address:port` each. */
  readonly servers?: ReadonlyArray<string>
  /** Milliseconds for the first question to a name server; the second has twice as many. */
  readonly firstTry?: number
  /** Milliseconds for which addresses of one family wait for those of the other. */
  readonly grace?: number
}

/** Servers that answer both answer them together; some never answer one of them. */
const usualGrace = 250

/** With the second try it is less than a look-up may take. */
const usualFirstTry = 1_500

const tries = 2

/** Addresses that hosts(5) gives to names. */
type Hosts = ReadonlyMap<string, ReadonlyArray<string>>

/** What of resolv.conf(5) says under which full names a name is looked for; servers and the like are the library's matter. */
interface Search {
  readonly domains: ReadonlyArray<string>
  /** Dots from which on a name is first taken for a full one. */
  readonly dots: number
}

const linesOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text.split("\n").map((line) =>
    line
      .replace(/[#;].*/, "")
      .trim()
      .split(/\s+/)
  )

const parseHosts = (text: string): Hosts => {
  const hosts = new Map<string, Array<string>>()
  for (const [address = "", ...names] of linesOf(text)) {
    for (const name of names.map((written) => written.toLowerCase())) {
      const known = hosts.get(name)
      if (known === undefined) hosts.set(name, [address])
      else if (!known.includes(address)) known.push(address)
    }
  }
  return hosts
}

const parseSearch = (text: string): Search => {
  let domains: ReadonlyArray<string> = []
  let dots = 1
  for (const [keyword, ...values] of linesOf(text)) {
    // Of several the last counts.
    if (keyword === "search" || keyword === "domain") domains = values.filter((domain) => domain !== ".")
    if (keyword !== "options") continue
    for (const value of values) if (/^ndots:\d+$/.test(value)) dots = Number(value.slice("ndots:".length))
  }
  return { domains, dots }
}

/** What a file says, read again when it has changed; of one that is not there, what an empty one says. */
const reading = <A>(path: string, parse: (text: string) => A): (() => A) => {
  let seen: number | undefined
  let said = parse("")
  return () => {
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (changed !== seen) {
      seen = changed
      said = parse(changed === undefined ? "" : readFileSync(path, "utf8"))
    }
    return said
  }
}

/** The full names under which a name is looked for, in this order. */
const fullNames = (name: string, { domains, dots }: Search): ReadonlyArray<string> => {
  if (name.endsWith(".")) return [name.slice(0, -1)]
  const searched = domains.map((domain) => `${name}.${domain.replace(/\.$/, "")}`)
  return name.split(".").length > dots ? [name, ...searched] : [...searched, name]
}

const loopback = ["127.0.0.1", "::1"]

/** Names of this machine, of which no name server is asked (RFC 6761, section 6.3). */
const isLocal = (name: string): boolean => name === "localhost" || name.endsWith(".localhost")

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOTFOUND" || error.code === "ENODATA")

/**
 * The addresses of both families, IPv4 first. Once there are some of one family, the other has only the grace left; and when `signal`
 * is aborted, none at all.
 */
const addressesOf = async (
  resolver: dns.Resolver,
  name: string,
  grace: number,
  signal: AbortSignal
): Promise<ReadonlyArray<string>> => {
  const found: Array<ReadonlyArray<string>> = [[], []]
  let failure: unknown
  let timer: Timer | undefined
  const enough = Promise.withResolvers<void>()
  const end = () => enough.resolve()
  const answers = [resolver.resolve4(name), resolver.resolve6(name)].map((answer, family) =>
    answer.then(
      (addresses) => {
        found[family] = addresses
        timer ??= setTimeout(end, grace)
      },
      (error) => {
        if (!isAbsent(error)) failure = error
      }
    )
  )
  signal.addEventListener("abort", end)
  await Promise.race([Promise.all(answers), enough.promise])
  signal.removeEventListener("abort", end)
  clearTimeout(timer)
  resolver.cancel()
  const addresses = found.flat()
  if (addresses.length > 0) return addresses
  signal.throwIfAborted()
  if (failure !== undefined) throw failure
  return []
}

/** Looks names up in these places. A look-up holds no thread, and ends when it is told to. */
export const lookingUp = ({
  firstTry = usualFirstTry,
  grace = usualGrace,
  hostsFile,
  resolverFile,
  servers
}: NameSources): Lookup => {
  const hosts = reading(hostsFile, parseHosts)
  const search = reading(resolverFile, parseSearch)
  return async (hostname, signal) => {
    const plain = hostname.replace(/\.$/, "")
    const given = hosts().get(plain)
    if (given !== undefined) return given
    if (isLocal(plain)) return loopback
    // Of its own, for each reads anew which servers the system asks.
    const resolver = new dns.Resolver({ timeout: firstTry, tries })
    if (servers !== undefined) resolver.setServers(servers)
    let failure: unknown
    for (const name of fullNames(hostname, search())) {
      signal.throwIfAborted()
      try {
        const found = await addressesOf(resolver, name, grace, signal)
        if (found.length > 0) return found
      } catch (error) {
        // As the system's own look-up does: the next name may be found all the same.
        failure = error
      }
    }
    if (failure !== undefined) throw failure
    return []
  }
}

/** As this machine has them. */
export const systemLookup: Lookup = lookingUp({
  hostsFile: "/etc/hosts",
  resolverFile: "/etc/resolv.conf"
})
