/** The database fails beneath clients that write: what was answered is there, what failed is whole or not at all, nothing twice. */
import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { createSession, send } from "../support/client.ts"
import { reads, recovers, start } from "../support/database/faulty-database.ts"
import { eventually } from "../support/eventually.ts"
import { execute } from "../support/postgres.ts"
import { databasePid } from "../support/program.ts"
import { sized } from "../support/run/fault-size.ts"
import { allWriters } from "../support/writers/all.ts"
import { ledger } from "../support/writers/ledger.ts"

type Started = Effect.Effect.Success<typeof start>

/** Lets clients write and read without a pause until `during` is over, and then looks at what they were told. */
const underLoad = <E, R>(started: Started, during: Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const { company, server, url } = started
    const book = ledger()
    const sessions = yield* Effect.replicateEffect(
      createSession(server, company.key.token, company.instance.id),
      4
    )
    const seen = new Set<string>()
    /** Each asks for a session of its own, and is answered that one. */
    const readers = yield* Effect.forEach(sessions, ({ id, path, token }) =>
      send(server, "GET", `${path}?token=${token}`).pipe(
        Effect.tap(({ status, text }) =>
          Effect.sync(() =>
            seen.add(status === 200 && text.includes(`"id":"${id}"`) ? "good" : `${status} ${text}`)
          )
        ),
        Effect.forever,
        Effect.fork
      )
    )
    const writers = yield* book.work(server, yield* allWriters(server, company))
    yield* eventually("all are at work", () => book.answered() > 100)
    yield* during
    const before = book.answered()
    yield* eventually("all go on", () => book.answered() > before + 100)
    yield* Fiber.interruptAll([...readers, ...writers])
    expect(["good", '500 {"error":"Failed to get session"}'], "what readers may be answered").toEqual(
      expect.arrayContaining([...seen])
    )
    expect(seen, "what readers were answered").toContain("good")
    expect(book.failures(), "writes that were answered their own 500").toBeGreaterThan(0)
    yield* book.settle(server, url)
  })

it.scopedLive("connections cut under load: success or the route's own 500, then recovery", () =>
  Effect.gen(function* () {
    const started = yield* start
    const { company, proxy, server } = started
    yield* underLoad(
      started,
      Effect.gen(function* () {
        for (let i = 0; i < sized(10, 100); i++) {
          yield* proxy.cut
          yield* recovers(server, company)
        }
        yield* proxy.refuse
        yield* eventually(
          "the loss is noticed",
          Effect.map(reads(server, company), (result) => result === '500 {"error":"Failed to get session"}')
        )
        yield* proxy.forward
        yield* recovers(server, company)
      })
    )
  })
)

it.scopedLive("killed under load: success or the route's own 500, then recovery", () =>
  Effect.gen(function* () {
    const started = yield* start
    const { company, dataDir, server, url } = started
    yield* underLoad(
      started,
      Effect.gen(function* () {
        for (let i = 0; i < sized(2, 10); i++) {
          const pid = yield* databasePid(dataDir)
          process.kill(pid, "SIGKILL")
          yield* eventually(
            "it is started again",
            Effect.map(databasePid(dataDir), (now) => now > 1 && now !== pid).pipe(
              // Between the two there is no file.
              Effect.catchAllDefect(() => Effect.succeed(false))
            )
          )
          // Waits for the server as long as it takes.
          yield* execute(url, "select 1")
          yield* recovers(server, company)
        }
      })
    )
  })
)
