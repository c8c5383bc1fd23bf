/** contract.md#configuration: each variable's default, what it takes, and the sentence for what it does not. */
import { readFileSync } from "node:fs"
import { totalmem } from "node:os"
import { describe, expect, it } from "@effect/vitest"
import { Effect, LogLevel, Redacted } from "effect"
import { type Configuration, type Environment, readConfiguration } from "../src/config.ts"
import { availableMemory } from "../src/shared/memory.ts"
import { settings } from "./support/settings.ts"

const secretKey = "k".repeat(32)
const hosted = { DATABASE_URL: "postgres://u:p@db/doorlock", SECRET_KEY: secretKey }

const read = (env: Environment): Configuration => Effect.runSync(readConfiguration(env))

const sentence = (env: Environment): string => Effect.runSync(Effect.flip(readConfiguration(env))).message

/** What a test compares: secrets in plain text, and opaque values by their meaning. */
const shown = (env: Environment) => {
  const config = read(env)
  const reveal = (secret: Redacted.Redacted<string> | undefined) =>
    secret === undefined ? undefined : Redacted.value(secret)
  return {
    ...config,
    databaseUrl: reveal(config.databaseUrl),
    databaseListenUrl: reveal(config.databaseListenUrl),
    databaseReadUrl: reveal(config.databaseReadUrl),
    secretKey: reveal(config.secretKey),
    secretKeyPrevious: reveal(config.secretKeyPrevious),
    adminPassword: reveal(config.adminPassword),
    captcha: config.captcha._tag,
    s3:
      config.s3 === undefined
        ? undefined
        : { ...config.s3, secretAccessKey: reveal(config.s3.secretAccessKey) },
    trustedProxies: config.trustedProxies.rules.length,
    redisUrls: config.redisUrls?.map(reveal),
    clickhouseUrl: reveal(config.clickhouseUrl),
    metricsToken: reveal(config.metricsToken),
    otlpEndpoint: config.otlpEndpoint?.href,
    logLevel: config.logLevel.label
  }
}

const defaults = {
  role: "all",
  port: 3000,
  host: "localhost",
  isForThisMachine: true,
  baseUrl: "http://localhost:3000",
  appUrl: "http://localhost:3000",
  gatewayUrl: "http://localhost:3000/gateway",
  databaseUrl: undefined,
  databaseListenUrl: undefined,
  databaseReadUrl: undefined,
  databasePooling: undefined,
  databasePool: 10,
  keyCacheKeys: 20_000,
  workers: 1,
  dataDir: ".data",
  s3: undefined,
  secretKey: undefined,
  secretKeyPrevious: undefined,
  signupOpen: true,
  devModeAllowed: true,
  seedDemo: true,
  adminEmail: "admin@example.com",
  adminPassword: undefined,
  captcha: "BuiltIn",
  trustedProxies: 0,
  redisUrls: undefined,
  usageSink: "postgres",
  clickhouseUrl: undefined,
  allowPrivateUpstreams: true,
  quotas: { apiKeys: 1000, instances: 200, apis: 100, members: 1000 },
  retention: { finishedDays: undefined, unfinishedDays: undefined, filesDays: undefined },
  usageMonths: undefined,
  publisherSlugs: { reserved: [], allowed: [] },
  mcpReviewDecisions: false,
  metricsToken: undefined,
  securityContact: undefined,
  otlpEndpoint: undefined,
  logLevel: LogLevel.Info.label,
  logFormat: process.stdout.isTTY ? "pretty" : "json"
}

const bucket = {
  S3_BUCKET: "files",
  S3_ENDPOINT: "https://s3.test/",
  S3_REGION: "eu-north-1",
  S3_ACCESS_KEY_ID: "AK",
  S3_SECRET_ACCESS_KEY: "the secret of S3"
}

