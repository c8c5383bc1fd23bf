/** All settings (contract.md#configuration). An empty variable is unset; a bad one stops the start. */
import { resolve } from "node:path"
import { Context, Effect, Layer, LogLevel, Redacted } from "effect"
import { isEmail, normalEmail } from "./shared/email.ts"
import { type Environment, InvalidConfiguration, invalid, variablesOf } from "./shared/environment.ts"
import { isLoopback, parseRanges } from "./shared/ip-address.ts"
import { availableMemory } from "./shared/memory.ts"
import type { S3Settings } from "./shared/s3.ts"

export type { Environment } from "./shared/environment.ts"

const roles = ["all", "api", "gateway", "work"] as const
/** Which part of the service a process is. */
export type Role = (typeof roles)[number]

/** A period of usage may be a year long (contract.md), and its bills are often paid later. */
const leastUsageMonths = 12

const usageSinks = ["postgres", "clickhouse"] as const

export type CaptchaSource =
  | { readonly _tag: "BuiltIn" }
  | { readonly _tag: "SharedSecret"; readonly secret: Redacted.Redacted<string> }
  | { readonly _tag: "KeySet"; readonly url: URL }

/** A gateway spends a sixteenth of its memory on keys, which take about a kilobyte each. */
const keysOf = (workers: number): number =>
  Math.min(1_000_000, Math.max(20_000, Math.floor(availableMemory() / 16 / 1_024 / workers)))

