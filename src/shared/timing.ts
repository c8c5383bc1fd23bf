/**
 * Every timeout and every pause of the server, by name. Nothing else in `src` starts a timer (biome.json refuses it), so that tests can
 * make all timeouts long, and set a single one. The browser's are in `web/timing.ts`.
 */
import { Context, Effect, type Option, Schedule } from "effect"
import { after, every, type Timer } from "./timers.ts"

export type { Timer } from "./timers.ts"

/** Milliseconds after which something gives up. */
const timeouts = {
  // accounts
  // audit
  /** The database and the anchor store. */
  "audit.anchor": 300_000,
  /** The first anchor, before the program reports that it listens. */
  "audit.first_anchor": 2_000,
  // A supervisor may kill a process 10 s after it has told it to stop.
  /** What a stopping process still writes to the audit trails. */
  "audit.last_notes": 3_000,
  /** A stopping process's anchor. */
  "audit.last_anchor": 6_000,
  // cli
  /** A database that is not ready, for a command. */
  "cli.database": 5_000,
  /** For `doctor`: a database that is not ready, each of its servers, and a change that it notifies of. */
  "cli.diagnosis": 2_000,
  /** For `doctor`: a connection to the upstream of an API. */
  "cli.upstream": 3_000,
  /** For `doctor`: a bucket that is written and read. */
  "cli.bucket": 10_000,
  /** The published keys of receipts. */
  "cli.receipt_keys": 10_000,
  /** An installation's feed. Longer than any answer takes; after a laptop's sleep, the connection may be dead without notice. */
  "cli.feed": 30_000,
  /** A receiver of events, as in a delivery. */
  "cli.receiver": 15_000,
  // db
  /** A connection to one server, or a free connection. */
  "db.connect": 3_000,
  /** The database of another process that uses the same `DATA_DIR`. */
  "db.connect_to_running": 1_000,
  /** The connections for notifications of changes. */
  "db.connect_to_listen": 1_000,
  /** One statement, and a transaction in which nothing happens. The server ends what takes longer. */
  "db.statement": 10_000,
  /** A server that does not answer although its own limit of a statement is over, from then on. */
  "db.answer": 500,
  /** A server that is not ready. */
  "db.ready": 15_000,
  /** Locks that a migration does not get. */
  "db.migration_locks": 120_000,
  /** Migrations that another process applies. */
  "db.schema": 60_000,
  /** How long changes are trusted to arrive after a heartbeat began that arrived. */
  "db.lease": 800,
  /** A standby, to connect and to begin to read. */
  "db.standby": 500,
  /** Nobody uses a connection. */
  "db.idle_connection": 60_000,
  /** A connection that closes. Its socket is destroyed then. */
  "db.close": 1_000,
  /** The statements of a pool that closes. */
  "db.close_pool": 2_000,
  /** Another process that is starting, stopping or visiting the embedded database. */
  "db.embedded_turn": 60_000,
  /** The embedded database: crash recovery can take this long after heavy writing. */
  "db.embedded_start": 60_000,
  /** Its fast shutdown, before an immediate one. */
  "db.embedded_stop": 10_000,
  /** Its immediate shutdown, and its end after it was killed. */
  "db.embedded_abort": 5_000,
  /** The same for one that a killed process has left behind. */
  "db.orphan_stop": 5_000,
  "db.orphan_abort": 3_000,
  // events
  // gateway
  /** Connecting to an upstream, including the name's lookup and TLS, over all its addresses. */
  "gateway.connect": 10_000,
  /** A lookup of an upstream's name. */
  "gateway.lookup": 5_000,
  /** The first query to a name server; the second gets twice as long. Both fit within the timeout of a lookup. */
  "gateway.name_query": 1_500,
  /** Addresses of the other family, once one has answered. Usually both are answered together; some servers never answer for one. */
  "gateway.other_family": 250,
  /** The rest of a small body, which is streamed then instead of sent whole. */
  "gateway.small_body": 10,
  /** The next part of a response's body. */
  "gateway.body": 60_000,
  /** The next part of `text/event-stream`, which may be quiet for long. */
  "gateway.events": 1_800_000,
  /** A client that does not read the response, or does not send the rest of its request body. */
  "gateway.client": 120_000,
  /**
   * An idle connection to an upstream. Common servers close theirs after five seconds, and a request sent while the upstream closes is
   * lost, because the gateway does not retry.
   */
  "gateway.idle_connection": 4_000,
  // http
  /** A body, from the head of its request to its end: a slow sender must not hold up a fiber or a shutdown. */
  "http.body": 15_000,
  /**
   * Bun closes a connection without progress then: idle, or with a client that sends or reads less than about 30 KiB a second. Single bytes
   * do not restart it.
   */
  "http.idle": 120_000,
  /** Open requests of a stopping process, whose connections are closed then. */
  "http.drain": 25_000,
  // keys
  // kyc
  /** The key set of a captcha service. */
  "kyc.captcha_keys": 3_000,
  /** An examination of a file, on a busy machine. */
  "kyc.examination": 120_000,
  /** The turn of a file to be examined. */
  "kyc.examination_turn": 30_000,
  /** The process that looks at photos, for one photo: a busy machine. The photo is looked at again later. */
  "kyc.look": 300_000,
  /** Its CPU time for one photo: a photo that takes more is at fault. The slowest takes 2 seconds. */
  "kyc.look_cpu": 60_000,
  /** The same, if the process sleeps when the time for the photo is over: after less, it hangs. */
  "kyc.look_asleep": 5_000,
  /** The turn of a reading, and again the process that looks at photos. Who waits longer has begun to type. */
  "kyc.reading": 20_000,
  /** A reading is of use for so long after it was asked for. Later, the end user has typed the fields. */
  "kyc.reading_useful": 60_000,
  /** A whole file that is received: enough for 20 MiB at about 300 kbit/s. */
  "kyc.upload": 600_000,
  /** An uploading process, which counts as alive for so long after each heartbeat. */
  "kyc.upload_alive": 30_000,
  // limits
  // marketplace
  /** A request to ClickHouse. */
  "marketplace.clickhouse": 10_000,
  /** ClickHouse, for a process that ends. */
  "marketplace.clickhouse_at_end": 3_000,
  /** The check of a document, whose thread is then terminated. A document of 1 MiB takes some tenths of a second, and so does the thread's start. */
  "marketplace.document": 10_000,
  /** The turn of a document. */
  "marketplace.document_turn": 60_000,
  /** The month's count from the database, for an account's first call. */
  "marketplace.month": 1_000,
  /** A reply of Redis to a call. A server that takes longer is slow. */
  "marketplace.redis": 500,
  "marketplace.redis_connect": 1_000,
  /** A Redis server that owes replies and sends none for so long is away. */
  "marketplace.redis_silence": 5_000,
  // mcp
  /** An installation's answer to an agent. Longer than any answer takes. */
  "mcp.answer": 60_000,
  // operations
  /** The database, before the process counts as not ready. */
  "operations.readiness": 1_000,
  // process
  // webhooks
  /** An attempt in all: connecting, and the head and body of the answer. */
  "webhooks.attempt": 15_000,
  // work
  /** What was read ahead, until the job begins. If jobs are slow, those at the end of a page read for themselves. */
  "work.ahead": 250,
  /** How long a stopping process waits for the database to take its last results and its lanes. */
  "work.last_statements": 2_000,
  /** A lane that its process does not renew. */
  "work.lease": 8_000,
  /** How long a stopping process waits for its jobs, once it has answered its requests. */
  "work.stop": 8_000,
  // workers
  /** A worker that stops: longer than its longest graceful shutdown. */
  "workers.stop": 40_000,
  /** A port that workers of a killed process still hold. */
  "workers.port": 2_000,
  /** A worker's metrics, before its last ones count. */
  "workers.report": 500,
  /** The supervisor, which asks all workers for their metrics. */
  "workers.collect": 2_000
} as const

