import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { onlyRow, orDie, rows } from "../db/sql.ts"
import { type EventPlace, type Seal, StoredEvent } from "./chain-model.ts"
import { eventColumns, HeadColumns, headIn, listOn, timeText } from "./list-repo.ts"

/** The values that the database assigns to a new event. */
const Placed = StoredEvent.pick("position", "at", "previous_hash", "hash")

type NewEvent = Omit<StoredEvent, keyof typeof Placed.Type>

const SealColumns = {
  seal_position: Schema.NullOr(Schema.Number),
  seal: Schema.NullOr(Schema.Uint8ArrayFromSelf)
}

const StretchColumns = { ...HeadColumns, ...SealColumns }
const StoredRow = Schema.Struct({ ...StoredEvent.fields, ...StretchColumns })

/** An event of the chain, or the single row of a page without events. */
const StoredOrNone = Schema.Union(StoredRow, Schema.Struct({ ...StretchColumns, position: Schema.Null }))

const EndRow = Schema.Struct({
  company_id: Schema.String,
  position: Schema.Number,
  hash: Schema.String,
  ...SealColumns
})
export type EndRow = typeof EndRow.Type

/** Audit trails in Postgres, which assigns each event its position, time and hash. */
export class AuditRepo extends Effect.Service<AuditRepo>()("AuditRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeStored = rows(StoredOrNone)
    const decodePlaced = onlyRow(Placed)
    const decodeSealed = onlyRow(Schema.Struct({ sealed: Schema.Boolean, known: Schema.Boolean }))
    const decodeIds = rows(Schema.Struct({ company_id: Schema.String }))

    const decodeEnds = rows(EndRow)
    const decodeNumbers = rows(Schema.Struct({ n: Schema.Number }))

    /** The places whose numbers, from 1, the query returns. */
    const numbered = <A>(places: ReadonlyArray<A>, query: Statement.Statement<unknown>) =>
      Effect.map(decodeNumbers(query), (found) => found.flatMap(({ n }) => places[n - 1] ?? []))

    const columns = sql.literal(eventColumns)

    return {
      list: listOn(sql),

      /** Locks the company's trail for the rest of the transaction. */
      append: (event: NewEvent) =>
        decodePlaced(sql`
          insert into audit_events (company_id, id, actor_kind, actor_id, actor_name, address, user_agent,
            action, resource_kind, resource_id, resource_name, details)
          values (${event.company_id}, ${event.id}, ${event.actor_kind}, ${event.actor_id}, ${event.actor_name},
            ${event.address}, ${event.user_agent}, ${event.action}, ${event.resource_kind}, ${event.resource_id},
            ${event.resource_name}, ${event.details}::text::json)
          returning position::float8 as position, ${sql.literal(timeText)} as at,
            encode(previous_hash, 'hex') as previous_hash, encode(hash, 'hex') as hash`),

      /**
       * Moves the seal to `position` from the event before if it is one of `previous`; the first event needs
       * none. `sealed`: whether it did. `known`: whether the company has a seal at all.
       */
      seal: (companyId: string, { position, seal }: Seal, previous: ReadonlyArray<Uint8Array>) =>
        decodeSealed(
          position === 1
            ? sql`
                with sealed as (
                  insert into audit_seals (company_id, position, seal) values (${companyId}, 1, ${seal})
                  on conflict do nothing returning 1
                )
                select exists (select from sealed) as sealed, true as known`
            : sql`
                with sealed as (
                  update audit_seals set position = ${position}, seal = ${seal}
                  where company_id = ${companyId} and position = ${position - 1} and seal = any (${previous})
                  returning 1
                )
                select exists (select from sealed) as sealed,
                  exists (select from audit_seals where company_id = ${companyId}) as known`
        ),

      /** Locks the company's trail for the rest of the transaction, if it has an end. */
      lock: (companyId: string) =>
        orDie(sql`select from audit_heads where company_id = ${companyId} for update`),

      /** Only for a caller that has locked the trail and verified it up to this position. */
      putSeal: (companyId: string, { position, seal }: Seal) =>
        orDie(sql`
          insert into audit_seals (company_id, position, seal) values (${companyId}, ${position}, ${seal})
          on conflict (company_id) do update set position = excluded.position, seal = excluded.seal`),

      /** Every company that exists or has a trail. */
      companies: Effect.map(
        decodeIds(sql`
          with recursive trails as (
            (select company_id from audit_events order by company_id limit 1)
            union all
            select (
              select e.company_id from audit_events e where e.company_id > t.company_id
              order by e.company_id limit 1
            ) from trails t where t.company_id is not null
          )
          select company_id from trails where company_id is not null
          union select company_id from audit_heads
          union select company_id from audit_seals
          union select id from companies
          order by company_id`),
        (found) => found.map(({ company_id }) => company_id)
      ),

      /** The oldest events after `position`, with the head and the seal, from one snapshot. */
      stretch: (companyId: string, position: number, limit: number) =>
        Effect.map(
          decodeStored(sql`
            select h.position::float8 as head_position, encode(h.hash, 'hex') as head_hash,
              s.position::float8 as seal_position, s.seal, ${columns}
            from (select ${companyId}::uuid as company_id) asked
              left join audit_heads h on h.company_id = asked.company_id
              left join audit_seals s on s.company_id = asked.company_id
              left join lateral (
                select * from audit_events where company_id = asked.company_id and position > ${position}
                order by position limit ${limit}
              ) e on true
            order by e.position`),
          (found) => {
            const { seal = null, seal_position = null } = found[0] ?? {}
            return {
              events: found.filter((row): row is typeof StoredRow.Type => row.position !== null),
              head: headIn(found[0]),
              seal: seal === null || seal_position === null ? undefined : { position: seal_position, seal }
            }
          }
        ),

      /** Changes nothing if the seal has moved on. */
      replaceSeal: (companyId: string, old: Seal, seal: Uint8Array) =>
        orDie(sql`
          update audit_seals set seal = ${seal}
          where company_id = ${companyId} and position = ${old.position} and seal = ${old.seal}`),

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
        )
    }
  })
}) {}
