import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { orDie, rows } from "../db/sql.ts"
import type { EventPlace, Seal } from "./chain-model.ts"
import { SealColumns } from "./columns-repo.ts"
import { interferenceOn } from "./tables-repo.ts"

const EndRow = Schema.Struct({
  company_id: Schema.String,
  position: Schema.Number,
  hash: Schema.String,
  ...SealColumns
})
export type EndRow = typeof EndRow.Type

export const anchoringOn = (sql: SqlClient.SqlClient) => {
  const decodeEnds = rows(EndRow)
  const decodeNumbers = rows(Schema.Struct({ n: Schema.Number }))

  /** The places whose numbers, from 1, the query returns. */
  const numbered = <A>(places: ReadonlyArray<A>, query: Statement.Statement<unknown>) =>
    Effect.map(decodeNumbers(query), (found) => found.flatMap(({ n }) => places[n - 1] ?? []))

  return {
    /** Changes nothing if the seal has moved on. */
    replaceSeal: (companyId: string, old: Seal, seal: Uint8Array) =>
      orDie(sql`
        update audit_seals set seal = ${seal}
        where company_id = ${companyId} and position = ${old.position} and seal = ${old.seal}`),

    interference: interferenceOn(sql),

    /** Of every chain, with its seal. Includes impossible values: they must not hide the other chains. */
    ends: decodeEnds(sql`
      select h.company_id, coalesce(h.position, 0)::float8 as position, coalesce(encode(h.hash, 'hex'), '') as hash,
        s.position::float8 as seal_position, s.seal
      from audit_heads h left join audit_seals s on s.company_id = h.company_id
      where h.company_id is not null
      order by h.company_id`),

    /** The places whose events were written more than two hours ago. */
    old: <A extends Omit<EventPlace, "hash">>(places: ReadonlyArray<A>): Effect.Effect<ReadonlyArray<A>> =>
      numbered(
        places,
        sql`
          select n::float8 as n
          from unnest(${places.map(({ companyId }) => companyId)}::uuid[],
              ${places.map(({ position }) => position)}::bigint[]) with ordinality as given (company_id, position, n)
            join audit_events e on e.company_id = given.company_id and e.position = given.position
          where e.at < now() - interval '2 hours'
          order by n`
      ),

    /** The places whose event is missing or different. */
    lost: <A extends EventPlace>(places: ReadonlyArray<A>): Effect.Effect<ReadonlyArray<A>> =>
      numbered(
        places,
        sql`
          select n::float8 as n
          from unnest(${places.map(({ companyId }) => companyId)}::uuid[],
              ${places.map(({ position }) => position)}::bigint[], ${places.map(({ hash }) => hash)}::text[])
              with ordinality as given (company_id, position, hash, n)
            left join lateral (
              select e.hash
              from audit_heads h join audit_events e on e.company_id = h.company_id
              where h.company_id = given.company_id and h.position >= given.position and e.position = given.position
              limit 1
            ) kept on true
          where encode(kept.hash, 'hex') is distinct from given.hash
          order by n`
      )
  }
}
