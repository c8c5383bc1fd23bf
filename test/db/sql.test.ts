import * as SqlClient from "@effect/sql/SqlClient"
import { expect } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Option, Schema } from "effect"
import { violatedConstraint } from "../../src/db/driver/index.ts"
import { json, onlyRow, row, rows, transaction } from "../../src/db/sql.ts"
import { freshDatabaseLayer } from "../support/database.ts"
import { suite } from "../support/suite.ts"

const Book = Schema.Struct({ id: Schema.Number, title: Schema.String })

const prepare = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table books (id int constraint books_pkey primary key, title text)`
  yield* sql`insert into books values (1, 'Emma'), (2, 'Ulysses'), (3, null)`
  return sql
})

const isDefect = <A, E>(exit: Exit.Exit<A, E>) => Exit.isFailure(exit) && Cause.isDie(exit.cause)

suite(freshDatabaseLayer)("SQL helpers", (it) => {
  it.scoped("decode rows, and die of a mismatch", () =>
    Effect.gen(function* () {
      const sql = yield* prepare
      const find = (id: number) => row(Book)(sql`select id, title from books where id = ${id}`)
      expect(yield* rows(Book)(sql`select id, title from books where title is not null order by id`)).toEqual(
        [
          { id: 1, title: "Emma" },
          { id: 2, title: "Ulysses" }
        ]
      )
      expect(yield* find(2)).toEqual(Option.some({ id: 2, title: "Ulysses" }))
      expect(yield* find(9)).toEqual(Option.none())
      expect(yield* onlyRow(Book)(sql`insert into books values (4, 'Dracula') returning *`)).toEqual({
        id: 4,
        title: "Dracula"
      })
      expect(isDefect(yield* Effect.exit(find(3)))).toBe(true)
      expect(isDefect(yield* Effect.exit(rows(Book)(sql`select id, title from books`)))).toBe(true)
      expect(isDefect(yield* Effect.exit(onlyRow(Book)(sql`select id, title from books where id = 9`)))).toBe(
        true
      )
      expect(isDefect(yield* Effect.exit(rows(Book)(sql`select nothing`)))).toBe(true)
    })
  )

  it.scoped("name the constraint that a statement violates", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const error = yield* Effect.flip(sql`insert into books values (1, 'Again')`)
      expect(violatedConstraint(error)).toBe("books_pkey")
      expect(violatedConstraint(yield* Effect.flip(sql`select nothing`))).toBeUndefined()
    })
  )

  it.scoped.each([[[1, "a", null]], ["text"], [{ a: { bC: [] }, __proto__x: 1 }], [null], [7], [true]])(
    "store %j as jsonb",
    ([value]) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value
        expect(yield* sql`select ${json(value)} as value, jsonb_typeof(${json(value)}) as type`).toEqual([
          { value, type }
        ])
      })
  )

  it.scoped("run a transaction again after a conflict, and roll back what fails", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table counters (id int primary key, value int)`
      yield* sql`insert into counters values (1, 0), (2, 0)`
      const bump = (id: number) =>
        rows(Schema.Unknown)(sql`update counters set value = value + 1 where id = ${id}`)
      const left = yield* Deferred.make<void>()
      const right = yield* Deferred.make<void>()
      // Each holds one row and wants the other's: a deadlock, of which Postgres ends one.
      yield* Effect.all(
        [
          transaction(sql)(
            bump(1).pipe(
              Effect.andThen(Deferred.succeed(left, undefined)),
              Effect.andThen(Deferred.await(right)),
              Effect.andThen(bump(2))
            )
          ),
          transaction(sql)(
            bump(2).pipe(
              Effect.andThen(Deferred.succeed(right, undefined)),
              Effect.andThen(Deferred.await(left)),
              Effect.andThen(bump(1))
            )
          )
        ],
        { concurrency: 2 }
      )
      expect(yield* Effect.flip(transaction(sql)(Effect.andThen(bump(1), Effect.fail("no" as const))))).toBe(
        "no"
      )
      expect(yield* sql`select value from counters order by id`).toEqual([{ value: 2 }, { value: 2 }])
    })
  )
})
