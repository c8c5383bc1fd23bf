import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { onlyRow, orDie, rows, transaction } from "../../db/sql.ts"

/** What keeps a month from being dropped: `only` (the next partitions are created from where this one ends), or as in `drop_session_month`. */
export const Hold = Schema.Literal("only", "open", "data", "files", "locks", "refused")
export type Hold = typeof Hold.Type

const DueRow = Schema.Struct({
  part: Schema.String,
  low: Schema.String,
  high: Schema.String,
  /** Since when it may be dropped. */
  due: Schema.DateFromSelf
})

/** A partition of sessions: their ids are from `low` to below `high`. */
export type Month = Pick<typeof DueRow.Type, "part" | "low" | "high">

const TriedRow = Schema.Struct({
  part: Schema.String,
  /** Null: it was dropped. */
  hold: Schema.NullOr(Hold)
})

/** Rows of a table that one statement deletes. */
const batch = 1_000

/**
 * What hangs on sessions, but for what a month waits for (files and uploads) and what is deleted by its age. A redaction deletes most of it.
 */
const hanging = [
  "kyc_session_keys",
  "kyc_handoffs",
  "kyc_session_notes",
  "kyc_checks",
  "kyc_readings",
  "kyc_browser_marks",
  "kyc_reviews"
] as const

