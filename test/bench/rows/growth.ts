/** What a billion sessions and a million gateway calls a second need, and how well the model of it predicts what is measured. */
import { Effect } from "effect"
import { called } from "../growth/calls.ts"
import { told } from "../growth/changes.ts"
import { bytesOf, filledWith, numbers, type Size, sizeOf } from "../growth/database.ts"
import { lived, type Spent } from "../growth/lives.ts"
import { type Figures, type Line, lineThrough, valueAt } from "../growth/model.ts"
import { sayNeeds, withUnit } from "../growth/table.ts"
import { say } from "../table.ts"

/** Numbers of sessions that the service makes: two give the line that the last has to be on. */
const made = [2_000, 6_000, 20_000] as const

/** Numbers of sessions that databases are filled with: two give the line, and the others have to be on it. */
const filledFrom = [5_000, 20_000] as const
const filledTo = [50_000, 200_000, 1_000_000] as const

export const growthHeader = [
  "| Sessions | By | Bytes predicted | Measured | Error |",
  "|---|---|---|---|---|"
]

const lineOf = (low: readonly [number, number], high: readonly [number, number]): Line =>
  lineThrough({ count: low[0], value: low[1] }, { count: high[0], value: high[1] })

const sayPrediction = (sessions: number, by: string, line: Line, measured: number) => {
  const predicted = valueAt(line, sessions)
  return say(
    `| ${sessions.toLocaleString("en")} | ${by} | ${withUnit(predicted)} | ${withUnit(measured)} | ${(
      (predicted / measured - 1) * 100
    ).toFixed(1)} % |`
  )
}

/** What a session takes, between two of the totals. */
const perSession = (from: Spent, to: Spent) => (name: keyof Spent) =>
  (to[name] - from[name]) / (to.made - from.made)

export const growth = Effect.gen(function* () {
  const [first, second, last] = yield* lived(made)
  if (first === undefined || second === undefined || last === undefined) return
  yield* sayPrediction(
    last.made,
    "the service",
    lineOf([first.made, first.all], [second.made, second.all]),
    last.all
  )

  const sizes = new Map<number, Size>()
  let bytes = { file: 0, usage: 0 }
  for (const sessions of [...filledFrom, ...filledTo])
    yield* Effect.scoped(
      Effect.gen(function* () {
        const url = yield* filledWith(sessions)
        sizes.set(sessions, yield* sizeOf(url))
        // In a small database, the empty partitions of usage would count for most of its rows.
        if (sessions !== filledTo[2]) return
        const read = yield* numbers(url, {
          file: `(${bytesOf("kyc_files")} + ${bytesOf("kyc_photo_bands")}) / (select count(*) from kyc_files)`,
          usage: `${bytesOf("api_usage")} / (select count(*) from api_usage)`
        })
        bytes = { file: read("file"), usage: read("usage") }
      })
    )
  const filledBytes = (sessions: number): readonly [number, number] => [
    sessions,
    sizes.get(sessions)?.all ?? Number.NaN
  ]
  const line = lineOf(filledBytes(filledFrom[0]), filledBytes(filledFrom[1]))
  for (const sessions of filledTo)
    yield* sayPrediction(sessions, "`test/fill`", line, filledBytes(sessions)[1])

  const each = perSession(first, last)
  const figures: Figures = {
    sessionBytes: each("sessions"),
    sessionIndexBytes: each("sessionIndexes"),
    fileBytes: bytes.file,
    usageBytes: bytes.usage,
    auditBytes: each("audit"),
    eventBytes: each("events"),
    walBytes: each("wal"),
    transactions: each("transactions"),
    serviceMicros: each("serviceMicros"),
    postgresMicros: each("postgresMicros"),
    ...(yield* called),
    changeSeconds: yield* told
  }
  yield* sayNeeds(figures)
})
