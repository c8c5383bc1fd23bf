/**
 * `bun run bench`: measures doorlock and hand-written servers in turn, on one Postgres, and prints how they
 * compare. It needs `wrk`, and `nginx` for one row. `bun run bench sessions gateway` measures only these rows.
 *
 * `ROUNDS` (3) and `SECONDS` (5) set how often, and how many seconds, each server is measured.
 */
import { Effect, Logger, LogLevel, type Scope } from "effect"
import { photosHeader } from "./looks.ts"
import { checking } from "./rows/checking.ts"
import { checks } from "./rows/checks.ts"
import { clock } from "./rows/clock.ts"
import { documents } from "./rows/documents.ts"
import { flood } from "./rows/flood.ts"
import { gateway, latency } from "./rows/gateway.ts"
import { growth, growthHeader } from "./rows/growth.ts"
import { memory } from "./rows/memory.ts"
import { million } from "./rows/million.ts"
import { partitions } from "./rows/partitions.ts"
import { reading } from "./rows/reading.ts"
import { recovery } from "./rows/recovery.ts"
import { refusals } from "./rows/refusals.ts"
import { revocation } from "./rows/revocation.ts"
import { sessions } from "./rows/sessions.ts"
import { starts } from "./rows/starts.ts"
import { webhooks } from "./rows/webhooks.ts"
import { work, workHeader } from "./rows/work.ts"
import { written } from "./rows/written.ts"
import { comparisonsHeader, figuresHeader, rounds, say, seconds } from "./table.ts"

type Rows = Readonly<Record<string, Effect.Effect<void, unknown, Scope.Scope>>>

/** Rows that compare two servers, by their names on the command line. */
const comparisons: Rows = { sessions, gateway, refusals, million }

/** Rows that measure doorlock alone. */
const figures: Rows = {
  latency,
  starts,
  revocation,
  recovery,
  clock,
  flood,
  documents,
  memory,
  webhooks,
  checking,
  reading,
  written,
  partitions
}

/** Rows that compare two queues of work. */
const queues: Rows = { work }

/** Rows that measure what is read from photos. */
const photos: Rows = { checks }

/** Rows that measure what one more of each takes. */
const grown: Rows = { growth }

const asked = process.argv.slice(2)
const names = [comparisons, figures, queues, photos, grown].flatMap((rows) => Object.keys(rows))

/** Prints the requested rows of a table. */
const table = (introduction: string, header: ReadonlyArray<string>, rows: Rows) =>
  Effect.gen(function* () {
    const chosen = Object.entries(rows).filter(([name]) => asked.length === 0 || asked.includes(name))
    if (chosen.length === 0) return
    yield* say(`\n${introduction}\n`)
    yield* Effect.forEach(header, say)
    for (const [, row] of chosen) yield* Effect.scoped(row)
  })

const bench = Effect.gen(function* () {
  const unknown = asked.filter((name) => !names.includes(name))
  if (unknown.length > 0)
    return yield* Effect.fail(`There are no rows ${unknown.join(", ")}; there are ${names.join(", ")}`)
  if (Bun.which("wrk") === null && (asked.length === 0 || asked.some((name) => !Object.hasOwn(photos, name))))
    return yield* Effect.fail("There is no wrk: install it (Debian: apt-get install wrk nginx)")
  yield* table(
    `${rounds} rounds of ${seconds} s each, 32 connections; medians`,
    comparisonsHeader,
    comparisons
  )
  yield* table("doorlock by itself", figuresHeader, figures)
  yield* table(`Work that is done later, ${rounds} rounds; medians`, workHeader, queues)
  yield* table(
    "What is read from photos of specimens, rendered with a typeface that the reader was not trained on",
    photosHeader,
    photos
  )
  yield* table("How data grows", growthHeader, grown)
})

await Effect.runPromise(
  bench.pipe(
    Effect.catchAll((sentence) =>
      typeof sentence === "string"
        ? Effect.sync(() => {
            process.stderr.write(`${sentence}\n`)
            process.exitCode = 1
          })
        : Effect.die(sentence)
    ),
    Logger.withMinimumLogLevel(LogLevel.Warning)
  )
)
