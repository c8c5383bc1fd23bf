import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { row, rows } from "../../db/sql.ts"
import type { Cursor } from "../../shared/cursor.ts"
import { Review } from "../reviews/model.ts"
import { Evidence, isFinished, Session, Status } from "./model.ts"

const PartnerRow = Schema.extend(
  Schema.typeSchema(
    Schema.Struct({
      ...Session.fields,
      /** The version of the instance's config and workflow. A version never changes. */
      version_id: Schema.String,
      ...Evidence.fields,
      previous_session_id: Schema.NullOr(Schema.String)
    })
  ),
  Schema.Struct({
    /** From JSON, in which the time is text. */
    review: Schema.NullOr(Schema.Struct({ ...Review.fields, next_session_id: Schema.NullOr(Schema.String) }))
  })
)
export type PartnerRow = typeof PartnerRow.Type

const ListedRow = Schema.extend(PartnerRow, Schema.Struct({ fetched: Schema.Number }))

export interface SessionFilter {
  readonly companyId: string
  readonly status?: Status | undefined
  readonly externalReference?: string | undefined
  readonly instanceId?: string | undefined
  readonly expired?: boolean | undefined
  readonly cursor?: Cursor | undefined
  readonly limit: number
}

/** Bytes of progress, result, config and workflow on one page. A larger session gets a page of its own. */
const pageBytes = 8_388_608

/** How many of the newest sessions in a status are searched first for those that have expired or have not. */
const lookedThrough = 500

/** The statuses in which a session can expire. */
const unfinished = Status.literals.filter((status) => !isFinished(status))
const finished = Status.literals.filter(isFinished)

/** Sessions as their owning company reads them: in full, and even after they have expired. */
export class PartnerSessionRepo extends Effect.Service<PartnerSessionRepo>()("PartnerSessionRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeAll = rows(ListedRow)
    const decodeOne = row(PartnerRow)

    const select = sql.literal(`
      select s.id, s.version_id, s.instance_id, s.company_id, s.mode, s.status, s.external_reference, s.expires_at,
        s.created_at, s.started_at, s.updated_at, s.completed_at, s.progress, s.result, s.metadata,
        v.config as instance_config, v.workflow as instance_workflow,
        s.captcha_verified_at, s.captcha_score,
        coalesce((
          select max(r.seen_count) from kyc_dedup_sightings d join kyc_dedup_records r using (key_hmac)
          where d.session_id = s.id
        ), 0) as dedup_seen_count, s.previous_session_id, (
          select jsonb_build_object('status', r.status, 'decision', r.decision, 'reasons', r.reasons, 'decided_at', r.decided_at,
            'decided_by', r.decided_by, 'next_session_id', (select n.id from kyc_sessions n where n.previous_session_id = r.session_id))
          from kyc_reviews r where r.session_id = s.id
        ) as review
      from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id`)

    return {
      find: (companyId: string, id: string) =>
        decodeOne(sql`${select} where s.company_id = ${companyId} and s.id = ${id}`),

      /** A session of any company: only for the operator of the service. */
      findOfAny: (id: string) => decodeOne(sql`${select} where s.id = ${id}`),

      /** Newest first; a page of large sessions may have fewer than `limit`. */
      list: ({ companyId, cursor, expired, externalReference, instanceId, limit, status }: SessionFilter) => {
        const conditions: Array<Statement.Fragment> = [sql`s.company_id = ${companyId}`]
        if (status !== undefined) conditions.push(sql`s.status = ${status}`)
        if (externalReference !== undefined) conditions.push(sql`s.external_reference = ${externalReference}`)
        if (instanceId !== undefined) conditions.push(sql`s.instance_id = ${instanceId}`)
        if (cursor !== undefined) {
          conditions.push(sql`(s.created_at, s.id) < (${cursor.createdAt}, ${cursor.id}::uuid)`)
        }
        const newest = sql`order by s.created_at desc, s.id desc limit ${limit + 1}`
        const hasExpired = sql`(${sql.in("s.status", unfinished)} and s.expires_at <= now())`
        const wanted = (some: ReadonlyArray<Status>) =>
          status === undefined ? some : some.filter((one) => one === status)
        // Finds the newest sessions in each status, for filters by instance or expiry. No single index covers the order
        // of these lists, and another index would cost a write per session.
        const newestOf = (some: ReadonlyArray<Status>) => sql`
          select one.id from unnest(${some}::text[]) as wanted (status) cross join lateral (
            select s.id from kyc_sessions s where ${sql.and(conditions)} and s.status = wanted.status ${newest}
          ) as one`
        /**
         * The same by expiry. The wanted sessions are usually among the newest; if too few are, all are found
         * by expiry time, however many others exist. Materialized, because the planner cannot know which kind
         * a company has many of.
         */
        const newestBy = (some: ReadonlyArray<Status>, inTime: Statement.Fragment) => sql`
          select one.id from unnest(${some}::text[]) as wanted (status) cross join lateral (
            with near as materialized (
              select s.id, s.created_at, s.expires_at from kyc_sessions s
              where ${sql.and(conditions)} and s.status = wanted.status
              order by s.created_at desc, s.id desc limit ${lookedThrough}
            ), found as materialized (
              select s.id from near s where ${inTime} ${newest}
            ), rest as materialized (
              select s.id, s.company_id, s.instance_id, s.status, s.created_at from kyc_sessions s
              where s.company_id = ${companyId} and ${sql.in("s.status", unfinished)} and s.status = wanted.status
                and ${inTime} and (select count(*) from near) = ${lookedThrough} and (select count(*) from found) <= ${limit}
            )
            select id from found union all (select s.id from rest s where ${sql.and(conditions)} ${newest})
          ) as one`
        const chosen = () => {
          if (externalReference !== undefined || (expired === undefined && instanceId === undefined)) {
            return sql.and([
              ...conditions,
              ...(expired === undefined ? [] : [expired ? hasExpired : sql`not ${hasExpired}`])
            ])
          }
          if (expired === undefined) {
            return status === undefined
              ? sql`s.id = any (array(${newestOf(Status.literals)}))`
              : sql.and(conditions)
          }
          return expired
            ? sql`s.id = any (array(${newestBy(wanted(unfinished), sql`s.expires_at <= now()`)}))`
            : sql`s.id = any (array(
                ${newestBy(wanted(unfinished), sql`s.expires_at > now()`)} union all ${newestOf(wanted(finished))}
              ))`
        }
        const page = sql`
          with page as (
            ${select} where ${chosen()} ${newest}
          ), sized as (
            select page.*, octet_length(progress::text) + coalesce(octet_length(result::text), 0)
              + octet_length(instance_config::text) + octet_length(instance_workflow::text) as size
            from page
          ), measured as (
            select sized.*, (count(*) over ())::int as fetched, row_number() over newest as place,
              sum(size) over (newest rows between unbounded preceding and 1 preceding) as before
            from sized window newest as (order by created_at desc, id desc)
          )
          select * from measured where place <= ${limit} and coalesce(before, 0) < ${pageBytes} order by place`
        const isFiltered = [status, externalReference, instanceId, expired].some((one) => one !== undefined)
        // The best plan for a filtered list depends on the company and the filter, so the query is not prepared.
        const found = decodeAll(isFiltered ? page.unprepared : page)
        return Effect.map(found, (sessions) => ({
          sessions,
          // The query fetches one more than the limit. Sessions that are too large for this page move to the next.
          more: sessions.length < (sessions[0]?.fetched ?? 0)
        }))
      }
    }
  })
}) {}