const names = [
  ...Object.keys(bucket),
  ...["PORT", "HOST", "BASE_URL", "APP_URL", "DATABASE_URL", "DATABASE_POOL", "DATA_DIR", "SECRET_KEY"],
  ...["DATABASE_LISTEN_URL", "DATABASE_READ_URL", "DATABASE_POOLER"],
  ...["GATEWAY_PUBLIC_BASE_URL", "ROLE", "KEY_CACHE_KEYS"],
  ...["SIGNUP", "KYC_DEV_MODE", "SEED_DEMO", "ADMIN_EMAIL", "ADMIN_PASSWORD", "CAPTCHA_JWT_SECRET"],
  ...["CAPTCHA_JWKS_URL", "TRUSTED_PROXIES", "REDIS_URL", "OTEL_EXPORTER_OTLP_ENDPOINT", "LOG_LEVEL"],
  ...["USAGE_SINK", "CLICKHOUSE_URL"],
  ...["QUOTA_API_KEYS", "QUOTA_INSTANCES", "QUOTA_APIS", "QUOTA_MEMBERS"],
  ...["RETENTION_FINISHED_DAYS", "RETENTION_UNFINISHED_DAYS", "RETENTION_FILES_DAYS"],
  ...["RETENTION_SESSIONS_MONTHS", "RETENTION_USAGE_MONTHS"],
  ...["PUBLISHER_SLUGS_RESERVED", "PUBLISHER_SLUGS_ALLOWED"],
  ...["CHECKS_FACE_MODEL", "CHECKS_FACE_THRESHOLD"],
  ...["LOG_FORMAT", "GATEWAY_ALLOW_PRIVATE_UPSTREAMS", "WORKERS", "METRICS_TOKEN", "SECRET_KEY_PREVIOUS"],
  "SECURITY_CONTACT"
]

describe("defaults", () => {
  it("with nothing set", () => {
    expect(shown({})).toEqual(defaults)
  })
  it("an empty value counts as unset", () => {
    for (const name of names) expect([name, shown({ [name]: "" })]).toEqual([name, defaults])
  })
  it("DATABASE_URL set: closed sign-up, no dev mode, no private upstreams", () => {
    expect(shown(hosted)).toEqual({
      ...defaults,
      host: "0.0.0.0",
      isForThisMachine: false,
      databaseUrl: hosted.DATABASE_URL,
      secretKey,
      signupOpen: false,
      devModeAllowed: false,
      allowPrivateUpstreams: false
    })
  })
  it("a HOST that others reach: the same, and no other difference", () => {
    for (const host of ["0.0.0.0", "::", "192.168.0.1"]) {
      expect(shown({ HOST: host })).toEqual({
        ...defaults,
        host,
        isForThisMachine: false,
        signupOpen: false,
        devModeAllowed: false,
        allowPrivateUpstreams: false
      })
    }
  })
  it("ROLE=gateway: no SECRET_KEY, fewer connections, and as many keys as its memory permits", () => {
    const gateway = shown({ DATABASE_URL: hosted.DATABASE_URL, ROLE: "gateway" })
    expect(gateway).toMatchObject({ role: "gateway", secretKey: undefined, databasePool: 4 })
    expect(gateway.keyCacheKeys).toBe(
      Math.min(1_000_000, Math.max(20_000, Math.floor(availableMemory() / 16 / 1_024)))
    )
    expect(availableMemory()).toBeLessThanOrEqual(totalmem())
  })
  it("PORT set: BASE_URL and APP_URL follow", () => {
    expect(shown({ PORT: "8080" })).toMatchObject({
      port: 8080,
      baseUrl: "http://localhost:8080",
      appUrl: "http://localhost:8080",
      gatewayUrl: "http://localhost:8080/gateway"
    })
  })
  it("BASE_URL set: APP_URL and GATEWAY_PUBLIC_BASE_URL follow", () => {
    expect(shown({ BASE_URL: "https://x.test" })).toMatchObject({
      appUrl: "https://x.test",
      gatewayUrl: "https://x.test/gateway"
    })
  })
})

