import type * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Redacted, Schedule, type Scope } from "effect"
import { DatabaseError } from "pg"
import { inject } from "vitest"
import * as Database from "../../src/db/database.ts"
import { databaseUrl, execute, keepConnections } from "./postgres.ts"

const objectInUse = "55006"

const createDatabase = (template: string): Effect.Effect<Redacted.Redacted, Error, Scope.Scope> => {
  const admin = Redacted.make(inject("postgres").adminUrl)
  keepConnections(admin)
  const name = `${inject("postgres").prefix}_${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`
  const create = execute(admin, `create database ${name} template ${template}`).pipe(
    // Postgres lets only one session at a time clone a template.
    Effect.retry({
      while: ({ cause }) => cause instanceof DatabaseError && cause.code === objectInUse,
      schedule: Schedule.jittered(Schedule.spaced("20 millis"))
    })
  )
  return Effect.as(
    Effect.acquireRelease(create, () => Effect.orDie(execute(admin, `drop database ${name} with (force)`))),
    databaseUrl(admin, name)
  )
}

/** The URL of a new database with all migrations applied; dropped with the scope. */
export const freshDatabase = Effect.suspend(() => createDatabase(inject("postgres").template))

/** The URL of a database of this run, for the role that the service uses. */
export const servedUrl = (url: Redacted.Redacted): Redacted.Redacted =>
  databaseUrl(Redacted.make(inject("postgres").serviceUrl), new URL(Redacted.value(url)).pathname.slice(1))

/** The URL of a new, empty database; dropped with the scope. */
export const emptyDatabase = Effect.suspend(() => createDatabase("template0"))

/**
 * The URL of a new, empty database for a role that owns it and is not a superuser; both are dropped with the
 * scope.
 */
export const databaseOfOwner = Effect.gen(function* () {
  const admin = Redacted.make(inject("postgres").adminUrl)
  const name = `doorlock_owner_${crypto.randomUUID().replaceAll("-", "")}`
  yield* Effect.acquireRelease(execute(admin, `create role ${name} login password '${name}'`), () =>
    Effect.orDie(execute(admin, `drop role ${name}`))
  )
  yield* Effect.acquireRelease(execute(admin, `create database ${name} owner ${name}`), () =>
    Effect.orDie(execute(admin, `drop database ${name} with (force)`))
  )
  const address = new URL(Redacted.value(databaseUrl(admin, name)))
  address.username = name
  address.password = name
  return Redacted.make(address.href)
})

/** A connection pool on a new database. */
export const freshDatabaseLayer: Layer.Layer<SqlClient.SqlClient, Error> = Layer.unwrapScoped(
  Effect.map(freshDatabase, (url) => Database.layer({ url, maxConnections: 4 }))
)

/** Milliseconds since 1970 on the database's clock, with a fraction. */
export const databaseNow = (url: Redacted.Redacted): Effect.Effect<number> =>
  execute(url, "select extract(epoch from clock_timestamp())::float8 * 1000 as now").pipe(
    Effect.map(([row]) => Number(row?.now)),
    Effect.orDie
  )
