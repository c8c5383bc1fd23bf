/** The database refuses connections, or stops answering: each route answers its own 500, and recovers automatically. */
import { readFile } from "node:fs/promises"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ContractRoute } from "../support/contract.ts"
import type { Company } from "../support/credentials.ts"
import { ask, everyRouteFails, onDatabase, recovers, start } from "../support/database/faulty-database.ts"
import { NotInTime } from "../support/eventually.ts"
import { databasePid } from "../support/program.ts"
import type { RunningServer } from "../support/server.ts"

/** Like `ask`; a route that says nothing fails by its name. */
const asked = (server: RunningServer, company: Company) => (route: ContractRoute) =>
  ask(server, company, route).pipe(
    Effect.timeoutFail({
      duration: "2 minutes",
      onTimeout: () => new NotInTime(`${route.name} is not answered while the database is away`)
    })
  )

describe.concurrent("the database", () => {
  it.scopedLive("refuses connections: each route's own 500, and recovery once it is back", () =>
    Effect.gen(function* () {
      const { company, proxy, server } = yield* start
      yield* proxy.refuse
      yield* everyRouteFails(server, asked(server, company), 1)
      yield* proxy.forward
      yield* recovers(server, company)
    })
  )

  it.scopedLive(
    "stops responding: no request waits for ever, each route's own 500, and recovery once it is back",
    () =>
      Effect.gen(function* () {
        const { company, dataDir, server } = yield* start
        const postmaster = yield* databasePid(dataDir)
        const children = yield* Effect.promise(() =>
          readFile(`/proc/${postmaster}/task/${postmaster}/children`, "utf8")
        )
        const all = [postmaster, ...children.trim().split(" ").map(Number)]
        const signal = (name: NodeJS.Signals) =>
          Effect.sync(() => {
            for (const pid of all) {
              try {
                process.kill(pid, name)
              } catch {
                // One of those that were going to end has ended.
              }
            }
          })
        yield* Effect.acquireRelease(signal("SIGSTOP"), () => signal("SIGCONT"))
        yield* everyRouteFails(server, asked(server, company), onDatabase.length)
        yield* signal("SIGCONT")
        yield* recovers(server, company)
      })
  )
})
