/** What so many sessions and gateway calls need, computed from what one of each takes. `bun run bench growth` measures that. */

/** A quantity that grows evenly: bytes, by the number of sessions. */
export interface Line {
  readonly fixed: number
  readonly each: number
}

interface Point {
  readonly count: number
  readonly value: number
}

/** The line through two points, of which the second has the larger count. */
export const lineThrough = (low: Point, high: Point): Line => {
  const each = (high.value - low.value) / (high.count - low.count)
  return { each, fixed: low.value - each * low.count }
}

export const valueAt = ({ each, fixed }: Line, count: number): number => fixed + each * count

/** What is measured, on one machine. */
export interface Figures {
  /** Bytes that a session adds for good, with all that hangs on it but files, and with indexes. */
  readonly sessionBytes: number
  /** How many of these bytes are indexes. */
  readonly sessionIndexBytes: number
  /** Bytes that a file adds to the database, with what finds photos that look the same. */
  readonly fileBytes: number
  /** Bytes of a row of usage: calls of a key on a day with one outcome. */
  readonly usageBytes: number
  /** Bytes of a session in the audit trail. */
  readonly auditBytes: number
  /** Bytes of a session in tables whose rows go after some weeks: events and deliveries. */
  readonly eventBytes: number
  /** Bytes of Postgres' log (WAL) that a session takes in all. */
  readonly walBytes: number
  /** Transaction ids that a session takes in all. */
  readonly transactions: number
  /** CPU time of doorlock, and of Postgres, for all requests of a session, in microseconds. */
  readonly serviceMicros: number
  readonly postgresMicros: number
  /** CPU time of doorlock for a gateway call, and of Redis for counting it, in microseconds. */
  readonly callMicros: number
  readonly redisMicros: number
  /** Seconds of a commit that tells all processes of a change, by their number. Such commits wait for each other. */
  readonly changeSeconds: Line
}

/** What other runs have measured, or the code says. Each has its source. */
export const constants = {
  /** Keys of a family that a process caches, at least (`KEY_CACHE_KEYS`): docs/configuration.md. */
  cachedKeys: 20_000,
  /** `DATABASE_POOL`, and one connection each to receive changes and to check that they arrive: docs/configuration.md. */
  connections: 12,
  /** The same for a process with `ROLE=gateway`. */
  gatewayConnections: 6,
  /** A day's events are kept for 30 days, and then until the week ends: `migrations/0026_events.sql`. */
  eventDays: 37,
  /** Transactions a second that heartbeats take, however many processes there are: `src/db/changes.ts`. */
  heartbeats: 4,
  /** Photos of a session: a document's two sides, and a selfie. */
  files: 3,
  /** Outcomes that a key's calls have on a day: most have worked, and some have not. */
  outcomes: 2,
  /** Each process writes the usage it has counted once a second: docs/architecture.md. */
  usageBatches: 1,
  /** Rows of usage that Postgres writes a second, at least. Measured once on two shared cores. */
  usageRows: 15_000,
  /** Seconds for which an index of a million sessions is built: docs/operations.md#upgrade. */
  indexSeconds: 3,
  /** Bytes a second of `pg_dump`, at least: 2 TB in 6 hours, measured once on two shared cores. */
  dumpRate: 93e6,
  /** Age in transactions at which Postgres freezes a whole table (`autovacuum_freeze_max_age`). */
  freezeAge: 200e6,
  /** Age in transactions at which Postgres accepts no writes. */
  stopAge: 2 ** 31 - 3e6
} as const

/** What there is to be served. */
export interface Load {
  /** Sessions that come in a year, and are kept. */
  readonly sessions: number
  /** Gateway calls a second when most come. */
  readonly calls: number
  /** Keys that call. */
  readonly keys: number
}

/** When most sessions come, there are so many times the average. */
export const peak = 4

/** The share of a core that may be in use when most comes. The rest is for what nobody has foreseen. */
export const usable = 0.5

/** Replicas in which a process has to be, so that one may stop. */
const leastProcesses = 2

const year = 365
const secondsADay = 86_400

