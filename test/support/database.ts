import type * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Redacted, Schedule, type Scope } from "effect"
import { DatabaseError } from "pg"
import { inject } from "vitest"
import * as Database from "../../src/db/database.ts"
import { migrate } from "../../src/db/migrations.ts"
import { Timing } from "../../src/shared/timing.ts"
import { databaseUrl, dropConnections, execute, keepConnections } from "./postgres.ts"
import { patient } from "./run/timeouts.ts"
import { patientTiming } from "./timing.ts"

const objectInUse = "55006"

const createDatabase = (template: string): Effect.Effect<Redacted.Redacted, Error, Scope.Scope> => {
  const admin = Redacted.make(inject("postgres").adminUrl)
  keepConnections(admin)
  const name = `${inject("postgres").prefix}_${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`
  const create = execute(
    admin,
    `create database ${name} template ${template} ${inject("postgres").cloning}`
  ).pipe(
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
export const freshDatabase = Effect.suspend(() =>
  Effect.acquireRelease(
    Effect.tap(createDatabase(inject("postgres").template), (url) => Effect.sync(() => keepConnections(url))),
    dropConnections
  )
)

/** The URL of a database of this run, for the role that the service uses. */
export const servedUrl = (url: Redacted.Redacted): Redacted.Redacted =>
  databaseUrl(Redacted.make(inject("postgres").serviceUrl), new URL(Redacted.value(url)).pathname.slice(1))

/** The URL of a new, empty database; dropped with the scope. */
export const emptyDatabase = Effect.suspend(() => createDatabase("template0"))

/** A role that owns a database with all migrations and is not a superuser: made once per process, and dropped at the end of the run. */
const ownedTemplate = Effect.runSync(
  Effect.cached(
    Effect.gen(function* () {
      const { adminUrl, prefix } = inject("postgres")
      const admin = Redacted.make(adminUrl)
      const name = `${prefix}_owner_${crypto.randomUUID().slice(0, 8)}`
      yield* execute(admin, `create role ${name} login password '${name}'`)
      yield* execute(admin, `create database ${name} owner ${name}`)
      const urlOf = (url: Redacted.Redacted) => {
        const address = new URL(Redacted.value(url))
        address.username = name
        address.password = name
        return Redacted.make(address.href)
      }
      yield* migrate({ url: urlOf(databaseUrl(admin, name)) }).pipe(
        Effect.provideService(Timing, patientTiming)
      )
      return { name, urlOf }
    })
  )
)

/**
 * The URL of a new database with all migrations, for a role that owns it and is not a superuser. All these databases have the same
 * role; what a test sets for the role is reset with the scope.
 */
export const databaseOfOwner = Effect.gen(function* () {
  const { name, urlOf } = yield* ownedTemplate
  const url = yield* createDatabase(`${name} owner ${name}`)
  const reset = execute(Redacted.make(inject("postgres").adminUrl), `alter role ${name} reset all`)
  yield* Effect.addFinalizer(() => Effect.orDie(reset))
  return urlOf(url)
})

/** A connection pool that a busy machine does not take for broken. */
export const databaseOn = (options: Database.DatabaseOptions) =>
  Layer.provide(Database.layer(options), patient)

/** A connection pool on a new database. */
export const freshDatabaseLayer: Layer.Layer<SqlClient.SqlClient, Error> = Layer.unwrapScoped(
  Effect.map(freshDatabase, (url) => databaseOn({ url, maxConnections: 4 }))
)

/** Milliseconds since 1970 on the database's clock, with a fraction. */
export const databaseNow = (url: Redacted.Redacted): Effect.Effect<number> =>
  execute(url, "select extract(epoch from clock_timestamp())::float8 * 1000 as now").pipe(
    Effect.map(([row]) => Number(row?.now)),
    Effect.orDie
  )
