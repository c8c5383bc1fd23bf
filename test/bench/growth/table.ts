/** Prints what one session takes, and what many need. */
import { Effect } from "effect"
import { say } from "../table.ts"
import { requests } from "./lives.ts"
import { type Figures, type Load, type Needs, needs } from "./model.ts"

/** The three loads of docs/scale.md. */
const loads: ReadonlyArray<Load> = [
  { sessions: 1e6, calls: 1e3, keys: 1e3 },
  { sessions: 3e7, calls: 3e4, keys: 3e4 },
  { sessions: 1e9, calls: 1e6, keys: 1e6 }
]

const units = ["B", "kB", "MB", "GB", "TB", "PB"]

/** Bytes, by three digits. */
export const withUnit = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3 + 1e-9))
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`
}

const count = (value: number): string => Math.round(value).toLocaleString("en")

/** A number, by two digits or more. */
const short = (value: number): string => {
  if (value >= 1e6) return `${count(value / 1e6)}M`
  if (value >= 1e4) return `${count(value / 1e3)}k`
  return value >= 100 ? count(value) : String(Number(value.toPrecision(2)))
}

/** How a need is printed. */
const rows: ReadonlyArray<readonly [string, (needed: Needs) => string]> = [
  ["new sessions a second when most come", ({ sessionsAtPeak }) => short(sessionsAtPeak)],
  ["sessions and what hangs on them", ({ sessionBytes }) => withUnit(sessionBytes)],
  ["of which indexes of all but files", ({ indexBytes }) => withUnit(indexBytes)],
  ["audit trail", ({ auditBytes }) => withUnit(auditBytes)],
  ["events and deliveries of 37 days", ({ eventBytes }) => withUnit(eventBytes)],
  ["usage of a year", ({ usageBytes }) => withUnit(usageBytes)],
  ["all of it", ({ bytes }) => withUnit(bytes)],
  ["sessions of a month", ({ monthBytes }) => withUnit(monthBytes)],
  ["WAL of sessions a day", ({ walADay }) => withUnit(walADay)],
  ["WAL of sessions a second when most come", ({ walAtPeak }) => withUnit(walAtPeak)],
  ["hours of `pg_dump`", ({ dumpHours }) => short(dumpHours)],
  ["minutes that one new index of all sessions takes", ({ indexMinutes }) => short(indexMinutes)],
  ["cores of Postgres for sessions", ({ postgresCores }) => short(postgresCores)],
  ["processes for sessions", ({ apiProcesses }) => count(apiProcesses)],
  ["processes for the gateway", ({ gatewayProcesses }) => count(gatewayProcesses)],
  ["their connections without a pooler", ({ connections }) => count(connections)],
  ["shards of Redis", ({ redisShards }) => count(redisShards)],
  ["keys looked up a second, calls spread at random", ({ misses }) => short(misses)],
  ["keys looked up a second, each key at one process", ({ missesBalanced }) => short(missesBalanced)],
  ["rows of usage a second, calls spread at random", ({ usageRows }) => short(usageRows)],
  ["rows of usage a second, each key at one process", ({ usageRowsBalanced }) => short(usageRowsBalanced)],
  ["changes a second that all processes hear of, at most", ({ changes }) => count(changes)],
  ["days until Postgres freezes a whole table", ({ freezeDays }) => short(freezeDays)],
  ["days until it stops, if it cannot", ({ stopDays }) => short(stopDays)]
]

/** How a figure is printed. */
const figureRows: ReadonlyArray<readonly [string, (figures: Figures) => string]> = [
  ["bytes of a session and what hangs on it, without files", ({ sessionBytes }) => withUnit(sessionBytes)],
  ["of which indexes", ({ sessionIndexBytes }) => withUnit(sessionIndexBytes)],
  ["bytes of a file in the database", ({ fileBytes }) => withUnit(fileBytes)],
  ["bytes of a session's events", ({ eventBytes }) => withUnit(eventBytes)],
  ["bytes of a session in the audit trail", ({ auditBytes }) => withUnit(auditBytes)],
  ["bytes of a row of usage", ({ usageBytes }) => withUnit(usageBytes)],
  ["WAL of a session", ({ walBytes }) => withUnit(walBytes)],
  ["transactions of a session", ({ transactions }) => short(transactions)],
  ["CPU time of doorlock for a session", ({ serviceMicros }) => `${count(serviceMicros)} µs`],
  ["CPU time of Postgres for a session", ({ postgresMicros }) => `${count(postgresMicros)} µs`],
  ["CPU time of doorlock for a gateway call", ({ callMicros }) => `${count(callMicros)} µs`],
  ["CPU time of Redis for a gateway call", ({ redisMicros }) => `${count(redisMicros)} µs`],
  [
    "time of a commit that tells no process of a change, and more for each",
    ({ changeSeconds }) => `${count(1e6 * changeSeconds.fixed)} µs, ${count(1e6 * changeSeconds.each)} µs`
  ]
]

/** Prints the figures, and what the three loads need by them. */
export const sayNeeds = (figures: Figures) =>
  Effect.gen(function* () {
    yield* say(`\nWhat a session (${requests} requests), a file, a row of usage and a call take\n`)
    yield* say("| What | Measured |\n|---|---|")
    for (const [what, write] of figureRows) yield* say(`| ${what} | ${write(figures)} |`)

    const needed = loads.map((load) => needs(figures, load))
    yield* say("\nWhat a year's sessions and so many calls a second need\n")
    yield* say(
      `| | ${loads.map(({ calls, sessions }) => `${short(sessions)} sessions, ${short(calls)} calls/s`).join(" | ")} |`
    )
    yield* say(`|---|${"---|".repeat(loads.length)}`)
    for (const [what, write] of rows) yield* say(`| ${what} | ${needed.map(write).join(" | ")} |`)
  })
