/** Every metric. `docs/grafana` says which values are bad. */
import { version } from "../../package.json"
import { eventLoopLag } from "./event-loop.ts"
import { counter, counters, countersBy, gauge, histogram, processFigure, requestHistogram } from "./meters.ts"

/** In seconds. A read takes less than the first bound, a password check some tenths. */
const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30]

const microBounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5]

const statementBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 10]

export const requestDuration = requestHistogram(
  "doorlock_http_request_duration_seconds",
  "Time from a request to the head of its response, by method, route pattern and status class.",
  requestBounds
)

/** An outcome of usage, or why the call did not get that far. */
export const gatewayCalls = counters(
  "doorlock_gateway_calls_total",
  "Gateway calls by outcome; status classes are the upstream's.",
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
  "Time from sending a call to its upstream to the head of the response, including connecting; answered calls only.",
  requestBounds
)

export const gatewayOwnDuration = histogram(
  "doorlock_gateway_own_duration_seconds",
  "Time that the gateway itself spends on a call, before and after asking the upstream.",
  microBounds
)

export const reads = counters(
  "doorlock_standby_reads_total",
  "Reads that may use a standby of the database, by the server that answered; only with `DATABASE_READ_URL`.",
  "server",
  ["standby", "primary"]
)

export const databaseConnections = gauge(
  "doorlock_database_connections",
  "Pooled connections by state, without those that listen for changes."
)

export const databaseConnectionsMax = gauge(
  "doorlock_database_connections_max",
  "DATABASE_POOL, the maximum number of pooled connections."
)

export const databaseWaiting = gauge(
  "doorlock_database_waiting",
  "Statements and transactions that wait for a connection."
)

export const statementDuration = histogram(
  "doorlock_database_statement_duration_seconds",
  "Time from sending a statement to its answer.",
  statementBounds
)

export const statementsFailed = counter(
  "doorlock_database_statements_failed_total",
  "Statements that were answered with an error, or not at all."
)

export const changesTrusted = gauge(
  "doorlock_changes_trusted",
  "1 while every revocation is certain to arrive within a second; 0 while caches are off."
)

const caches = [
  "platform_keys",
  "marketplace_keys",
  "published_routes",
  "api_descriptions",
  "api_lists"
] as const
export type CacheName = (typeof caches)[number]

export const cacheHits = counters("doorlock_cache_hits_total", "Successful cache lookups.", "cache", caches)

export const cacheMisses = counters(
  "doorlock_cache_misses_total",
  "Cache lookups that went on to the database.",
  "cache",
  caches
)

export const cacheEntries = gauge("doorlock_cache_entries", "Entries in a cache.")

export const usageUnwritten = gauge(
  "doorlock_usage_unwritten_calls",
  "Gateway calls that are counted but not yet written."
)

export const usageRowsWaiting = gauge(
  "doorlock_usage_rows_waiting_seconds",
  "For how long ClickHouse has taken no usage although some waits; absent unless `USAGE_SINK` is clickhouse."
)

export const auditUnwritten = gauge(
  "doorlock_audit_unwritten_events",
  "Audit events that are being written in the background."
)

export const redisUp = gauge(
  "doorlock_redis_up",
  "The share of plan limits that are counted in Redis: 1 if all are, 0 if it cannot be used, and less than 1 if nodes of a cluster cannot. Absent without Redis."
)

export const decidedWithoutRedis = counter(
  "doorlock_limits_decided_without_redis_total",
  "Calls whose limits this process decided alone because Redis did not answer in time."
)

export const kycSessions = counters("doorlock_kyc_sessions_total", "KYC sessions by event.", "event", [
  "created",
  "completed",
  "failed",
  "cancelled"
])

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
  "Refused keys: invalid ones, and those from an address with too many invalid ones.",
  "family",
  ["platform", "marketplace"]
)

export const eventsCollectedAgo = gauge(
  "doorlock_events_collected_ago_seconds",
  "Time since this process last moved the new events to the log, or found none."
)

export const eventsWaiting = gauge(
  "doorlock_events_waiting_seconds",
  "For how long the oldest event has waited to be moved to the log, over all processes."
)

export const workJobs = gauge(
  "doorlock_work_jobs",
  "Jobs that wait or run, by kind, over all processes; counted up to 100,000."
)

export const workOldest = gauge(
  "doorlock_work_oldest_seconds",
  "For how long the lane that waits longest for a process has been due, by kind."
)

export const workPoison = gauge(
  "doorlock_work_poison",
  "Jobs that were set aside until the operator retries or drops them, by kind; counted up to 100,000."
)

export const workUnderWay = gauge("doorlock_work_under_way", "Jobs that this process runs, by kind.")

export const workOutcomes = countersBy(
  "doorlock_work_outcomes_total",
  "Jobs that were settled, by kind and outcome; those that run again count each time.",
  ["kind", "outcome"]
)

export const retentionFailures = counters(
  "doorlock_retention_failures_total",
  "Times that retention could not destroy the data of a session, delete its files, or drop a month of sessions, although their time is over. It tries again every hour.",
  "what",
  ["data", "files", "month"]
)

export const webhookAttempts = counters(
  "doorlock_webhook_attempts_total",
  "Attempts to deliver webhooks by outcome: refused by the endpoint's answer, or unanswered.",
  "outcome",
  ["succeeded", "refused", "unanswered"]
)

export const workTimeInLane = histogram(
  "doorlock_work_time_in_lane_seconds",
  "Time from when a job was due to its start.",
  [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3_600, 36_000]
)

export const workerRestarts = counter(
  "doorlock_worker_restarts_total",
  "Workers that ended unexpectedly and were restarted."
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

processFigure("gauge", "doorlock_heap_used_bytes", "Heap in use.", () => process.memoryUsage().heapUsed)

processFigure(
  "gauge",
  "process_start_time_seconds",
  "Start of the process, in seconds since 1970.",
  () => Math.round(performance.timeOrigin) / 1_000
)

processFigure("gauge", "doorlock_uptime_seconds", "Time since the process started.", process.uptime)

processFigure("gauge", "doorlock_build_info", "Always 1; the labels are the versions in use.", () => ({
  [`version="${version}",bun="${Bun.version}"`]: 1
}))