/** Milliseconds for which something waits on purpose: before it tries again, or goes on. */
const pauses = {
  // accounts
  /** Before uses of dashboard sessions are written again: nobody waits for them. */
  "accounts.uses_retry": 60_000,
  // audit
  // cli
  /** Until a terminal shows what is being waited for. */
  "cli.progress": 300,
  /** `doctor` looks whether changes arrive. */
  "cli.changes": 20,
  /** The feed is read when there was nothing new. */
  "cli.feed": 1_000,
  /** An installation or a receiver that gave no answer is tried again: doubled each time, up to the longest. */
  "cli.listen_retry": 1_000,
  "cli.longest_listen_retry": 5_000,
  // db
  /** A server that is not ready is tried again: doubled each time, up to the longest. */
  "db.ready": 50,
  "db.longest_ready": 500,
  /** Until the next server is tried too: one whose machine is gone does not refuse. */
  "db.next_server": 500,
  /** A server is looked for again, if there was none and callers wait for one. */
  "db.seek_server": 100,
  /** The pool looks for connections and callers whose time is over. */
  "db.check_pool": 100,
  /** A statement that takes longer may be waiting for a lock, so no other is sent behind it. */
  "db.slow_statement": 50,
  /** A transaction after a conflict: doubled each time. */
  "db.conflict": 5,
  /** Between the arrival of one heartbeat and the next heartbeat. */
  "db.heartbeat": 250,
  /** The longest wait for a notification of another process, before this one sends its own. */
  "db.other_heartbeat": 100,
  /** Changes are listened to again: none at first, then doubled each time, up to the longest. */
  "db.listen_again": 10,
  "db.longest_listen_again": 250,
  /** The same where the settings prevent it. */
  "db.listen_by_settings": 10_000,
  /** A standby that lags is asked again. */
  "db.standby_lag": 5,
  /** A standby that failed is left alone. */
  "db.standby_rest": 5_000,
  /** Until others' statements, which queued behind a migration, have got their locks. */
  "db.migration_locks": 1_000,
  /** Who blocks a migration: the first look, and those after it. */
  "db.first_blockers": 100,
  "db.blockers": 50,
  /** Until it may be this process's turn to migrate. */
  "db.migration_turn": 200,
  /** The schema is looked at again. */
  "db.schema": 500,
  /** The embedded database, which another process may be about to leave. */
  "db.embedded_turn": 100,
  /** Processes of a crashed one are still ending. */
  "db.embedded_retry": 200,
  /** It is started again: doubled each time, up to the longest. */
  "db.embedded_restart": 50,
  "db.longest_embedded_restart": 1_000,
  /** One that a killed process has left behind may have ended. */
  "db.orphan": 20,
  // events
  /** After a transaction of this process that may have recorded events. */
  "events.first": 10,
  /** The same, if there were many since the last look: a look costs as much as moving dozens of events. */
  "events.busy": 50,
  /** Between looks, if only other processes record events. */
  "events.of_others": 50,
  // gateway
  /** Idle connections to upstreams are looked through for those to close. */
  "gateway.idle_connections": 1_000,
  // http
  /** A stopping process still accepts connections, so that a load balancer sees `/readyz` fail. */
  "http.lame_duck": 250,
  // keys
  /** Before uses of keys are written again. */
  "keys.uses_retry": 2_000,
  // kyc
  /** Between batches of what is redacted or dropped: requests have priority. */
  "kyc.between_batches": 50,
  /** Between fetches of a captcha service's key set for keys that it does not contain. */
  "kyc.captcha_keys_again": 5_000,
  /** The process that looks at photos waits for the next one. Then it is stopped, so that its memory is free. */
  "kyc.look_idle": 30_000,
  /** Between two looks at the memory, and the CPU time, of a process that reads files or photos. */
  "kyc.memory_watch": 50,
  /** Between two heartbeats of an uploading process. Two in a row may fail. */
  "kyc.upload_heartbeat": 10_000,
  // limits
  /** Between looks at the deadlines of all calls or bodies. One fires at most two looks late. */
  "limits.deadlines": 25,
  /** Before a client that is over budget gets its refusal; up to twice as long. */
  "limits.refusal": 250,
  // marketplace
  /** After ClickHouse has taken no usage for the first time; then twice as long each time, up to the longest. */
  "marketplace.clickhouse_retry": 2_000,
  "marketplace.clickhouse_longest_retry": 10_000,
  /** Keys in Redis are on their way to another server. */
  "marketplace.redis_moving": 5,
  /** A process that ends writes usage again. */
  "marketplace.usage_at_end": 50,
  // mcp
  // operations
  // observability
  /** Samples of how late timers fire. */
  "observability.event_loop": 100,
  /** Until lines of the log are written together. */
  "observability.output": 5,
  // process
  // webhooks
  // work
  /** After a failure of the database, before it is asked again what work there is. */
  "work.retry": 100,
  /** For which results are collected, to settle them together. */
  "work.settle": 5,
  /** Before results are settled again after a failure of the database. */
  "work.settle_retry": 1_000,
  /** Between looks at whether all results of a stopping process are settled. */
  "work.stopping": 5,
  // workers
  /** A port that workers of a killed process still hold is tried again. */
  "workers.port": 50,
  /** Until a dead worker is replaced: doubled each time, up to the longest. */
  "workers.restart": 1_000,
  "workers.longest_restart": 30_000,
  /** A worker that has lived this long is replaced like the first. */
  "workers.settled": 60_000,
  /** Between a worker's reports. A killed one loses its counts since the last. */
  "workers.report": 1_000,
  /** Between batches of budget changes. */
  "workers.budget_changes": 50
} as const

