/**
 * Resolves names as the system does: /etc/hosts, then the name servers in /etc/resolv.conf. `getaddrinfo`
 * cannot be cancelled, and occupies a thread of the pool that also hashes passwords.
 */

import * as dns from "node:dns/promises"
import { readFileSync, statSync } from "node:fs"
import type { Timer, Timing } from "../shared/timing.ts"

/** Rejects if the addresses are unknown. When `signal` aborts, ends with those found so far. */
export type Lookup = (hostname: string, signal: AbortSignal) => Promise<ReadonlyArray<string>>

export interface NameSources {
  readonly hostsFile: string
  readonly resolverFile: string
  /** Name servers instead of the system's, as `address:port`. */
  readonly servers?: ReadonlyArray<string>
}

const tries = 2

type Hosts = ReadonlyMap<string, ReadonlyArray<string>>

/** The options of resolv.conf(5) that decide which full names to try; the library handles the others. */
interface Search {
  readonly domains: ReadonlyArray<string>
  /** A name with at least this many dots is tried as a full name first. */
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
    // The last one counts.
    if (keyword === "search" || keyword === "domain") domains = values.filter((domain) => domain !== ".")
    if (keyword !== "options") continue
    for (const value of values) if (/^ndots:\d+$/.test(value)) dots = Number(value.slice("ndots:".length))
  }
  return { domains, dots }
}

/** A reader that reloads the file when it changes. A missing file counts as empty. */
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

/** The full names to try for a name, in order. */
const fullNames = (name: string, { domains, dots }: Search): ReadonlyArray<string> => {
  if (name.endsWith(".")) return [name.slice(0, -1)]
  const searched = domains.map((domain) => `${name}.${domain.replace(/\.$/, "")}`)
  return name.split(".").length > dots ? [name, ...searched] : [...searched, name]
}

const loopback = ["127.0.0.1", "::1"]

/** Such names never go to a name server (RFC 6761, section 6.3). */
const isLocal = (name: string): boolean => name === "localhost" || name.endsWith(".localhost")

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOTFOUND" || error.code === "ENODATA")

/** IPv4 first. Ends some time after the first family has answered, or on abort. */
const addressesOf = async (
  resolver: dns.Resolver,
  name: string,
  timing: Timing["Type"],
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
        timer ??= timing.after("gateway.other_family", end)
      },
      (error) => {
        if (!isAbsent(error)) failure = error
      }
    )
  )
  signal.addEventListener("abort", end)
  await Promise.race([Promise.all(answers), enough.promise])
  signal.removeEventListener("abort", end)
  timer?.cancel()
  resolver.cancel()
  const addresses = found.flat()
  if (addresses.length > 0) return addresses
  signal.throwIfAborted()
  if (failure !== undefined) throw failure
  return []
}

/** Creates a lookup that holds no thread and can be cancelled. */
export const lookingUp = (
  { hostsFile, resolverFile, servers }: NameSources,
  timing: Timing["Type"]
): Lookup => {
  const firstTry = timing.timeout("gateway.name_query")
  const hosts = reading(hostsFile, parseHosts)
  const search = reading(resolverFile, parseSearch)
  return async (hostname, signal) => {
    const plain = hostname.replace(/\.$/, "")
    const given = hosts().get(plain)
    if (given !== undefined) return given
    if (isLocal(plain)) return loopback
    // A new resolver, because each one reads the system's list of name servers again.
    const resolver = new dns.Resolver({ timeout: firstTry, tries })
    if (servers !== undefined) resolver.setServers(servers)
    let failure: unknown
    for (const name of fullNames(hostname, search())) {
      signal.throwIfAborted()
      try {
        const found = await addressesOf(resolver, name, timing, signal)
        if (found.length > 0) return found
      } catch (error) {
        // The system's own lookup also continues with the next name.
        failure = error
      }
    }
    if (failure !== undefined) throw failure
    return []
  }
}

export const systemLookup = (timing: Timing["Type"]): Lookup =>
  lookingUp({ hostsFile: "/etc/hosts", resolverFile: "/etc/resolv.conf" }, timing)
