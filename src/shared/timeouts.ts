/** Milliseconds after which something gives up. */
export const timeouts = {
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
