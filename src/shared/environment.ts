/** Readers of variables. An empty one counts as unset; an invalid one throws `InvalidConfiguration`. */
import { Data, Redacted } from "effect"
import { type Servers, serversOf } from "./database-url.ts"
import { messageOf } from "./error.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/** The sentence names the variable. */
export class InvalidConfiguration extends Data.TaggedError("InvalidConfiguration")<{
  readonly message: string
}> {}

export const invalid = (message: string): never => {
  throw new InvalidConfiguration({ message })
}

export const variablesOf = (env: Environment) => {
  const text = (name: string) => (env[name] === undefined || env[name] === "" ? undefined : env[name])

  const list = (name: string): ReadonlyArray<string> =>
    (text(name) ?? "").split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]))

  const wholeNumber = (name: string, fallback: number, least: number, most: number) => {
    const value = text(name)
    if (value === undefined) return fallback
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    return number >= least && number <= most
      ? number
      : invalid(`${name} must be a whole number from ${least} to ${most}`)
  }

  const oneOf = <const T extends string>(name: string, values: ReadonlyArray<T>): T | undefined => {
    const value = text(name)
    if (value === undefined) return undefined
    return values.find((known) => known === value) ?? invalid(`${name} must be one of ${values.join(", ")}`)
  }

  const flag = (name: string, fallback: boolean): boolean =>
    (oneOf(name, ["true", "false"]) ?? String(fallback)) === "true"

  const parsedUrl = (name: string, value: string, schemes: ReadonlyArray<string>): URL => {
    const parsed = URL.parse(value)
    return parsed !== null && schemes.includes(parsed.protocol)
      ? parsed
      : invalid(
          `${name} must be a URL that starts with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}`
        )
  }

  const url = (name: string, schemes: ReadonlyArray<string>): URL | undefined => {
    const value = text(name)
    return value === undefined ? undefined : parsedUrl(name, value, schemes)
  }

  /** A URL that may name several hosts, as in `redis://user:password@a:1,b:2/0`: one URL for each. */
  const urls = (name: string, schemes: ReadonlyArray<string>): ReadonlyArray<URL> | undefined => {
    const value = text(name)
    if (value === undefined) return undefined
    const [, before = "", hosts = "", after = ""] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/.exec(
      value
    ) ?? [value, value]
    return hosts.split(",").map((host) => {
      const parsed = parsedUrl(name, `${before}${host.trim()}${after}`, schemes)
      return parsed.hostname === "" ? invalid(`${name} must name a host`) : parsed
    })
  }

  /** A URL of Postgres that may name several hosts: returned as it is. */
  const databaseUrl = (name: string, purpose?: "reads"): Redacted.Redacted<string> | undefined => {
    const value = text(name)
    if (value === undefined) return undefined
    const servers = (): Servers => {
      try {
        return serversOf(value, purpose)
      } catch (error) {
        return invalid(`${name}: ${messageOf(error)}`)
      }
    }
    for (const server of servers().urls) parsedUrl(name, server, ["postgres:", "postgresql:"])
    return Redacted.make(value)
  }

  /** A web address without a trailing slash. */
  const address = (name: string): string | undefined => {
    const value = url(name, ["http:", "https:"])
    if (value === undefined) return undefined
    if (value.search !== "" || value.hash !== "" || value.username !== "" || value.password !== "") {
      return invalid(`${name} must not carry credentials, a query or a fragment`)
    }
    return value.href.replace(/\/+$/, "")
  }

  /** @param least bytes */
  const secret = (name: string, least: number) => {
    const value = text(name)
    if (value === undefined) return undefined
    return Buffer.byteLength(value) >= least
      ? Redacted.make(value)
      : invalid(`${name} must be at least ${least} bytes long`)
  }

  return { text, list, wholeNumber, oneOf, flag, url, urls, databaseUrl, address, secret }
}
