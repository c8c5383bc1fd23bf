/**
 * Every setting, read once at start from the environment. An empty variable counts as unset. A bad or
 * missing value stops the start with one sentence that names it (contract.md#configuration).
 */
import type { BlockList } from "node:net"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as LogLevel from "effect/LogLevel"
import * as LogLevels from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import { isEmail, normalEmail } from "./shared/email.ts"
import { parseRanges } from "./shared/ip-address.ts"

/** The sentence that names the variable and what is wrong with it. */
export class InvalidConfiguration extends Data.TaggedError("InvalidConfiguration")<{
  readonly message: string
}> {}

export type CaptchaSource =
  | { readonly _tag: "BuiltIn" }
  | { readonly _tag: "SharedSecret"; readonly secret: Redacted.Redacted<string> }
  | { readonly _tag: "KeySet"; readonly url: URL }

/** An S3-compatible bucket and the credentials for it. */
export interface S3Settings {
  readonly bucket: string
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
}

export interface Configuration {
  /** `PORT`, default 3000; 0 lets the system choose. */
  readonly port: number
  /** `HOST`, default `localhost` (both loopback addresses) on the embedded database, else 0.0.0.0. */
  readonly host: string
  /** Whether the service is for this machine alone: on the embedded database, unless `HOST` is set. Other hosts' names are then refused. */
  readonly isForThisMachine: boolean
  /** `BASE_URL`, default `http://localhost:<PORT>`; the address of the API, without a slash at its end. */
  readonly baseUrl: string
  /** `APP_URL`, default `BASE_URL`; the address of the pages. */
  readonly appUrl: string
  /** `GATEWAY_PUBLIC_BASE_URL`, default `BASE_URL` and `/gateway`; the address of the gateway, as its callers see it. */
  readonly gatewayUrl: string
  /** `DATABASE_URL`; unset: an embedded Postgres with its data in `dataDir`. */
  readonly databaseUrl: Redacted.Redacted<string> | undefined
  /** `DATABASE_POOL`, connections of this process at most, default 10. */
  readonly databasePool: number
  /** `WORKERS`, processes that serve on one port, default 1; more than one need `REDIS_URL`, to count together. */
  readonly workers: number
  /** `DATA_DIR`, default `.data`. */
  readonly dataDir: string
  /** `S3_BUCKET` and the other `S3_` variables: where uploaded files go; unset: `dataDir`. */
  readonly s3: S3Settings | undefined
  /** `SECRET_KEY`, 32 bytes or more; on the embedded database made once and kept in `dataDir`. */
  readonly secretKey: Redacted.Redacted<string> | undefined
  /** `SECRET_KEY_PREVIOUS`, 32 bytes or more: what it keyed is still good, and nothing new is keyed with it. */
  readonly secretKeyPrevious: Redacted.Redacted<string> | undefined
  /** `SIGNUP`, open or closed; default open on the embedded database, closed otherwise. */
  readonly signupOpen: boolean
  /** `KYC_DEV_MODE`, allow or refuse; default allow on the embedded database, refuse otherwise. */
  readonly devModeAllowed: boolean
  /** `SEED_DEMO`, default true: the first start on an empty database makes a company, an admin, an instance. */
  readonly seedDemo: boolean
  /** `ADMIN_EMAIL`, default admin@example.com. */
  readonly adminEmail: string
  /** `ADMIN_PASSWORD`, 12 to 1024 characters; unset: generated and printed once. */
  readonly adminPassword: Redacted.Redacted<string> | undefined
  /** `CAPTCHA_JWT_SECRET` or `CAPTCHA_JWKS_URL`; neither: the built-in captcha. */
  readonly captcha: CaptchaSource
  /** `TRUSTED_PROXIES`, addresses and CIDR ranges whose `X-Forwarded-For` is believed; default none. */
  readonly trustedProxies: BlockList
  /** `REDIS_URL`; unset: the limits of plans are counted in the process, else by all processes together. */
  readonly redisUrl: Redacted.Redacted<string> | undefined
  /** `GATEWAY_ALLOW_PRIVATE_UPSTREAMS`, default true on the embedded database only. */
  readonly allowPrivateUpstreams: boolean
  /** How many of each a company may have: more than any honest one has. */
  readonly quotas: {
    /** `QUOTA_API_KEYS`, active platform keys, default 1000; with those that stopped working in the last 90 days, five times as many. */
    readonly apiKeys: number
    /** `QUOTA_INSTANCES`, KYC instances, default 200. */
    readonly instances: number
    /** `QUOTA_APIS`, APIs that it publishes, drafts included, default 100. */
    readonly apis: number
    /** `QUOTA_MEMBERS`, users and invitations together, default 1000. */
    readonly members: number
  }
  /** Slugs of publishers. */
  readonly publisherSlugs: {
    /** `PUBLISHER_SLUGS_RESERVED`: refused, and what looks like them, besides those built in; default none. */
    readonly reserved: ReadonlyArray<string>
    /** `PUBLISHER_SLUGS_ALLOWED`: taken although they would be refused; default none. */
    readonly allowed: ReadonlyArray<string>
  }
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`; unset: no spans are made at all. */
  readonly otlpEndpoint: URL | undefined
  /** `METRICS_TOKEN`, 16 bytes or more, with which `/metrics` is read; unset: who connects directly from a private address. */
  readonly metricsToken: Redacted.Redacted<string> | undefined
  /** `SECURITY_CONTACT`, an email address or a URI: whom `/.well-known/security.txt` names, as a URI; unset: there is no such file. */
  readonly securityContact: string | undefined
  /** `LOG_LEVEL`, default info. */
  readonly logLevel: LogLevel.LogLevel
  /** `LOG_FORMAT`, pretty or json; default pretty on a terminal. */
  readonly logFormat: "pretty" | "json"
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Thrown while reading, so that each setting below can be one expression; never leaves this module. */
const invalid = (message: string): never => {
  throw new InvalidConfiguration({ message })
}

const parse = (env: Environment): Configuration => {
  const text = (name: string) => (env[name] === undefined || env[name] === "" ? undefined : env[name])

  /** What stands between the commas of a value. */
  const list = (name: string): ReadonlyArray<string> =>
    (text(name) ?? "").split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]))

  const slugs = (name: string): ReadonlyArray<string> => {
    const values = list(name)
    return values.every((slug) => /^[a-z0-9-]{1,63}$/.test(slug))
      ? values
      : invalid(`${name} must be a comma-separated list of slugs`)
  }

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

  const url = (name: string, schemes: ReadonlyArray<string>): URL | undefined => {
    const value = text(name)
    if (value === undefined) return undefined
    const parsed = URL.parse(value)
    return parsed !== null && schemes.includes(parsed.protocol)
      ? parsed
      : invalid(
          `${name} must be a URL that starts with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}`
        )
  }

  const origin = (name: string): string | undefined => {
    const value = url(name, ["http:", "https:"])
    if (value === undefined) return undefined
    if (value.search !== "" || value.hash !== "" || value.username !== "" || value.password !== "") {
      return invalid(`${name} must not carry credentials, a query or a fragment`)
    }
    return value.href.replace(/\/+$/, "")
  }

  const secret = (name: string, least: number) => {
    const value = text(name)
    if (value === undefined) return undefined
    return Buffer.byteLength(value) >= least
      ? Redacted.make(value)
      : invalid(`${name} must be at least ${least} bytes long`)
  }

  const captcha = (): CaptchaSource => {
    // Of any length: it is the captcha service that chose it.
    const shared = secret("CAPTCHA_JWT_SECRET", 1)
    const keySet = url("CAPTCHA_JWKS_URL", ["http:", "https:"])
    if (shared !== undefined && keySet !== undefined) {
      return invalid("CAPTCHA_JWT_SECRET and CAPTCHA_JWKS_URL must not both be set")
    }
    if (shared !== undefined) return { _tag: "SharedSecret", secret: shared }
    return keySet === undefined ? { _tag: "BuiltIn" } : { _tag: "KeySet", url: keySet }
  }

  const s3 = (): S3Settings | undefined => {
    const endpoint = origin("S3_ENDPOINT")
    const values = {
      S3_BUCKET: text("S3_BUCKET"),
      S3_ENDPOINT: endpoint,
      S3_REGION: text("S3_REGION"),
      S3_ACCESS_KEY_ID: text("S3_ACCESS_KEY_ID"),
      S3_SECRET_ACCESS_KEY: text("S3_SECRET_ACCESS_KEY")
    }
    const names = Object.entries(values)
    const need = (name: keyof typeof values): string => {
      const others = names.flatMap(([other, value]) => (value === undefined ? [] : [other]))
      return values[name] ?? invalid(`${name} must be set when ${others[0]} is set`)
    }
    if (names.every(([, value]) => value === undefined)) return undefined
    return {
      bucket: need("S3_BUCKET"),
      endpoint: need("S3_ENDPOINT"),
      region: need("S3_REGION"),
      accessKeyId: need("S3_ACCESS_KEY_ID"),
      secretAccessKey: Redacted.make(need("S3_SECRET_ACCESS_KEY"))
    }
  }

  const metricsToken = (): Redacted.Redacted<string> | undefined => {
    const value = secret("METRICS_TOKEN", 16)
    // As it has to stand in a header.
    return value === undefined || /^[!-~]+$/.test(Redacted.value(value))
      ? value
      : invalid("METRICS_TOKEN must consist of visible ASCII characters")
  }

  /** As RFC 9116 has it: a URI, and https where it is one of the web. */
  const securityContact = (): string | undefined => {
    const value = text("SECURITY_CONTACT")
    if (value === undefined) return undefined
    const uri = URL.parse(value) ?? (isEmail(value) ? URL.parse(`mailto:${value}`) : null)
    return uri !== null && ["https:", "mailto:", "tel:"].includes(uri.protocol)
      ? uri.href
      : invalid("SECURITY_CONTACT must be an email address or a URI that starts with https:, mailto: or tel:")
  }

  const adminPassword = (): Redacted.Redacted<string> | undefined => {
    const value = text("ADMIN_PASSWORD")
    if (value === undefined) return undefined
    return value.length >= 12 && value.length <= 1024
      ? Redacted.make(value)
      : invalid("ADMIN_PASSWORD must be 12 to 1024 characters long")
  }

  const adminEmail = (): string => {
    const value = text("ADMIN_EMAIL") ?? "admin@example.com"
    return isEmail(normalEmail(value)) ? value : invalid("ADMIN_EMAIL must be an email address")
  }

  const logLevels = {
    trace: LogLevels.Trace,
    debug: LogLevels.Debug,
    info: LogLevels.Info,
    warn: LogLevels.Warning,
    warning: LogLevels.Warning,
    error: LogLevels.Error,
    none: LogLevels.None
  } as const

  const databaseUrl = url("DATABASE_URL", ["postgres:", "postgresql:"])
  const embedded = databaseUrl === undefined
  const redisUrl = url("REDIS_URL", ["redis:", "rediss:"])
  const secretKey = secret("SECRET_KEY", 32)
  if (!embedded && secretKey === undefined) invalid("SECRET_KEY must be set when DATABASE_URL is set")
  const workers = wholeNumber("WORKERS", 1, 1, 64)
  if (workers > 1 && redisUrl === undefined) invalid("REDIS_URL must be set when WORKERS is greater than 1")
  const port = wholeNumber("PORT", 3000, 0, 65_535)
  const baseUrl = origin("BASE_URL") ?? `http://localhost:${port}`

  return {
    port,
    // The first start lets anybody sign up and reach private upstreams: for this machine only, unless told otherwise.
    host: text("HOST") ?? (embedded ? "localhost" : "0.0.0.0"),
    isForThisMachine: embedded && text("HOST") === undefined,
    baseUrl,
    appUrl: origin("APP_URL") ?? baseUrl,
    gatewayUrl: origin("GATEWAY_PUBLIC_BASE_URL") ?? `${baseUrl}/gateway`,
    databaseUrl: databaseUrl === undefined ? undefined : Redacted.make(text("DATABASE_URL") ?? ""),
    databasePool: wholeNumber("DATABASE_POOL", 10, 1, 1000),
    workers,
    dataDir: text("DATA_DIR") ?? ".data",
    s3: s3(),
    secretKey,
    secretKeyPrevious: secret("SECRET_KEY_PREVIOUS", 32),
    signupOpen: (oneOf("SIGNUP", ["open", "closed"]) ?? (embedded ? "open" : "closed")) === "open",
    devModeAllowed:
      (oneOf("KYC_DEV_MODE", ["allow", "refuse"]) ?? (embedded ? "allow" : "refuse")) === "allow",
    seedDemo: flag("SEED_DEMO", true),
    adminEmail: adminEmail(),
    adminPassword: adminPassword(),
    captcha: captcha(),
    trustedProxies:
      parseRanges(list("TRUSTED_PROXIES")) ??
      invalid("TRUSTED_PROXIES must be a comma-separated list of addresses and CIDR ranges"),
    redisUrl: redisUrl === undefined ? undefined : Redacted.make(redisUrl.href),
    allowPrivateUpstreams: flag("GATEWAY_ALLOW_PRIVATE_UPSTREAMS", embedded),
    quotas: {
      apiKeys: wholeNumber("QUOTA_API_KEYS", 1000, 1, 1_000_000),
      instances: wholeNumber("QUOTA_INSTANCES", 200, 1, 1_000_000),
      apis: wholeNumber("QUOTA_APIS", 100, 1, 1_000_000),
      members: wholeNumber("QUOTA_MEMBERS", 1000, 1, 1_000_000)
    },
    publisherSlugs: {
      reserved: slugs("PUBLISHER_SLUGS_RESERVED"),
      allowed: slugs("PUBLISHER_SLUGS_ALLOWED")
    },
    metricsToken: metricsToken(),
    securityContact: securityContact(),
    otlpEndpoint: url("OTEL_EXPORTER_OTLP_ENDPOINT", ["http:", "https:"]),
    logLevel:
      logLevels[oneOf("LOG_LEVEL", ["trace", "debug", "info", "warn", "warning", "error", "none"]) ?? "info"],
    logFormat: oneOf("LOG_FORMAT", ["pretty", "json"]) ?? (process.stdout.isTTY ? "pretty" : "json")
  }
}

/** The configuration that `env` describes; fails with the sentence for the first value that is wrong. */
export const readConfiguration = (env: Environment): Effect.Effect<Configuration, InvalidConfiguration> =>
  Effect.try({
    try: () => parse(env),
    catch: (error) =>
      error instanceof InvalidConfiguration ? error : new InvalidConfiguration({ message: String(error) })
  })

export class Config extends Context.Tag("Config")<Config, Configuration>() {
  static readonly layer = (env: Environment): Layer.Layer<Config, InvalidConfiguration> =>
    Layer.effect(Config, readConfiguration(env))
}
