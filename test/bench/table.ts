/** The output of the benchmark: two tables, printed row by row. */
import { Effect } from "effect"
import { type Call, inTurn, type Measured } from "./load.ts"
import type { Server } from "./servers.ts"

/** How often, and for how long, each of the two is measured. */
export const rounds = Number(process.env.ROUNDS ?? 3)
export const seconds = Number(process.env.SECONDS ?? 5)

export const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

export const comparisonsHeader = [
  "| What | Against | Ratio | Goal | req/s | against | CPU µs | against | p99 ms | against |",
  "|---|---|---|---|---|---|---|---|---|---|"
]

export const figuresHeader = ["| What | Measured | Goal |", "|---|---|---|"]

interface Comparison {
  readonly what: string
  readonly against: string
  /** The lowest acceptable ratio of requests per second. */
  readonly goal: number
  readonly ours: Measured
  readonly theirs: Measured
}

const verdict = (reached: boolean) => (reached ? "" : " (missed)")

const thousands = (value: number) => (value < 1000 ? value.toFixed(0) : `${(value / 1000).toFixed(1)}k`)

const line = ({ against, goal, ours, theirs, what }: Comparison): string => {
  const ratio = ours.requestsPerSecond / theirs.requestsPerSecond
  return `| ${what} | ${against} | ${ratio.toFixed(2)}${verdict(ratio >= goal)} | ${goal} | ${[
    thousands(ours.requestsPerSecond),
    thousands(theirs.requestsPerSecond),
    ours.cpuMicros.toFixed(0),
    theirs.cpuMicros.toFixed(0),
    ours.p99Millis.toFixed(1),
    theirs.p99Millis.toFixed(1)
  ].join(" | ")} |`
}

/** Measures two in turn, and prints the comparison. */
export const compare = (
  what: string,
  against: string,
  goal: number,
  ours: readonly [Server, Call],
  theirs: readonly [Server, Call]
) =>
  Effect.gen(function* () {
    const measured = yield* Effect.promise(() =>
      inTurn(
        { pids: ours[0].pids, call: ours[1] },
        { pids: theirs[0].pids, call: theirs[1] },
        rounds,
        seconds
      )
    )
    yield* say(line({ what, against, goal, ...measured }))
  })

/** Prints a figure next to its goal, without a comparison. */
export const figure = (what: string, measured: string, goal: string, reached: boolean) =>
  say(`| ${what} | ${measured}${verdict(reached)} | ${goal} |`)

/** Values that differ between responses or servers: ids, tokens, times, addresses. */
const singular =
  /\b(?:http:\/\/[\w.]+:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|kyc_sess_\w+|\d{4}-\d\d-\d\dT[\d:.]+Z)/g

/**
 * Expects the same response from both servers, byte for byte except for ids, tokens, times and addresses.
 *
 * @param withHeaders whether the headers must be equal, too; those of a proxy that checks nothing are not
 */
export const mustAgree = (left: Call, right: Call, withHeaders: boolean) =>
  Effect.promise(async () => {
    const [ours, theirs] = await Promise.all(
      [left, right].map(async ({ body, headers = {}, method = "GET", url }) => {
        const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
        const lines = [...answer.headers].flatMap(([name, value]) =>
          name === "date" || name === "content-length"
            ? []
            : [`${name}: ${value.replace(";charset=utf-8", "")}`]
        )
        const text = [answer.status, ...(withHeaders ? lines.sort() : []), await answer.text()].join("\n")
        return text.replaceAll(singular, "…")
      })
    )
    if (ours !== theirs) throw new Error(`The servers differ:\n${ours}\n${theirs}`)
  })
