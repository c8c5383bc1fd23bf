/**
 * A program that adds and runs jobs, for tests in which a process dies. Before it commits job n it writes `adding n`, and then `added n`. A
 * job writes its number to the table `ran` when it is settled.
 */

import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Redacted } from "effect"
import * as Database from "../../../src/db/database.ts"
import { add, dispatching, done, testKind } from "./dispatching.ts"

const url = Redacted.make(process.env.DATABASE_URL ?? "")

const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

const kind = testKind({
  run: () => Effect.as(Effect.sleep(Math.random() * 4), done),
  settle: (jobs) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.orDie(sql`insert into ran select unnest(${jobs.map(({ job }) => job.payload.n)}::int[])`)
    )
})

/** Adds jobs from this number on, one after the other, in ten lanes. */
const adding = Effect.gen(function* () {
  const { wake } = yield* dispatching(url, [kind])
  let n = Number(process.env.FROM)
  yield* say("ready")
  for (; process.env.ADDS === "yes"; n++) {
    yield* say(`adding ${n}`)
    yield* add({ lanes: [`lane ${n % 10}`], count: 1, from: n })
    yield* say(`added ${n}`)
    wake()
  }
  yield* Effect.never
})

BunRuntime.runMain(adding.pipe(Effect.scoped, Effect.provide(Database.layer({ url, maxConnections: 2 }))))
