/** The statements of lanes. One that gets a job while it is released: whichever comes first, the job is not overlooked. */
import * as SqlClient from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, type Scope } from "effect"
import { transaction } from "../../src/db/sql.ts"
import { newId } from "../../src/shared/identifier.ts"
import { WorkRepo } from "../../src/work/repo.ts"
import { databaseOn, freshDatabase } from "../support/database.ts"
import { execute } from "../support/postgres.ts"
import { add, stored } from "../support/work/dispatching.ts"

const lane = { kind: "test.number", key: "one" }
const holder = newId()

/** A lane that this test holds, in which nothing is due, as its dispatcher sees it before it releases the lane. */
const held = (
  title: string,
  test: (given: {
    readonly repo: WorkRepo
    readonly version: number
    readonly lanes: Effect.Effect<ReadonlyArray<Record<string, unknown>>, Error>
  }) => Effect.Effect<void, unknown, SqlClient.SqlClient | Scope.Scope>
) =>
  it.scopedLive(title, () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.gen(function* () {
        const repo = yield* WorkRepo
        yield* add({ lanes: ["one"], count: 1 })
        expect(yield* repo.claim(holder, ["test.number"], 10)).toEqual([lane])
        const [found] = yield* repo.fetch(holder, [lane], 10, [])
        const job = found?.job
        expect(job).toMatchObject({ attempt: 0, payload: { n: 1 } })
        yield* repo.settle([{ id: job?.id ?? "", attempt: 0, outcome: { kind: "done" } }])
        yield* test({
          repo,
          version: found?.version ?? 0,
          lanes: execute(url, "select holder is null as free, due <= now() as due from work_lanes")
        })
        expect(yield* stored(url)).toMatchObject({ poison: 0 })
      }).pipe(Effect.provide(Layer.provideMerge(WorkRepo.Default, databaseOn({ url, maxConnections: 4 }))))
    })
  )

held("a job that is committed before the release keeps the lane held", ({ lanes, repo, version }) =>
  Effect.gen(function* () {
    yield* add({ lanes: ["one"], count: 1, from: 2 })
    expect(yield* repo.release(holder, [{ ...lane, version }])).toEqual([])
    expect(yield* lanes).toEqual([{ free: false, due: true }])
    const [found] = yield* repo.fetch(holder, [lane], 10, [])
    expect(found).toMatchObject({ version: version + 1, job: { payload: { n: 2 } } })
  })
)

held(
  "a job that is not committed yet keeps the lane held, and the release does not wait",
  ({ lanes, repo, version }) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [added, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const adding = yield* Effect.fork(
        add({ lanes: ["one"], count: 1, from: 2 }).pipe(
          Effect.zipRight(Deferred.succeed(added, undefined)),
          Effect.zipRight(Deferred.await(released)),
          transaction(sql)
        )
      )
      yield* Deferred.await(added)
      expect(yield* repo.release(holder, [{ ...lane, version }])).toEqual([])
      // Its lease is not lost either.
      expect(yield* repo.renew(holder, [lane])).toEqual([lane])
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(adding)
      expect(yield* lanes).toEqual([{ free: false, due: true }])
    })
)

held(
  "a lane that another process has taken is neither read nor released nor renewed",
  ({ lanes, repo, version }) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`update work_lanes set lease = now() - interval '1 second'`
      expect(yield* repo.claim(newId(), ["test.number"], 10)).toEqual([lane])
      expect(yield* repo.fetch(holder, [lane], 10, [])).toEqual([])
      expect(yield* repo.renew(holder, [lane])).toEqual([])
      expect(yield* repo.release(holder, [{ ...lane, version }])).toEqual([])
      expect(yield* repo.giveBack(holder, [{ ...lane, hadPage: true }])).toEqual([])
      expect(yield* lanes).toEqual([{ free: false, due: true }])
    })
)
