/** Every metric. `docs/grafana` says which values are bad. */
import { version } from "../../package.json"
import { eventLoopLag } from "./event-loop.ts"
import { counter, counters, gauge, histogram, processFigure, requestHistogram } from "./meters.ts"

/** In seconds. A read takes less than the first bound, a password check some tenths. */
const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30]

const microBounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5]

const statementBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 10]

export const requestDuration = requestHistogram(
  "doorlock_http_request_duration_seconds",
  "Time from a request to its answer's head, by method, route pattern and class of status.",
  requestBounds
)

/** An outcome of usage, or why the call did not get that far. */
export const gatewayCalls = counters(
  "doorlock_gateway_calls_total",
  "Calls through the gateway by outcome; classes of status are the upstream's.",
  "outcome",
  [
    "2xx",
    "3xx",
    "4xx",
    "5xx",
    "denied",
    "client_closed",
    "gateway_error",
    "rate_limited",
    "quota_exceeded",
    "invalid_key",
    "too_many_guesses",
    "not_subscribed",
    "api_not_found",
    "bad_request",
    "broken"
  ]
)

export const gatewayUpstreamDuration = histogram(
  "doorlock_gateway_upstream_duration_seconds",
  "Time from a call being sent to its upstream to the head of the answer, connecting included; of those that were answered.",
  requestBounds
)

export const gatewayOwnDuration = histogram(
  "doorlock_gateway_own_duration_seconds",
  "Time the gateway itself took before and after asking the upstream.",
  microBounds
)

export const databaseConnections = gauge(
  "doorlock_database_connections",
  "Connections of the pool by state; those that listen for changes are not among them."
)

export const databaseConnectionsMax = gauge(
  "doorlock_database_connections_max",
  "DATABASE_POOL: connections the pool opens at most."
)

export const databaseWaiting = gauge(
  "doorlock_database_waiting",
  "Statements and transactions that wait for a connection."
)

export const statementDuration = histogram(
  "doorlock_database_statement_duration_seconds",
  "Time from a statement being sent to its answer.",
  statementBounds
)

export const statementsFailed = counter(
  "doorlock_database_statements_failed_total",
  "Statements that were answered with an error, or not at all."
)

export const changesTrusted = gauge(
  "doorlock_changes_trusted",
  "1 while every revocation is known to be heard of within a second; 0: caches are off, and the database is asked."
)

const caches = [
  "platform_keys",
  "marketplace_keys",
  "published_routes",
  "api_descriptions",
  "api_lists"
] as const
export type CacheName = (typeof caches)[number]

export const cacheHits = counters("doorlock_cache_hits_total", "Answers that a cache gave.", "cache", caches)

export const cacheMisses = counters(
  "doorlock_cache_misses_total",
  "Questions that a cache put to the database.",
  "cache",
  caches
)

export const cacheEntries = gauge("doorlock_cache_entries", "What a cache holds.")

export const usageUnwritten = gauge(
  "doorlock_usage_unwritten_calls",
  "Calls through the gateway that are counted and not yet written."
)

export const auditUnwritten = gauge(
  "doorlock_audit_unwritten_events",
  "Audit events that are being written, and that nobody waits for."
)

export const redisUp = gauge(
  "doorlock_redis_up",
  "1 while the limits of plans are counted in Redis; 0: it is configured and does not answer. Without Redis there is none."
)

export const decidedWithoutRedis = counter(
  "doorlock_limits_decided_without_redis_total",
  "Calls whose limits were decided by this process alone although there is a Redis."
)

export const kycSessions = counters(
  "doorlock_kyc_sessions_total",
  "KYC sessions by what happened to them.",
  "event",
  ["created", "completed", "failed", "cancelled"]
)

export const captchaVerifications = counters(
  "doorlock_captcha_verifications_total",
  "Captcha tokens by verdict.",
  "verdict",
  [
    "success",
    "MALFORMED",
    "INVALID_SIGNATURE",
    "EXPIRED",
    "SITE_MISMATCH",
    "SESSION_MISMATCH",
    "LOW_SCORE",
    "DUPE"
  ]
)

export const signIns = counters("doorlock_sign_ins_total", "Attempts to sign in by their result.", "result", [
  "success",
  "refused",
  "limited"
])

export const refusedKeys = counters(
  "doorlock_keys_refused_total",
  "Keys that were presented and are bad, or came from an address with too many bad ones.",
  "family",
  ["platform", "marketplace"]
)

export const workerRestarts = counter(
  "doorlock_worker_restarts_total",
  "Workers that ended unexpectedly and were started again."
)

processFigure("gauge", "doorlock_event_loop_lag_seconds", "How late timers were in the last minute.", () => {
  const { max, p50, p99 } = eventLoopLag()
  return { 'percentile="p50"': p50, 'percentile="p99"': p99, 'percentile="max"': max }
})

processFigure("counter", "process_cpu_seconds_total", "User and system time.", () => {
  const { system, user } = process.cpuUsage()
  return (user + system) / 1e6
})

processFigure("gauge", "process_resident_memory_bytes", "Resident memory.", process.memoryUsage.rss)

processFigure(
  "gauge",
  "doorlock_heap_used_bytes",
  "What the heap holds.",
  () => process.memoryUsage().heapUsed
)

processFigure(
  "gauge",
  "process_start_time_seconds",
  "When the process started, since 1970.",
  () => Math.round(performance.timeOrigin) / 1_000
)

processFigure("gauge", "doorlock_uptime_seconds", "For how long the process has run.", process.uptime)

processFigure("gauge", "doorlock_build_info", "1; the labels say what runs.", () => ({
  [`version="${version}",bun="${Bun.version}"`]: 1
}))
