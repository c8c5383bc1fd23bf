/** What the operator sees of work, and does about it: `work list`, `work retry`, `work drop`, `doctor`. */
import type * as SqlClient from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Effect, type Redacted, type Scope } from "effect"
import { examine } from "../../src/cli/checks/examination.ts"
import { work as workFeature } from "../../src/work/cli.ts"
import { cli, jsonOf, onDatabase } from "../support/cli.ts"
import { databaseOn, freshDatabase } from "../support/database.ts"
import { eventually } from "../support/eventually.ts"
import { execute, temporaryFolder } from "../support/postgres.ts"
import { anInstant } from "../support/shapes.ts"
import { add, dispatching, nothing, recordingKind, stored, testKind } from "../support/work/dispatching.ts"

/** Three jobs that were set aside, and one of another kind that waits. */
const withPoison = (
  title: string,
  test: (given: {
    readonly url: Redacted.Redacted<string>
    readonly work: (words: ReadonlyArray<string>, exitCode?: number) => ReturnType<typeof cli>
    readonly ids: ReadonlyArray<string>
  }) => Effect.Effect<void, unknown, SqlClient.SqlClient | Scope.Scope>
) =>
  it.scopedLive(title, () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const folder = yield* temporaryFolder
      yield* Effect.gen(function* () {
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* add({ lanes: ["one"], count: 3 })
            yield* dispatching(url, [
              testKind({
                run: ({ payload }) => Effect.succeed({ kind: "poison", reason: `no ${payload.n}\u001b[31m` })
              })
            ])
            yield* eventually(
              "all jobs are set aside",
              Effect.map(stored(url), (counts) => Bun.deepEquals(counts, { jobs: 0, lanes: 0, poison: 3 }))
            )
          })
        )
        yield* add({ kind: "test.later", lanes: ["two"], count: 1, due: "now() + interval '1 hour'" })
        const rows = yield* execute(url, "select number::text as id from work_poison order by payload->'n'")
        yield* test({
          url,
          work: (words, exitCode = 0) => cli(words, { ...onDatabase(url, { DATA_DIR: folder }), exitCode }),
          ids: rows.map(({ id }) => String(id))
        })
      }).pipe(Effect.provide(databaseOn({ url, maxConnections: 1 })))
    })
  )

withPoison("work list shows what waits and what was set aside, and why", ({ ids, work }) =>
  Effect.gen(function* () {
    const listed = yield* work(["work", "list", "--json"])
    expect(listed.stderr).toBe("")
    expect(jsonOf(listed)).toEqual({
      kinds: [
        { kind: "test.later", jobs: 1, oldest: null, poison: 0 },
        { kind: "test.number", jobs: 0, oldest: null, poison: 3 }
      ],
      poison: ids.toReversed().map((id, place) => ({
        id,
        kind: "test.number",
        lane: "one",
        attempt: 1,
        payload: { n: 3 - place },
        reason: `no ${3 - place}\u001b[31m`,
        set_aside_at: anInstant
      }))
    })
    const shown = yield* work(["work", "list"])
    expect(shown.stdout).toMatch(
      /^KIND +JOBS +DUE FOR +SET ASIDE\ntest\.later +1 +0\ntest\.number +0 +3\n\nID /
    )
    expect(shown.stdout).toMatch(new RegExp(`^${ids[0]} +test\\.number +one +1 +\\S+Z +no 1$`, "m"))
    expect(jsonOf(yield* work(["work", "list", "--kind", "test.later", "--json"]))).toMatchObject({
      poison: []
    })
  })
)

withPoison(
  "work retry runs jobs again, and work drop deletes them",
  ({ ids: [first = "", second = ""], url, work }) =>
    Effect.gen(function* () {
      expect((yield* work(["work", "retry", first])).stdout).toBe("1 job is due again.\n")
      expect(yield* stored(url)).toEqual({ jobs: 2, lanes: 2, poison: 2 })
      const { kind, started } = recordingKind()
      yield* dispatching(url, [kind])
      yield* eventually("it runs", () => started.length === 1)
      expect(started).toMatchObject([{ lane: "one", attempt: 1, payload: { n: 1 } }])
      expect(jsonOf(yield* work(["work", "drop", second, "--json"]))).toEqual({ jobs: 1 })
      expect(yield* stored(url)).toMatchObject({ poison: 1 })
      const again = yield* work(["work", "drop", second], 1)
      expect(again.stderr).toContain("No such job is set aside.")
    })
)

withPoison("--kind means all of a kind, and a command on nothing is refused", ({ url, work }) =>
  Effect.gen(function* () {
    expect((yield* work(["work", "drop", "--kind", "test.later"])).stdout).toBe("0 jobs are deleted.\n")
    expect((yield* work(["work", "retry", "--kind", "test.number"])).stdout).toBe("3 jobs are due again.\n")
    expect(yield* stored(url)).toEqual({ jobs: 4, lanes: 2, poison: 0 })
    for (const words of [[], ["1", "--kind", "test.number"], ["one"]]) {
      yield* work(["work", "retry", ...words], 2)
    }
  })
)

withPoison(
  "doctor warns of jobs that were set aside, and fails while work is due that no process takes",
  ({ url }) =>
    Effect.gen(function* () {
      const { env = {} } = onDatabase(url, { DATA_DIR: yield* temporaryFolder })
      const check = Effect.map(examine(env, [workFeature]), (found) =>
        found.find(({ name }) => name === "work")
      )
      expect(yield* check).toMatchObject({
        status: "warning",
        message: "Jobs were set aside because they cannot be run: 3 of test.number."
      })
      yield* execute(url, "update work_lanes set due = now() - interval '10 minutes'")
      expect(yield* check).toMatchObject({
        status: "failed",
        message: expect.stringMatching(/^No process takes the work that is due: test\.later for 60\d s\.$/)
      })
      yield* execute(url, "delete from work_lanes; delete from work_jobs; delete from work_poison")
      expect(yield* stored(url)).toEqual(nothing)
      expect(yield* check).toMatchObject({ status: "ok", message: "No work is waiting." })
    })
)
