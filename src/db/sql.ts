import type * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { decoder } from "../encoding.ts"
import { isRepeatable, violatedConstraint } from "./driver/index.ts"

/** Text and parameters to be placed in another statement: ``sql`select ${fragment}` ``. */
export const fragment = (...segments: ReadonlyArray<Statement.Segment>): Statement.Fragment => ({
  [Statement.FragmentId]: () => Statement.FragmentId,
  segments
})

export const literal = (value: string): Statement.Segment => ({ _tag: "Literal", value })

export const parameter = (value: string | number | null): Statement.Segment => ({ _tag: "Parameter", value })

/**
 * A value as jsonb. `json(null)` is the JSON `null`; for SQL's, pass `null` itself as the parameter.
 *
 * Use this and not `sql.json`, which passes the value to the driver as it is: arrays then become Postgres arrays, and strings are
 * taken for JSON text. It is sent as text, because some drivers encode what is bound to a jsonb parameter a second time.
 */
export const json = (value: unknown): Statement.Fragment =>
  fragment(parameter(JSON.stringify(value) ?? null), literal("::text::jsonb"))

/** A failing database is a defect: no caller can do anything about it, and the HTTP edge answers with the route's own 500. */
export const orDie = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError>, R> =>
  Effect.catchAll(effect, (error) =>
    // The cast: TypeScript does not narrow a type parameter by a guard.
    error instanceof SqlError ? Effect.die(error) : Effect.fail(error as Exclude<E, SqlError>)
  )

/** Turns the violation of `constraint` into the failure it means; every other failure passes. */
export const failsOn =
  <E2>(constraint: string, failure: () => E2) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
    Effect.mapError(effect, (error): E | E2 => (violatedConstraint(error) === constraint ? failure() : error))

type Query<E, R> = Effect.Effect<ReadonlyArray<unknown>, E, R>

/**
 * Decodes every row of a query. Both a failing database and a row that does not match its schema are defects.
 * Call it once, outside the function that runs the query, since it compiles the schema.
 */
export const rows = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = decoder(Schema.Array(schema))
  return <E, R>(query: Query<E, R>): Effect.Effect<ReadonlyArray<A>, Exclude<E, SqlError>, R> =>
    Effect.map(orDie(query), decode)
}

/** As {@link rows}, for a query that gives one row or none. */
export const row = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = decoder(schema)
  return <E, R>(query: Query<E, R>): Effect.Effect<Option.Option<A>, Exclude<E, SqlError>, R> =>
    Effect.map(orDie(query), (found) => (found.length === 0 ? Option.none() : Option.some(decode(found[0]))))
}

/** As {@link rows}, for a query that always gives a row, such as `insert ... returning`; none is a defect. */
export const onlyRow = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = decoder(schema)
  return <E, R>(query: Query<E, R>): Effect.Effect<A, Exclude<E, SqlError>, R> =>
    Effect.map(orDie(query), (found) => decode(found[0]))
}

const retryPolicy = Schedule.exponential("5 millis").pipe(
  Schedule.jittered,
  Schedule.intersect(Schedule.recurs(4))
)

/** What is to be done once the transaction under way is committed; undefined outside of one. */
class AfterCommit extends Context.Reference<AfterCommit>()("doorlock/db/AfterCommit", {
  defaultValue: (): Array<() => void> | undefined => undefined
}) {}

/** Does `action` once the transaction under way is committed, and not if it is rolled back; outside of one at once. */
export const afterCommit = (action: () => void): Effect.Effect<void> =>
  Effect.map(AfterCommit, (actions) => {
    if (actions === undefined) action()
    else actions.push(action)
  })

/**
 * Runs `effect` in a transaction: committed when it succeeds, rolled back when it fails or is interrupted. A
 * conflict with another transaction (serialisation failure, deadlock) is tried again up to four times, so
 * `effect` must have no effects outside the database, but by {@link afterCommit}. Other database failures are defects.
 */
export const transaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError>, R> =>
    Effect.flatMap(AfterCommit, (outer) =>
      Effect.suspend(() => {
        const actions: Array<() => void> = []
        return Effect.tap(sql.withTransaction(Effect.provideService(effect, AfterCommit, actions)), () =>
          Effect.sync(() => {
            // One within another is committed with it.
            if (outer === undefined) for (const action of actions) action()
            else outer.push(...actions)
          })
        )
      })
    ).pipe(
      // The cause, because by now most database failures are defects.
      Effect.sandbox,
      Effect.retry({
        schedule: retryPolicy,
        while: (cause) =>
          Chunk.some(Cause.failures(cause), isRepeatable) || Chunk.some(Cause.defects(cause), isRepeatable)
      }),
      Effect.unsandbox,
      orDie
    )
