import type * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import { Cause, Chunk, Context, Effect, Option, Schedule, Schema } from "effect"
import { decoder } from "../shared/encoding.ts"
import { parseId } from "../shared/identifier.ts"
import { Timing } from "../shared/timing.ts"
import {
  isOverloaded,
  isReadOnly,
  isRefused,
  isRepeatable,
  isServerAway,
  violatedConstraint
} from "./driver/index.ts"

/** Part of another statement: ``sql`select ${fragment}` ``. */
export const fragment = (...segments: ReadonlyArray<Statement.Segment>): Statement.Fragment => ({
  [Statement.FragmentId]: () => Statement.FragmentId,
  segments
})

export const literal = (value: string): Statement.Segment => ({ _tag: "Literal", value })

export const parameter = (value: string | number | null): Statement.Segment => ({ _tag: "Parameter", value })

/**
 * A value as jsonb; `json(null)` is the JSON `null`. Sent as text, since some drivers encode jsonb twice.
 * With `sql.json`, the driver would send arrays as Postgres arrays and parse strings as JSON.
 */
export const json = (value: unknown): Statement.Fragment =>
  fragment(parameter(JSON.stringify(value) ?? null), literal("::text::jsonb"))

/** The id, if it is a UUID as Postgres writes it; otherwise null, which equals nothing. */
export const uuidOrNull = (id: string): string | null => (parseId(id) === id ? id : null)

/** {@link uuidOrNull} as a parameter. Comparing `id::text` with any id would do without the column's index. */
export const uuid = (id: string): Statement.Fragment => fragment(parameter(uuidOrNull(id)), literal("::uuid"))

const dieOrFail = <E>(error: E): Effect.Effect<never, Exclude<E, SqlError>> =>
  // The cast: TypeScript does not narrow a type parameter by a guard.
  error instanceof SqlError ? Effect.die(error) : Effect.fail(error as Exclude<E, SqlError>)

/** Turns a database failure into a defect: no caller can handle it, and the route answers with its 500. */
export const orDie = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError>, R> =>
  Effect.catchAll(effect, dieOrFail<E>)

/** Turns a violation of `constraint` into this failure. */
export const failsOn =
  <E2>(constraint: string, failure: () => E2) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> =>
    Effect.mapError(effect, (error): E | E2 => (violatedConstraint(error) === constraint ? failure() : error))

/** Whether the same again would fail again: Postgres refused it, or the defect is not a failure of the database. */
export const failsAgain = (cause: Cause.Cause<unknown>): boolean =>
  Chunk.some(Cause.defects(cause), (defect) => !(defect instanceof SqlError) || isRefused(defect))

/**
 * Whether the same request may succeed in seconds: the database's server is away while another may take its place, or it answers, but not as
 * fast as this process asks.
 */
export const isPassing = (cause: Cause.Cause<unknown>): boolean =>
  Chunk.some(Cause.defects(cause), (defect) => isServerAway(defect) || isOverloaded(defect))

/** Does without a write that a read can go on without, while the database only takes reads. */
export const ifWritable = <A, R>(write: Effect.Effect<A, never, R>): Effect.Effect<void, never, R> =>
  Effect.catchAllCause(Effect.asVoid(write), (cause) =>
    Chunk.some(Cause.defects(cause), isReadOnly) ? Effect.void : Effect.failCause(cause)
  )

type Query<E, R> = Effect.Effect<ReadonlyArray<unknown>, E, R>

/** `orDie` and a function of the rows in one step. */
const reading =
  <A>(read: (found: ReadonlyArray<unknown>) => A) =>
  <E, R>(query: Query<E, R>): Effect.Effect<A, Exclude<E, SqlError>, R> =>
    Effect.matchEffect(query, {
      onFailure: dieOrFail<E>,
      onSuccess: (found) => Effect.succeed(read(found))
    })

/** Decodes rows; a failure or a mismatch is a defect. Call it outside functions: it compiles the schema. */
export const rows = <A, I>(schema: Schema.Schema<A, I>) => reading(decoder(Schema.Array(schema)))

/** Like {@link rows}, for a query that returns one row or none. */
export const row = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = decoder(schema)
  return reading((found) => (found.length === 0 ? Option.none<A>() : Option.some(decode(found[0]))))
}

/** Like {@link rows}, for a query that always returns one row. No row is a defect. */
export const onlyRow = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = decoder(schema)
  return reading((found) => decode(found[0]))
}

/** How many rows a query returns: of a change, those in `returning`. */
export const rowCount = reading(({ length }) => length)

const retryPolicy = Timing.defaultValue()
  .exponential("db.conflict")
  .pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(4)))

/** What to run after the current transaction; undefined outside a transaction. */
class AfterCommit extends Context.Reference<AfterCommit>()("doorlock/db/AfterCommit", {
  defaultValue: (): Array<() => void> | undefined => undefined
}) {}

/** Runs `action` once the current transaction has committed, or at once outside a transaction. */
export const afterCommit = (action: () => void): Effect.Effect<void> =>
  Effect.map(AfterCommit, (actions) => {
    if (actions === undefined) action()
    else actions.push(action)
  })

/**
 * Runs `effect` in a transaction: commits if it succeeds, rolls back if it fails or is interrupted. Retries
 * up to four times after a conflict (serialisation failure, deadlock), so `effect` must act outside the
 * database only through {@link afterCommit}. Other database failures are defects.
 */
export const transaction =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError>, R> =>
    Effect.flatMap(AfterCommit, (outer) =>
      Effect.suspend(() => {
        const actions: Array<() => void> = []
        return Effect.tap(sql.withTransaction(Effect.provideService(effect, AfterCommit, actions)), () =>
          Effect.sync(() => {
            // A nested transaction commits with the outer one.
            if (outer === undefined) for (const action of actions) action()
            else outer.push(...actions)
          })
        )
      })
    ).pipe(
      // Retries by the cause, because most database failures are defects by now.
      Effect.sandbox,
      Effect.retry({
        schedule: retryPolicy,
        while: (cause) =>
          Chunk.some(Cause.failures(cause), isRepeatable) || Chunk.some(Cause.defects(cause), isRepeatable)
      }),
      Effect.unsandbox,
      orDie
    )
