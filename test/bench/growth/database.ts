/** How large a database is, and databases of a stated size. */
import { Effect, type Redacted } from "effect"
import { demoInstance } from "../../../src/kyc/instances/demo.ts"
import { fill } from "../../fill/fill.ts"
import { createInstance, field, signUp } from "../../support/client.ts"
import { execute } from "../../support/postgres.ts"
import { doorlock, postgres } from "../servers.ts"

/** Bytes of tables with what they have out of line, and of their indexes, by how long their rows are kept. */
export interface Size {
  /** Sessions and what hangs on them. */
  readonly sessions: number
  /** The part of it that is indexes. */
  readonly sessionIndexes: number
  readonly audit: number
  /** Events, deliveries and attempts. */
  readonly events: number
}

/** Numbers of one row, by the names of its columns. */
export const numbers = <Name extends string>(
  url: Redacted.Redacted,
  expressions: Readonly<Record<Name, string>>,
  from = ""
) =>
  Effect.map(
    execute(
      url,
      `select ${Object.entries(expressions)
        .map(([name, sql]) => `(${sql})::float8 as "${name}"`)
        .join(", ")} ${from}`
    ),
    ([row]) => {
      const read = (name: Name) => Number(field(row, name))
      return read
    }
  )

/** An expression for the bytes of a table, with its partitions and indexes. */
export const bytesOf = (table: string): string => `(
  select sum(pg_total_relation_size(c.oid)) from pg_class c
  where c.oid = '${table}'::regclass or c.oid in (select inhrelid from pg_inherits where inhparent = '${table}'::regclass)
)`

/** The size without what vacuum can free. */
export const sizeOf = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    yield* execute(url, "vacuum")
    const bytes = (part: "total_relation" | "indexes", of: string) =>
      `coalesce(sum(pg_${part}_size(c.oid)) filter (where relname ~ '${of}'), 0)`
    const read = yield* numbers(
      url,
      {
        sessions: bytes("total_relation", "^kyc_"),
        sessionIndexes: bytes("indexes", "^kyc_"),
        audit: bytes("total_relation", "^audit_"),
        events: bytes("total_relation", "^(event|webhook)")
      },
      "from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace"
    )
    const size: Size = {
      sessions: read("sessions"),
      sessionIndexes: read("sessionIndexes"),
      audit: read("audit"),
      events: read("events")
    }
    return size
  })

/** A database with a company that has an instance, filled as after so many sessions. */
export const filled = (sessions: number) =>
  Effect.gen(function* () {
    const url = yield* postgres
    const host = yield* Effect.scoped(
      Effect.gen(function* () {
        const service = { ...(yield* doorlock(url)), databaseUrl: url }
        const member = yield* signUp(service)
        yield* createInstance(service, member, demoInstance)
        return member.companyId
      })
    )
    yield* fill(url, host, {
      sessions,
      keys: Math.ceil(sessions / 10),
      companies: Math.ceil(sessions / 1_000)
    })
    return url
  })