/** Months of sessions that retention drops. */
export class SessionMonthRepo extends Effect.Service<SessionMonthRepo>()("SessionMonthRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeDue = rows(DueRow)
    const decodeTried = rows(TriedRow)
    const decodeMonths = rows(DueRow.pick("part", "low", "high"))
    const decodeDeleted = rows(Schema.Struct({ session_id: Schema.String }))
    const decodeSightings = rows(
      Schema.Struct({ session_id: Schema.String, key_hmac: Schema.Uint8ArrayFromSelf })
    )
    const decodeHold = onlyRow(Schema.Struct({ hold: Schema.NullOr(Hold) }))
    const decodeRefusal = onlyRow(Schema.Struct({ refusal: Schema.NullOr(Schema.String) }))
    const decodeDropped = rows(Schema.Struct({ part: Schema.String, dropped_at: Schema.DateFromSelf }))

    const isOnly = sql.literal(
      "(select count(*) from pg_inherits where inhparent = 'kyc_sessions'::regclass) = 1"
    )

    /** Where the next batch begins: what is before it was deleted, and would be passed over each time. None: there is no more. */
    const nextOf = (deleted: ReadonlyArray<{ readonly session_id: string }>) =>
      deleted.length < batch
        ? undefined
        : deleted
            .map(({ session_id }) => session_id)
            .sort()
            .at(-1)

    /** Deletes some rows of the table. */
    const deleteSome =
      (table: (typeof hanging)[number]) =>
      ({ high }: Month, from: string) =>
        Effect.map(
          decodeDeleted(sql`
            delete from ${sql.literal(table)} where ctid = any (array(
              select ctid from ${sql.literal(table)} where session_id >= ${from}::uuid and session_id < ${high}::uuid
              order by session_id limit ${sql.literal(String(batch))}
            )) returning session_id`),
          nextOf
        )

    /**
     * Deletes some sightings, and the records of which none is left: the hash of a key belongs to a person, and must not outlive all sessions
     * that had it. Records are locked first, in one order, because a session that has the key at this time counts itself there.
     */
    const forgetSome = ({ high, low }: Month, from: string) =>
      Effect.gen(function* () {
        const found = yield* decodeSightings(sql`
          select session_id, key_hmac from kyc_dedup_sightings
          where session_id >= ${from}::uuid and session_id < ${high}::uuid
          order by session_id, key_hmac limit ${sql.literal(String(batch))}`)
        const hmacs = found.map(({ key_hmac }) => key_hmac)
        yield* orDie(sql`
          select from kyc_dedup_records where key_hmac = any (${hmacs}::bytea[]) order by key_hmac for update`)
        yield* orDie(sql`
          delete from kyc_dedup_sightings
          where key_hmac = any (${hmacs}::bytea[]) and session_id >= ${low}::uuid and session_id < ${high}::uuid`)
        yield* orDie(sql`
          delete from kyc_dedup_records r where r.key_hmac = any (${hmacs}::bytea[])
            and not exists (select from kyc_dedup_sightings d where d.key_hmac = r.key_hmac)`)
        return nextOf(found)
      }).pipe(transaction(sql))

    return {
      /** The months that may be dropped so many days from now, oldest first. */
      due: (months: number, days = 0) =>
        decodeDue(sql`
          select part::text as part, low, high, due from due_session_partitions(${months}, now() + make_interval(days => ${days}))`),

      /**
       * Drops the oldest month that nothing holds, at most one. It comes last, after those before it that something holds. The lock is that of
       * whoever creates or drops partitions.
       */
      dropOne: (months: number) =>
        Effect.gen(function* () {
          yield* orDie(sql`select pg_advisory_xact_lock(hashtext('doorlock session partitions'))`)
          const only = yield* decodeTried(
            sql`select part::text as part, 'only' as hold from due_session_partitions(${months}, now()) where ${isOnly}`
          )
          if (only.length > 0) return only
          return yield* decodeTried(
            sql`select part, hold from drop_session_month(${months}) with ordinality as tried (part, hold, place) order by place`
          )
        }).pipe(transaction(sql)),

      /** What holds a month; null: nothing. */
      hold: ({ high, low }: Month) =>
        Effect.map(
          decodeHold(
            sql`select case when ${isOnly} then 'only' else session_month_hold(${low}::uuid, ${high}::uuid) end as hold`
          ),
          ({ hold }) => hold
        ),

      /**
       * Why Postgres refuses to drop a partition, as the end of a sentence; null: it does not. What belongs to the partition, such as a trigger,
       * may depend on its columns, too, and goes with it.
       */
      refusal: (part: string) =>
        Effect.map(
          decodeRefusal(sql`
            with part as (
              select p.oid, p.reltype, p.relowner, t.relowner as table_owner from pg_class p, pg_class t
              where p.oid = to_regclass(${part}) and t.oid = 'kyc_sessions'::regclass
            ), dependent as (
              select distinct case when d.classid = 'pg_rewrite'::regclass
                then pg_describe_object('pg_class'::regclass, (select ev_class from pg_rewrite r where r.oid = d.objid), 0)
                else pg_describe_object(d.classid, d.objid, 0) end as name
              from part p join pg_depend d on d.deptype = 'n'
                and (d.refclassid = 'pg_class'::regclass and d.refobjid = p.oid or d.refclassid = 'pg_type'::regclass and d.refobjid = p.reltype)
              where not exists (
                select from pg_depend own where own.classid = d.classid and own.objid = d.objid
                  and own.refclassid = 'pg_class'::regclass and own.refobjid = p.oid and own.deptype <> 'n'
              )
            )
            select coalesce(
              (select 'its partition is used by ' || string_agg(name, ', ' order by name) from dependent),
              (select 'its partition belongs to ' || relowner::regrole from part where not pg_has_role(table_owner, relowner, 'usage'))
            ) as refusal`),
          ({ refusal }) => refusal
        ),

      /** Dropped months of whose sessions other tables may still have rows. */
      uncleared: decodeMonths(sql`
        select part, low, high from dropped_session_months where cleared_at is null order by high`),

      /** Each deletes some rows of a dropped month's sessions from this id on. Returns where to go on, or undefined at the end. */
      deletions: [...hanging.map(deleteSome), forgetSome],

      markCleared: ({ part }: Month) =>
        orDie(sql`update dropped_session_months set cleared_at = now() where part = ${part}`),

      /** The month that was dropped last. */
      lastDropped: decodeDropped(sql`
        select part, dropped_at from dropped_session_months order by dropped_at desc limit 1`)
    }
  })
}) {}