/** What a load needs. Bytes, CPU cores and processes; times as named. */
export interface Needs {
  readonly sessionsAtPeak: number
  readonly sessionBytes: number
  readonly indexBytes: number
  readonly auditBytes: number
  readonly eventBytes: number
  readonly usageBytes: number
  readonly bytes: number
  /** Of the sessions and what hangs on them, if each partition has those of a month. */
  readonly monthBytes: number
  readonly walADay: number
  readonly walAtPeak: number
  readonly dumpHours: number
  /** For how long an index of all sessions is built, which blocks their writes. */
  readonly indexMinutes: number
  readonly apiProcesses: number
  readonly gatewayProcesses: number
  /** Of all processes, without a pooler. */
  readonly connections: number
  /** Of Postgres, for sessions alone. */
  readonly postgresCores: number
  /** Parts of Redis, each a thread, that count calls. */
  readonly redisShards: number
  /** Look-ups of keys a second that are not cached, if calls come to any process, and if those of a key come to the same one. */
  readonly misses: number
  readonly missesBalanced: number
  /** Rows of usage that are written a second, in the same two cases. */
  readonly usageRows: number
  readonly usageRowsBalanced: number
  /** Changes of keys, subscriptions and APIs that Postgres can tell all processes of, a second. */
  readonly changes: number
  /** Until Postgres freezes a whole table, and until it accepts no writes if it cannot. */
  readonly freezeDays: number
  readonly stopDays: number
}

/** How many different ones are among `drawn` of `all`, if each is as likely. */
const distinct = (all: number, drawn: number): number => (all === 0 ? 0 : all * -Math.expm1(-drawn / all))

const processesFor = (micros: number): number =>
  micros === 0 ? 0 : Math.max(leastProcesses, Math.ceil(micros / 1e6 / usable))

export const needs = (figures: Figures, { calls, keys, sessions }: Load): Needs => {
  const sessionsADay = sessions / year
  const sessionsAtPeak = (peak * sessionsADay) / secondsADay
  const sessionBytes = sessions * (figures.sessionBytes + constants.files * figures.fileBytes)
  const auditBytes = sessions * figures.auditBytes
  const eventBytes = sessionsADay * constants.eventDays * figures.eventBytes
  const usageBytes = keys * year * constants.outcomes * figures.usageBytes
  const bytes = sessionBytes + auditBytes + eventBytes + usageBytes
  const apiProcesses = processesFor(sessionsAtPeak * figures.serviceMicros)
  const gatewayProcesses = processesFor(calls * figures.callMicros)
  const processes = apiProcesses + gatewayProcesses
  const missing = (cached: number) => calls * Math.max(0, 1 - cached / Math.max(keys, 1))
  const transactionsADay =
    sessionsADay * figures.transactions +
    secondsADay * (constants.heartbeats + gatewayProcesses * constants.usageBatches)
  return {
    sessionsAtPeak,
    sessionBytes,
    indexBytes: sessions * figures.sessionIndexBytes,
    auditBytes,
    eventBytes,
    usageBytes,
    bytes,
    monthBytes: sessionBytes / 12,
    walADay: sessionsADay * figures.walBytes,
    walAtPeak: sessionsAtPeak * figures.walBytes,
    dumpHours: bytes / constants.dumpRate / 3600,
    indexMinutes: ((sessions / 1e6) * constants.indexSeconds) / 60,
    apiProcesses,
    gatewayProcesses,
    connections: apiProcesses * constants.connections + gatewayProcesses * constants.gatewayConnections,
    postgresCores: (sessionsAtPeak * figures.postgresMicros) / 1e6 / usable,
    redisShards: Math.ceil((calls * figures.redisMicros) / 1e6 / usable),
    misses: missing(constants.cachedKeys),
    missesBalanced: missing(constants.cachedKeys * gatewayProcesses),
    usageRows: gatewayProcesses === 0 ? 0 : gatewayProcesses * distinct(keys, calls / gatewayProcesses),
    usageRowsBalanced: distinct(keys, calls),
    changes: 1 / valueAt(figures.changeSeconds, processes),
    freezeDays: constants.freezeAge / transactionsADay,
    stopDays: constants.stopAge / transactionsADay
  }
}
