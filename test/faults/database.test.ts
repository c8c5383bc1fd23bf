/** The database stops answering: each route answers its own 500, and recovers by itself. `http/database-failures` has one that refuses connections. */
import { readFile } from "node:fs/promises"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "../support/client.ts"
import type { Company } from "../support/credentials.ts"
import { ask, onDatabase, ownFailure, recovers, start } from "../support/database/faulty-database.ts"
import { NotInTime } from "../support/eventually.ts"
import { databasePid } from "../support/program.ts"
import type { RunningServer } from "../support/server.ts"

/** Every route answers its own 500, asked all at once. A route that says nothing fails by its name. */
const everyRouteFails = (server: RunningServer, company: Company) =>
  Effect.gen(function* () {
    const answers = yield* Effect.forEach(
      onDatabase,
      (route) =>
        ask(server, company, route).pipe(
          Effect.map(({ body, headers, status }) => ({
            name: route.name,
            answer: [status, body],
            named: headers.has("x-request-id")
          })),
          Effect.timeoutFail({
            duration: "2 minutes",
            onTimeout: () => new NotInTime(`${route.name} is not answered while the database is away`)
          })
        ),
      { concurrency: "unbounded" }
    )
    expect(answers, "each route's own 500, with a request id").toEqual(
      onDatabase.map((route) => ({ name: route.name, answer: [500, ownFailure(route)], named: true }))
    )
    expect((yield* send(server, "GET", "/healthz")).status).toBe(200)
    const ready = yield* send(server, "GET", "/readyz")
    expect([ready.status, ready.text]).toEqual([503, '{"error":"Not ready"}'])
  })

it.scopedLive(
  "the database stops responding: no request waits for ever, each route's own 500, and recovery once it is back",
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
      yield* everyRouteFails(server, company)
      yield* signal("SIGCONT")
      yield* recovers(server, company)
    })
)