export type TimeoutName = keyof typeof timeouts
export type PauseName = keyof typeof pauses

export interface Times {
  readonly timeouts: Readonly<Record<TimeoutName, number>>
  readonly pauses: Readonly<Record<PauseName, number>>
}

/** What production uses, in milliseconds. */
export const productionTimes: Times = { timeouts, pauses }

/** A name of the table, or milliseconds that were computed or configured. */
type Timeout = TimeoutName | number
type Pause = PauseName | number

/** The timers and timeouts that these times give. */
export const makeTiming = (times: Times) => {
  const timeout = (of: Timeout): number => (typeof of === "number" ? of : times.timeouts[of])
  const pause = (of: Pause): number => (typeof of === "number" ? of : times.pauses[of])
  return {
    times,

    /** In milliseconds, for what takes its timeout as a number: a driver, a socket. */
    timeout,

    /** In milliseconds. */
    pause,

    /** None if the effect takes longer. It is interrupted then. */
    within: <A, E, R>(of: Timeout, effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
      Effect.timeoutOption(effect, timeout(of)),

    /** Fails if the effect takes longer. It is interrupted then. */
    withinOr: <A, E, R, E2>(
      of: Timeout,
      effect: Effect.Effect<A, E, R>,
      onTimeout: () => E2
    ): Effect.Effect<A, E | E2, R> => Effect.timeoutFail(effect, { duration: timeout(of), onTimeout }),

    /** Aborts after the timeout, also if the garbage collector has run meanwhile. */
    signal: (of: Timeout): AbortSignal => AbortSignal.timeout(timeout(of)),

    /** Runs once, after the timeout. */
    after: (of: Timeout, run: () => void): Timer => after(timeout(of), run),

    /** Runs again and again, and keeps no process alive. */
    every: (of: Pause, run: () => void): Timer => every(pause(of), run),

    sleep: (of: Pause): Effect.Effect<void> => Effect.sleep(pause(of)),

    /** Pauses of this length between tries. */
    spaced: (of: Pause): Schedule.Schedule<number> => Schedule.spaced(pause(of)),

    /** Pauses between tries that double, from this length on. */
    exponential: (of: Pause) => Schedule.exponential(pause(of)),

    /** The same, up to the longest, and then of that length without end. */
    doubling: (first: Pause, longest: Pause) =>
      Schedule.union(Schedule.exponential(pause(first)), Schedule.spaced(pause(longest))),

    /** Ends a schedule once the timeout is over. */
    upTo: <Out, In, R>(of: Timeout, schedule: Schedule.Schedule<Out, In, R>) =>
      Schedule.upTo(schedule, timeout(of))
  }
}

/** Read it where a service is made: `const timing = yield* Timing`. */
export class Timing extends Context.Reference<Timing>()("doorlock/Timing", {
  defaultValue: () => makeTiming(productionTimes)
}) {}
