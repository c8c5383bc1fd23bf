/** Decisions 1: a database that is unreachable or failing is each route's own 500; recovery comes by itself. */
import { readFile } from "node:fs/promises"
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { send } from "../support/client.ts"
import type { Company } from "../support/credentials.ts"
import { ask, onDatabase, ownFailure, recovers, start } from "../support/faulty-database.ts"
import { databasePid } from "../support/program.ts"
import type { RunningServer } from "../support/server.ts"

/** Every route's own 500, each within `seconds`, asked one after the other or all at once. */
const everyRouteFails = (
  server: RunningServer,
  company: Company,
  { seconds, concurrency }: { readonly seconds: number; readonly concurrency: number }
) =>
  Effect.gen(function* () {
    const answers = yield* Effect.forEach(
      onDatabase,
      (route) =>
        Effect.map(Effect.timed(ask(server, company, route)), ([elapsed, { body, headers, status }]) => ({
          name: route.name,
          answer: [status, body],
          named: headers.has("x-request-id"),
          inTime: Duration.toSeconds(elapsed) < seconds
        })),
      { concurrency }
    )
    expect(answers).toEqual(
      onDatabase.map((route) => ({
        name: route.name,
        answer: [500, ownFailure(route)],
        named: true,
        inTime: true
      }))
    )
    expect((yield* send(server, "GET", "/healthz")).status).toBe(200)
    const ready = yield* send(server, "GET", "/readyz")
    expect([ready.status, ready.text]).toEqual([503, '{"error":"Not ready"}'])
  })

it.scopedLive(
  "refusing connections: each route's own 500, and good again within 2 s of its return",
  () =>
    Effect.gen(function* () {
      const { company, proxy, server } = yield* start
      yield* proxy.refuse
      yield* everyRouteFails(server, company, { seconds: 5, concurrency: 1 })
      yield* proxy.forward
      yield* recovers(server, company)
    }),
  60_000
)

it.scopedLive(
  "not answering any more: each route's own 500 in bounded time, and good again",
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
      // A statement is given up after 10.5 s, and nobody waits longer than 3 s for a connection.
      yield* everyRouteFails(server, company, { seconds: 16, concurrency: onDatabase.length })
      yield* signal("SIGCONT")
      yield* recovers(server, company)
    }),
  90_000
)
