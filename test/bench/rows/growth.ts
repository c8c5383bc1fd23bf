/** What a session, a file, a row of usage, a gateway call and a change of a key take. docs/scale.md computes large loads from it. */
import { Effect } from "effect"
import { called } from "../growth/calls.ts"
import { told } from "../growth/changes.ts"
import { bytesOf, filled, numbers } from "../growth/database.ts"
import { lived, type Spent } from "../growth/lives.ts"
import { say } from "../table.ts"

/** What belongs to one session is the difference between these numbers of sessions. */
const made = [2_000, 20_000] as const

/** Sessions of a database that is large enough: in a small one, the empty partitions of usage count for most of its rows. */
const enough = 1_000_000

const units = ["B", "kB", "MB", "GB"]

/** Bytes, by three digits. */
const withUnit = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`
}

export const growthHeader = ["| What | Measured |", "|---|---|"]

export const growth = Effect.gen(function* () {
  const [few, many] = yield* lived(made)
  if (few === undefined || many === undefined) return
  const each = (name: keyof Spent) => (many[name] - few[name]) / (many.made - few.made)
  const read = yield* numbers(yield* filled(enough), {
    file: `(${bytesOf("kyc_files")} + ${bytesOf("kyc_photo_bands")}) / (select count(*) from kyc_files)`,
    usage: `${bytesOf("api_usage")} / (select count(*) from api_usage)`
  })
  const call = yield* called
  const change = yield* told
  const micros = (value: number) => `${Math.round(value)} µs`
  for (const [what, value] of [
    ["a session and its rows, without files", withUnit(each("sessions"))],
    ["of which indexes", withUnit(each("sessionIndexes"))],
    ["a file, in the database", withUnit(read("file"))],
    ["events of a session", withUnit(each("events"))],
    ["a row of usage", withUnit(read("usage"))],
    ["audit trail of a session", withUnit(each("audit"))],
    ["WAL of a session", withUnit(each("wal"))],
    ["transactions of a session", each("transactions").toFixed(1)],
    ["CPU time of a session: doorlock", micros(each("serviceMicros"))],
    ["CPU time of a session: Postgres", micros(each("postgresMicros"))],
    ["CPU time of a gateway call: doorlock", micros(call.callMicros)],
    ["CPU time of a gateway call: Redis", micros(call.redisMicros)],
    ["a commit that tells processes of a change", micros(1e6 * change.fixed)],
    ["for each process", micros(1e6 * change.each)]
  ])
    yield* say(`| ${what} | ${value} |`)
}).pipe(Effect.scoped)
