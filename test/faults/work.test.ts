/** A process that adds and runs jobs is killed or stopped: no committed job is lost, none runs that was not added, and each is settled once. */
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, type Redacted } from "effect"
import { freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"
import { childProgram } from "../support/run/child-program.ts"
import { sized } from "../support/run/fault-size.ts"
import { stored } from "../support/work/dispatching.ts"

const program = join(import.meta.dirname, "../support/work/work-program.ts")

/** The program as a process of its own, killed with the scope. */
const working = (url: Redacted.Redacted, from: number, adds: boolean) =>
  Effect.gen(function* () {
    const { child, end } = yield* childProgram(program, url, {
      FROM: String(from),
      ADDS: adds ? "yes" : "no"
    })
    let output = ""
    child.stdout.on("data", (chunk: string) => {
      output += chunk
    })
    const lines = (word: string) =>
      [...output.matchAll(new RegExp(`^${word} (\\d+)$`, "gm"))].map(([, n]) => Number(n))
    yield* eventually("the process is ready", () => output.startsWith("ready\n"))
    return { end, lines }
  })

it.scopedLive(
  "kill -9 at random points: no committed job is lost, none is invented, and each is settled once",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* execute(url, "create table ran (n int not null)")
      const [tried, committed] = [new Set<number>(), new Set<number>()]
      let next = 1
      let jobsAtKills = 0
      // And until a kill has met jobs: those of a fast machine may all be done.
      for (let kill = 0; kill < sized(5, 60) || jobsAtKills === 0; kill++) {
        const { end, lines } = yield* working(url, next, true)
        const enough = 20 + Math.floor(Math.random() * 200)
        yield* eventually("jobs are added", () => lines("added").length >= enough)
        yield* end("SIGKILL")
        for (const n of lines("adding")) tried.add(n)
        for (const n of lines("added")) committed.add(n)
        next = Math.max(...tried) + 1
        jobsAtKills += Number((yield* stored(url))?.jobs)
        // As if the dead process's leases had ended.
        yield* execute(
          url,
          "update work_lanes set lease = now() - interval '1 second' where holder is not null"
        )
      }
      yield* working(url, next, false)
      yield* eventually(
        "all work is done",
        Effect.map(stored(url), (counts) => counts?.jobs === 0 && counts.lanes === 0)
      )
      const ran = (yield* execute(url, "select n from ran order by n")).map(({ n }) => Number(n))
      expect(ran.length).toBe(new Set(ran).size)
      expect([...committed].filter((n) => !ran.includes(n))).toEqual([])
      expect(ran.filter((n) => !tried.has(n))).toEqual([])
      expect(yield* stored(url)).toMatchObject({ poison: 0 })
    })
)

it.scopedLive("SIGTERM: the process settles what it has run, and gives its lanes back", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    yield* execute(url, "create table ran (n int not null)")
    const { end, lines } = yield* working(url, 1, true)
    yield* eventually("jobs are added", () => lines("added").length >= 200)
    yield* end("SIGTERM")
    expect(yield* execute(url, "select from work_lanes where holder is not null")).toEqual([])
    const ran = yield* execute(
      url,
      "select n from ran union all select (payload->>'n')::int from work_jobs order by n"
    )
    const all = ran.map(({ n }) => Number(n))
    expect(all.length).toBe(new Set(all).size)
    expect(lines("added").filter((n) => !all.includes(n))).toEqual([])
    expect(all.filter((n) => !lines("adding").includes(n))).toEqual([])
  })
)