const parse = (env: Environment) => {
  const variables = variablesOf(env)
  const { address, flag, list, oneOf, secret, text, url, urls, wholeNumber } = variables

  const slugs = (name: string): ReadonlyArray<string> => {
    const values = list(name)
    return values.every((slug) => /^[a-z0-9-]{1,63}$/.test(slug))
      ? values
      : invalid(`${name} must be a comma-separated list of slugs`)
  }

  const captcha = (): CaptchaSource => {
    // The captcha service chose the secret, at any length.
    const shared = secret("CAPTCHA_JWT_SECRET", 1)
    const keySet = url("CAPTCHA_JWKS_URL", ["http:", "https:"])
    if (shared !== undefined && keySet !== undefined) {
      return invalid("CAPTCHA_JWT_SECRET and CAPTCHA_JWKS_URL must not both be set")
    }
    if (shared !== undefined) return { _tag: "SharedSecret", secret: shared }
    return keySet === undefined ? { _tag: "BuiltIn" } : { _tag: "KeySet", url: keySet }
  }

  const s3 = (): S3Settings | undefined => {
    const endpoint = address("S3_ENDPOINT")
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
    // The token is sent in a header.
    return value === undefined || /^[!-~]+$/.test(Redacted.value(value))
      ? value
      : invalid("METRICS_TOKEN must consist of visible ASCII characters")
  }

  /** RFC 9116 requires a URI, and https for web addresses. */
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
    trace: LogLevel.Trace,
    debug: LogLevel.Debug,
    info: LogLevel.Info,
    warn: LogLevel.Warning,
    warning: LogLevel.Warning,
    error: LogLevel.Error,
    none: LogLevel.None
  } as const

  const days = (name: string): number | undefined =>
    text(name) === undefined ? undefined : wholeNumber(name, 0, 0, 36_500)

  const months = (name: string): number | undefined =>
    text(name) === undefined ? undefined : wholeNumber(name, 1, 1, 1_200)

  /** The scores of two networks mean different things, so each has its own threshold. */
  const faceModel = () => {
    const [path, least] = [text("CHECKS_FACE_MODEL"), text("CHECKS_FACE_THRESHOLD")]
    if (path === undefined && least === undefined) return undefined
    if (path === undefined) return invalid("CHECKS_FACE_MODEL must be set when CHECKS_FACE_THRESHOLD is set")
    const threshold = least === undefined || !/^-?\d(?:\.\d+)?$/.test(least) ? Number.NaN : Number(least)
    return Math.abs(threshold) <= 1
      ? { path: resolve(path), threshold }
      : invalid("CHECKS_FACE_THRESHOLD must be a number from -1 to 1 when CHECKS_FACE_MODEL is set")
  }

  const role = oneOf("ROLE", roles) ?? "all"
  const databaseUrl = variables.databaseUrl("DATABASE_URL")
  const embedded = databaseUrl === undefined
  const databaseListenUrl = variables.databaseUrl("DATABASE_LISTEN_URL")
  const databaseReadUrl = variables.databaseUrl("DATABASE_READ_URL", "reads")
  for (const [name, value] of Object.entries({
    DATABASE_LISTEN_URL: databaseListenUrl,
    DATABASE_READ_URL: databaseReadUrl
  })) {
    if (embedded && value !== undefined) invalid(`DATABASE_URL must be set when ${name} is set`)
  }
  if (embedded && role !== "all") invalid(`DATABASE_URL must be set when ROLE is ${role}`)
  const redisUrls = urls("REDIS_URL", ["redis:", "rediss:"])
  const usageSink = oneOf("USAGE_SINK", usageSinks) ?? "postgres"
  const clickhouseUrl = url("CLICKHOUSE_URL", ["http:", "https:"])
  if (usageSink === "clickhouse" && clickhouseUrl === undefined) {
    invalid("CLICKHOUSE_URL must be set when USAGE_SINK is clickhouse")
  }
  const secretKey = secret("SECRET_KEY", 32)
  if (!embedded && secretKey === undefined && role !== "gateway") {
    invalid("SECRET_KEY must be set when DATABASE_URL is set")
  }
  const workers = wholeNumber("WORKERS", 1, 1, 64)
  if (workers > 1 && redisUrls === undefined) invalid("REDIS_URL must be set when WORKERS is greater than 1")
  const port = wholeNumber("PORT", 3000, 0, 65_535)
  const host = text("HOST") ?? (embedded ? "localhost" : "0.0.0.0")
  const isForThisMachine = embedded && (host === "localhost" || isLoopback(host))
  const baseUrl = address("BASE_URL") ?? `http://localhost:${port}`

  return {
    role,
    /** 0: any free port. */
    port,
    /** `localhost` is both loopback addresses. */
    host,
    /** Whether only this machine uses the service; other host names are then refused. */
    isForThisMachine,
    /** Without a trailing slash, like the next two. */
    baseUrl,
    appUrl: address("APP_URL") ?? baseUrl,
    gatewayUrl: address("GATEWAY_PUBLIC_BASE_URL") ?? `${baseUrl}/gateway`,
    /** Unset: an embedded Postgres in `dataDir`. */
    databaseUrl,
    /** A connection of its own to the same database, where `databaseUrl` goes through a pooler. */
    databaseListenUrl,
    /** Standbys that some reads may use. */
    databaseReadUrl,
    /** Unset: found out by asking. */
    databasePooling: oneOf("DATABASE_POOLER", ["none", "session", "transaction"]),
    /** Maximum connections per process. */
    databasePool: wholeNumber("DATABASE_POOL", role === "gateway" ? 4 : 10, 1, 1000),
    /** Maximum cached keys per process, of each family. */
    keyCacheKeys: wholeNumber(
      "KEY_CACHE_KEYS",
      role === "gateway" ? keysOf(workers) : 20_000,
      100,
      10_000_000
    ),
    /** Processes that share the port. More than one need Redis for shared counters. */
    workers,
    dataDir: text("DATA_DIR") ?? ".data",
    /** For uploaded files; unset: in `dataDir`. */
    s3: s3(),
    /** May be unset with the embedded database, where it is generated once and stored in `dataDir`, and for a gateway, which uses none. */
    secretKey,
    /** Opens and verifies existing data only. */
    secretKeyPrevious: secret("SECRET_KEY_PREVIOUS", 32),
    signupOpen: (oneOf("SIGNUP", ["open", "closed"]) ?? (isForThisMachine ? "open" : "closed")) === "open",
    devModeAllowed:
      (oneOf("KYC_DEV_MODE", ["allow", "refuse"]) ?? (isForThisMachine ? "allow" : "refuse")) === "allow",
    /** Whether the first start on an empty database creates a company, an admin, an instance and an API. */
    seedDemo: flag("SEED_DEMO", true),
    adminEmail: adminEmail(),
    /** Unset: generated and printed once. */
    adminPassword: adminPassword(),
    captcha: captcha(),
    /** The proxies trusted to set `X-Forwarded-For`. */
    trustedProxies:
      parseRanges(list("TRUSTED_PROXIES")) ??
      invalid("TRUSTED_PROXIES must be a comma-separated list of addresses and CIDR ranges"),
    /** One server, or some of a cluster's. Unset: each process counts plan limits on its own. */
    redisUrls: redisUrls?.map(({ href }) => Redacted.make(href)),
    /** Where the rows of usage are written. Counts for the limits of plans are always in Postgres. */
    usageSink,
    /** With a user, a password and a database. If set, the usage that it has is shown too, whatever the sink. */
    clickhouseUrl: clickhouseUrl === undefined ? undefined : Redacted.make(clickhouseUrl.href),
    allowPrivateUpstreams: flag("GATEWAY_ALLOW_PRIVATE_UPSTREAMS", isForThisMachine),
    /** Per company, and higher than any honest company needs. */
    quotas: {
      /** Active keys; five times as many with those that stopped working in the last 90 days. */
      apiKeys: wholeNumber("QUOTA_API_KEYS", 1000, 1, 1_000_000),
      instances: wholeNumber("QUOTA_INSTANCES", 200, 1, 1_000_000),
      /** Published APIs, including drafts. */
      apis: wholeNumber("QUOTA_APIS", 100, 1, 1_000_000),
      /** Users and invitations together. */
      members: wholeNumber("QUOTA_MEMBERS", 1000, 1, 1_000_000)
    },
    /** In days, where an instance sets nothing; unset: personal data stays until it is redacted. */
    retention: {
      finishedDays: days("RETENTION_FINISHED_DAYS"),
      unfinishedDays: days("RETENTION_UNFINISHED_DAYS"),
      filesDays: days("RETENTION_FILES_DAYS"),
      /** In months, for whole months of sessions, whatever an instance sets. */
      sessionsMonths: months("RETENTION_SESSIONS_MONTHS")
    },
    /** For how many months before the current one usage can be read; unset: for ever. */
    usageMonths:
      text("RETENTION_USAGE_MONTHS") === undefined
        ? undefined
        : wholeNumber("RETENTION_USAGE_MONTHS", 0, leastUsageMonths, 1200),
    /** An ONNX file with a network that compares faces, and from which cosine of two of its vectors on they count as similar. Unset: none are compared. */
    faceModel: faceModel(),
    publisherSlugs: {
      /** To refuse besides the built-in ones, along with lookalikes. */
      reserved: slugs("PUBLISHER_SLUGS_RESERVED"),
      /** To accept although the rules would refuse them. */
      allowed: slugs("PUBLISHER_SLUGS_ALLOWED")
    },
    /** Whether agents may decide on reviews. */
    mcpReviewDecisions: flag("MCP_REVIEW_DECISIONS", false),
    /** For `/metrics`; unset: only direct connections from private addresses may read it. */
    metricsToken: metricsToken(),
    /** The URI in `/.well-known/security.txt`; unset: no such file. */
    securityContact: securityContact(),
    /** Unset: tracing is off. */
    otlpEndpoint: url("OTEL_EXPORTER_OTLP_ENDPOINT", ["http:", "https:"]),
    logLevel:
      logLevels[oneOf("LOG_LEVEL", ["trace", "debug", "info", "warn", "warning", "error", "none"]) ?? "info"],
    logFormat: oneOf("LOG_FORMAT", ["pretty", "json"]) ?? (process.stdout.isTTY ? "pretty" : "json")
  }
}

export type Configuration = Readonly<ReturnType<typeof parse>>

/** Fails with a sentence about the first invalid value. */
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
