/** URLs of Postgres that may name several hosts, as libpq reads them: `postgres://user@a:5432,b:5432/db?target_session_attrs=primary`. */
import { Data } from "effect"

/** `any` server, one that takes writes (`read-write`), one that is no standby, although it may refuse writes (`primary`), or a `standby`. */
type Accepted = "any" | "read-write" | "primary" | "standby"

/** What a URL is for. */
type Purpose = "all" | "reads"

/** The servers that a URL names. */
export interface Servers {
  /** The URL of each host, in the order of the original. */
  readonly urls: ReadonlyArray<string>
  readonly accepted: Accepted
}

/** What follows the name of the setting in a sentence. */
class InvalidDatabaseUrl extends Data.TaggedError("InvalidDatabaseUrl")<{
  readonly message: string
}> {}

const refuse = (message: string): never => {
  throw new InvalidDatabaseUrl({ message })
}

const parameter = "target_session_attrs"

const acceptable: Readonly<Record<Purpose, ReadonlyArray<Accepted>>> = {
  all: ["any", "read-write", "primary"],
  reads: ["any", "standby"]
}

interface Parts {
  /** Scheme, user and password. */
  readonly before: string
  readonly hosts: ReadonlyArray<string>
  readonly path: string
  readonly parameters: ReadonlyArray<string>
}

const partsOf = (url: string): Parts | undefined => {
  const found = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?$/.exec(url)
  if (found === null) return undefined
  const [, before = "", hosts = "", path = "", query = ""] = found
  return {
    before,
    hosts: hosts.split(","),
    path,
    parameters: query.split("&").filter((given) => given !== "")
  }
}

const nameOf = (given: string) => given.split("=", 1)[0]

/** Several hosts are one server and its standbys, and doorlock writes, so `any` is not their default. */
const acceptedBy = ({ hosts, parameters }: Parts, purpose: Purpose): Accepted => {
  const given = parameters.findLast((each) => nameOf(each) === parameter)
  if (given === undefined) {
    if (purpose === "reads") return "standby"
    return hosts.length > 1 ? "primary" : "any"
  }
  const known = acceptable[purpose]
  return (
    known.find((one) => one === given.slice(parameter.length + 1)) ??
    refuse(`${parameter} must be one of ${known.join(", ")}`)
  )
}

/** Throws `InvalidDatabaseUrl`. A string that is no URL is left to the driver, as the address of one server. */
export const serversOf = (url: string, purpose: Purpose = "all"): Servers => {
  const parts = partsOf(url)
  if (parts === undefined) return { urls: [url], accepted: "any" }
  const { before, hosts, parameters, path } = parts
  const accepted = acceptedBy(parts, purpose)
  const isSeveral = hosts.length > 1
  if (isSeveral && hosts.some((host) => host === "" || host.startsWith(":"))) {
    refuse("each of several hosts must have a name")
  }
  if (parameters.some((given) => /^(?:host|port)=.*(?:,|%2c)/i.test(given))) {
    refuse("several hosts must be before the path, as in postgres://a:5432,b:5432/db")
  }
  const others = parameters.filter((given) => nameOf(given) !== parameter)
  const query = others.length === 0 ? "" : `?${others.join("&")}`
  return { urls: hosts.map((host) => `${before}${host}${path}${query}`), accepted }
}

/** The URL without its password and query string; undefined if it is not a standard one. */
export const withoutSecrets = (url: string): string | undefined => {
  const parts = partsOf(url)
  const parsed = parts && URL.parse(`${parts.before}${parts.hosts[0]}${parts.path}`)
  if (!parts || !parsed) return undefined
  const user = parsed.username === "" ? "" : `${parsed.username}@`
  return `${parsed.protocol}//${user}${parts.hosts.join(",")}${parsed.pathname}`
}
