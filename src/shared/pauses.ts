/** Milliseconds for which something waits on purpose: before it tries again, or goes on. */
export const pauses = {
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