describe("valid values", () => {
  for (const [env, expected] of [
    [{ PORT: "0" }, { port: 0 }],
    [{ PORT: "65535" }, { port: 65_535 }],
    [{ HOST: "::1" }, { host: "::1", isForThisMachine: true }],
    [{ HOST: "localhost" }, { host: "localhost", isForThisMachine: true }],
    [{ HOST: "127.0.0.1" }, { isForThisMachine: true }],
    [{ HOST: "127.8.9.10" }, { isForThisMachine: true }],
    [{ HOST: "0.0.0.0" }, { isForThisMachine: false }],
    [{ HOST: "192.168.0.1" }, { isForThisMachine: false }],
    [{ ...hosted, HOST: "127.0.0.1" }, { isForThisMachine: false }],
    [{ BASE_URL: "https://x.test/doorlock/" }, { baseUrl: "https://x.test/doorlock" }],
    [{ APP_URL: "https://app.test//" }, { appUrl: "https://app.test", baseUrl: "http://localhost:3000" }],
    [{ GATEWAY_PUBLIC_BASE_URL: "https://api.test/v1/" }, { gatewayUrl: "https://api.test/v1" }],
    [{ ...hosted, DATABASE_URL: "postgresql:///d?host=/run" }, { databaseUrl: "postgresql:///d?host=/run" }],
    ...["postgres://u:p@a:5432,b,[::1]:1/d", "postgres://u:p@a,b/d?target_session_attrs=read-write"].map(
      (url) => [{ ...hosted, DATABASE_URL: url }, { databaseUrl: url }] as const
    ),
    [
      { ...hosted, DATABASE_LISTEN_URL: "postgres://direct/d", DATABASE_POOLER: "transaction" },
      { databaseListenUrl: "postgres://direct/d", databasePooling: "transaction" }
    ],
    [
      { ...hosted, DATABASE_READ_URL: "postgres://a,b/d?target_session_attrs=standby" },
      { databaseReadUrl: "postgres://a,b/d?target_session_attrs=standby" }
    ],
    [{ DATABASE_POOL: "1" }, { databasePool: 1 }],
    [{ DATABASE_POOL: "1000" }, { databasePool: 1000 }],
    [{ WORKERS: "1" }, { workers: 1 }],
    [
      { RETENTION_FINISHED_DAYS: "365", RETENTION_UNFINISHED_DAYS: "30", RETENTION_FILES_DAYS: "0" },
      { retention: { finishedDays: 365, unfinishedDays: 30, filesDays: 0 } }
    ],
    [{ RETENTION_USAGE_MONTHS: "12" }, { usageMonths: 12 }],
    [{ RETENTION_SESSIONS_MONTHS: "120" }, { retention: { sessionsMonths: 120 } }],
    [
      { CHECKS_FACE_MODEL: "/models/faces.onnx", CHECKS_FACE_THRESHOLD: "0.363" },
      { faceModel: { path: "/models/faces.onnx", threshold: 0.363 } }
    ],
    [{ SECRET_KEY_PREVIOUS: "p".repeat(32) }, { secretKeyPrevious: "p".repeat(32) }],
    [{ MCP_REVIEW_DECISIONS: "true" }, { mcpReviewDecisions: true }],
    [{ METRICS_TOKEN: "0123456789abcdef" }, { metricsToken: "0123456789abcdef" }],
    [{ WORKERS: "64", REDIS_URL: "redis://r" }, { workers: 64 }],
    [{ DATA_DIR: "/var/lib/doorlock" }, { dataDir: "/var/lib/doorlock" }],
    [
      bucket,
      {
        s3: {
          bucket: "files",
          endpoint: "https://s3.test",
          region: "eu-north-1",
          accessKeyId: "AK",
          secretAccessKey: "the secret of S3"
        }
      }
    ],
    [{ SECRET_KEY: "é".repeat(16) }, { secretKey: "é".repeat(16) }],
    [{ SIGNUP: "closed" }, { signupOpen: false }],
    [{ ...hosted, SIGNUP: "open" }, { signupOpen: true }],
    [{ KYC_DEV_MODE: "refuse" }, { devModeAllowed: false }],
    [{ ...hosted, KYC_DEV_MODE: "allow" }, { devModeAllowed: true }],
    [{ SEED_DEMO: "false" }, { seedDemo: false }],
    [{ GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "false" }, { allowPrivateUpstreams: false }],
    [{ ...hosted, GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "true" }, { allowPrivateUpstreams: true }],
    [{ ADMIN_EMAIL: "me@here.test" }, { adminEmail: "me@here.test" }],
    [{ ADMIN_PASSWORD: "twelve chars" }, { adminPassword: "twelve chars" }],
    [{ CAPTCHA_JWT_SECRET: "s".repeat(32) }, { captcha: "SharedSecret" }],
    [{ CAPTCHA_JWT_SECRET: "short" }, { captcha: "SharedSecret" }],
    [{ CAPTCHA_JWKS_URL: "https://x.test/jwks" }, { captcha: "KeySet" }],
    [{ TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.1 ,::1," }, { trustedProxies: 3 }],
    [
      { QUOTA_API_KEYS: "1", QUOTA_INSTANCES: "2", QUOTA_APIS: "3", QUOTA_MEMBERS: "1000000" },
      { quotas: { apiKeys: 1, instances: 2, apis: 3, members: 1_000_000 } }
    ],
    [
      { PUBLISHER_SLUGS_RESERVED: "acme, my-bank", PUBLISHER_SLUGS_ALLOWED: "stripe" },
      { publisherSlugs: { reserved: ["acme", "my-bank"], allowed: ["stripe"] } }
    ],
    [
      { USAGE_SINK: "clickhouse", CLICKHOUSE_URL: "https://u:p@c:8443/d" },
      { usageSink: "clickhouse", clickhouseUrl: "https://u:p@c:8443/d" }
    ],
    [{ CLICKHOUSE_URL: "http://c:8123" }, { clickhouseUrl: "http://c:8123/" }],
    [{ REDIS_URL: "redis://:password@cache:6379/1" }, { redisUrls: ["redis://:password@cache:6379/1"] }],
    [{ REDIS_URL: "rediss://cache" }, { redisUrls: ["rediss://cache"] }],
    [
      { REDIS_URL: "rediss://u:p%40,@one:1, two,[::1]:3/0" },
      { redisUrls: ["rediss://u:p%40,@one:1/0", "rediss://u:p%40,@two/0", "rediss://u:p%40,@[::1]:3/0"] }
    ],
    [{ SECURITY_CONTACT: "security@x.test" }, { securityContact: "mailto:security@x.test" }],
    [{ SECURITY_CONTACT: "mailto:security@x.test" }, { securityContact: "mailto:security@x.test" }],
    [{ SECURITY_CONTACT: "https://x.test/report" }, { securityContact: "https://x.test/report" }],
    [{ SECURITY_CONTACT: "tel:+372-555" }, { securityContact: "tel:+372-555" }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318" }, { otlpEndpoint: "http://c:4318/" }],
    [{ LOG_LEVEL: "trace" }, { logLevel: "TRACE" }],
    [{ LOG_LEVEL: "debug" }, { logLevel: "DEBUG" }],
    [{ LOG_LEVEL: "warn" }, { logLevel: "WARN" }],
    [{ LOG_LEVEL: "warning" }, { logLevel: "WARN" }],
    [{ LOG_LEVEL: "error" }, { logLevel: "ERROR" }],
    [{ LOG_LEVEL: "none" }, { logLevel: "OFF" }],
    [{ LOG_FORMAT: "pretty" }, { logFormat: "pretty" }],
    [{ LOG_FORMAT: "json" }, { logFormat: "json" }]
  ] as const) {
    it(JSON.stringify(env), () => {
      expect(shown(env)).toMatchObject(expected)
    })
  }
})

const port = "PORT must be a whole number from 0 to 65535"
const pool = "DATABASE_POOL must be a whole number from 1 to 1000"
const database = "DATABASE_URL must be a URL that starts with postgres:// or postgresql://"
const base = "BASE_URL must be a URL that starts with http:// or https://"
const baseParts = "BASE_URL must not carry credentials, a query or a fragment"
const contact = "SECURITY_CONTACT must be an email address or a URI that starts with https:, mailto: or tel:"
const proxies = "TRUSTED_PROXIES must be a comma-separated list of addresses and CIDR ranges"

describe("invalid values: one sentence that names the variable", () => {
  for (const [env, expected] of [
    [{ PORT: "65536" }, port],
    [{ PORT: "-1" }, port],
    [{ PORT: "80.5" }, port],
    [{ PORT: "http" }, port],
    [{ PORT: " 80" }, port],
    [{ PORT: "0x50" }, port],
    [{ BASE_URL: "doorlock.test" }, base],
    [{ BASE_URL: "ftp://doorlock.test" }, base],
    [{ BASE_URL: "https://u:p@doorlock.test" }, baseParts],
    [{ BASE_URL: "https://doorlock.test/?a" }, baseParts],
    [{ BASE_URL: "https://doorlock.test/#a" }, baseParts],
    [{ APP_URL: "/app" }, "APP_URL must be a URL that starts with http:// or https://"],
    [
      { GATEWAY_PUBLIC_BASE_URL: "gateway" },
      "GATEWAY_PUBLIC_BASE_URL must be a URL that starts with http:// or https://"
    ],
    [
      { GATEWAY_PUBLIC_BASE_URL: "https://api.test/?a" },
      "GATEWAY_PUBLIC_BASE_URL must not carry credentials, a query or a fragment"
    ],
    [{ DATABASE_URL: "mysql://db/x", SECRET_KEY: secretKey }, database],
    [{ DATABASE_URL: "db:5432", SECRET_KEY: secretKey }, database],
    [{ ...hosted, DATABASE_URL: "postgres://a:b,c/d" }, database],
    [
      { ...hosted, DATABASE_URL: "postgres://a,b/d?target_session_attrs=standby" },
      "DATABASE_URL: target_session_attrs must be one of any, read-write, primary"
    ],
    [
      { ...hosted, DATABASE_LISTEN_URL: "postgres://a,,b/d" },
      "DATABASE_LISTEN_URL: each of several hosts must have a name"
    ],
    [{ DATABASE_URL: hosted.DATABASE_URL }, "SECRET_KEY must be set when DATABASE_URL is set"],
    [{ DATABASE_URL: hosted.DATABASE_URL, ROLE: "work" }, "SECRET_KEY must be set when DATABASE_URL is set"],
    [{ ROLE: "worker" }, "ROLE must be one of all, api, gateway, work"],
    [{ ROLE: "gateway" }, "DATABASE_URL must be set when ROLE is gateway"],
    [{ KEY_CACHE_KEYS: "99" }, "KEY_CACHE_KEYS must be a whole number from 100 to 10000000"],
    [{ ...hosted, SECRET_KEY: "" }, "SECRET_KEY must be set when DATABASE_URL is set"],
    [
      { ...hosted, DATABASE_LISTEN_URL: "db:5432" },
      "DATABASE_LISTEN_URL must be a URL that starts with postgres:// or postgresql://"
    ],
    [
      { ...hosted, DATABASE_READ_URL: "postgres://a/d?target_session_attrs=primary" },
      "DATABASE_READ_URL: target_session_attrs must be one of any, standby"
    ],
    [{ DATABASE_READ_URL: "postgres://standby/d" }, "DATABASE_URL must be set when DATABASE_READ_URL is set"],
    [
      { DATABASE_LISTEN_URL: "postgres://direct/d" },
      "DATABASE_URL must be set when DATABASE_LISTEN_URL is set"
    ],
    [
      { ...hosted, DATABASE_POOLER: "statement" },
      "DATABASE_POOLER must be one of none, session, transaction"
    ],
    [{ DATABASE_POOL: "0" }, pool],
    [{ DATABASE_POOL: "1001" }, pool],
    [{ S3_BUCKET: "files" }, "S3_ENDPOINT must be set when S3_BUCKET is set"],
    [{ ...bucket, S3_REGION: "" }, "S3_REGION must be set when S3_BUCKET is set"],
    [{ ...bucket, S3_ACCESS_KEY_ID: "" }, "S3_ACCESS_KEY_ID must be set when S3_BUCKET is set"],
    [{ ...bucket, S3_SECRET_ACCESS_KEY: "" }, "S3_SECRET_ACCESS_KEY must be set when S3_BUCKET is set"],
    [{ S3_REGION: "eu-north-1" }, "S3_BUCKET must be set when S3_REGION is set"],
    [{ ...bucket, S3_ENDPOINT: "s3.test" }, "S3_ENDPOINT must be a URL that starts with http:// or https://"],
    [{ SECRET_KEY: "k".repeat(31) }, "SECRET_KEY must be at least 32 bytes long"],
    [{ SIGNUP: "yes" }, "SIGNUP must be one of open, closed"],
    [{ SIGNUP: "OPEN" }, "SIGNUP must be one of open, closed"],
    [{ KYC_DEV_MODE: "true" }, "KYC_DEV_MODE must be one of allow, refuse"],
    [{ SEED_DEMO: "0" }, "SEED_DEMO must be one of true, false"],
    [
      { GATEWAY_ALLOW_PRIVATE_UPSTREAMS: "yes" },
      "GATEWAY_ALLOW_PRIVATE_UPSTREAMS must be one of true, false"
    ],
    [{ ADMIN_EMAIL: "admin" }, "ADMIN_EMAIL must be an email address"],
    [{ ADMIN_PASSWORD: "too short" }, "ADMIN_PASSWORD must be 12 to 1024 characters long"],
    [{ ADMIN_PASSWORD: "x".repeat(1025) }, "ADMIN_PASSWORD must be 12 to 1024 characters long"],
    [{ CAPTCHA_JWKS_URL: "x.test" }, "CAPTCHA_JWKS_URL must be a URL that starts with http:// or https://"],
    [
      { CAPTCHA_JWT_SECRET: "s".repeat(32), CAPTCHA_JWKS_URL: "https://x.test" },
      "CAPTCHA_JWT_SECRET and CAPTCHA_JWKS_URL must not both be set"
    ],
    [{ TRUSTED_PROXIES: "proxy.test" }, proxies],
    [{ TRUSTED_PROXIES: "10.0.0.0/8 192.0.2.1" }, proxies],
    [{ QUOTA_API_KEYS: "0" }, "QUOTA_API_KEYS must be a whole number from 1 to 1000000"],
    [
      { PUBLISHER_SLUGS_RESERVED: "My Bank" },
      "PUBLISHER_SLUGS_RESERVED must be a comma-separated list of slugs"
    ],
    [{ WORKERS: "0", REDIS_URL: "redis://r" }, "WORKERS must be a whole number from 1 to 64"],
    [{ WORKERS: "65", REDIS_URL: "redis://r" }, "WORKERS must be a whole number from 1 to 64"],
    [{ SECRET_KEY_PREVIOUS: "short" }, "SECRET_KEY_PREVIOUS must be at least 32 bytes long"],
    [{ METRICS_TOKEN: "a token of words" }, "METRICS_TOKEN must consist of visible ASCII characters"],
    [{ METRICS_TOKEN: "0123456789abcde" }, "METRICS_TOKEN must be at least 16 bytes long"],
    [{ SECURITY_CONTACT: "http://x.test/report" }, contact],
    [{ SECURITY_CONTACT: "the security team" }, contact],
    [{ SECURITY_CONTACT: "security@x.test\nExpires: 1970-01-01T00:00:00Z" }, contact],
    [{ WORKERS: "2" }, "REDIS_URL must be set when WORKERS is greater than 1"],
    [{ RETENTION_USAGE_MONTHS: "11" }, "RETENTION_USAGE_MONTHS must be a whole number from 12 to 1200"],
    [{ USAGE_SINK: "kafka" }, "USAGE_SINK must be one of postgres, clickhouse"],
    [{ USAGE_SINK: "clickhouse" }, "CLICKHOUSE_URL must be set when USAGE_SINK is clickhouse"],
    [
      { CLICKHOUSE_URL: "clickhouse://c" },
      "CLICKHOUSE_URL must be a URL that starts with http:// or https://"
    ],
    [{ REDIS_URL: "cache:6379" }, "REDIS_URL must be a URL that starts with redis:// or rediss://"],
    [{ REDIS_URL: "redis://one:1,two:x" }, "REDIS_URL must be a URL that starts with redis:// or rediss://"],
    [{ REDIS_URL: "redis://one:1," }, "REDIS_URL must name a host"],
    [{ REDIS_URL: "http://cache" }, "REDIS_URL must be a URL that starts with redis:// or rediss://"],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" },
      "OTEL_EXPORTER_OTLP_ENDPOINT must be a URL that starts with http:// or https://"
    ],
    [{ LOG_LEVEL: "verbose" }, "LOG_LEVEL must be one of trace, debug, info, warn, warning, error, none"],
    [{ LOG_FORMAT: "text" }, "LOG_FORMAT must be one of pretty, json"]
  ] as const) {
    it(JSON.stringify(env).slice(0, 80), () => {
      expect(sentence(env)).toBe(expected)
    })
  }
})

it("secrets do not show when the configuration is printed", () => {
  const secrets = {
    ...hosted,
    ADMIN_PASSWORD: "a password of mine",
    CAPTCHA_JWT_SECRET: "s".repeat(40),
    REDIS_URL: "redis://:p@r",
    METRICS_TOKEN: "a-token-for-the-metrics",
    SECRET_KEY_PREVIOUS: "the secret key that was before this one"
  }
  const config = read({ ...bucket, ...secrets })
  const printed = `${JSON.stringify(config)} ${Bun.inspect(config)}`
  for (const secret of [...Object.values(secrets), bucket.S3_SECRET_ACCESS_KEY])
    expect(printed).not.toContain(secret)
})

it.effect("docs/configuration.md names exactly the variables that doorlock reads", () =>
  Effect.gen(function* () {
    const configurationPage = readFileSync(`${import.meta.dirname}/../docs/configuration.md`, "utf8")
    const named = [...configurationPage.matchAll(/^\| (`[^|]*)\|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([A-Z_0-9]+)`/g)].map(([, name = ""]) => name)
    )
    expect(named.sort()).toStrictEqual(yield* settings)
  })
)
