import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Cursor } from "../../cursor.ts"
import { row, rows } from "../../db/sql.ts"
import { isFinished, Session, Status } from "./model.ts"

const PartnerRow = Schema.typeSchema(
  Schema.Struct({
    ...Session.fields,
    /** Of the instance's config and workflow, which never change under it. */
    version_id: Schema.String,
    captcha_verified_at: Schema.NullOr(Schema.DateFromSelf),
    captcha_score: Schema.NullOr(Schema.Number),
    dedup_seen_count: Schema.Number
  })
)
export type PartnerRow = typeof PartnerRow.Type

const ListedRow = Schema.extend(PartnerRow, Schema.Struct({ fetched: Schema.Number }))

interface SessionFilter {
  readonly companyId: string
  readonly status?: Status | undefined
  readonly externalReference?: string | undefined
  readonly instanceId?: string | undefined
  /** Only those that have expired, or only all others. */
  readonly expired?: boolean | undefined
  /** The last session of the page before. */
  readonly after?: Cursor | undefined
  readonly limit: number
}

/** Bytes of progress, result, config and workflow that one page carries, at most, unless one session alone has more. */
const pageBytes = 8_388_608

/** How many of the newest of a status are looked through for those that have expired, or have not, at most. */
const lookedThrough = 500

/** In whichever status a session is, it is one of these. */
const statuses = Status.literals

/** Those in which it can expire, and those in which it cannot. */
const unfinished = statuses.filter((status) => !isFinished(status))
const finished = statuses.filter(isFinished)

/** Sessions as the company that owns them reads them: all of it, and after they expired. */
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
        ), 0) as dedup_seen_count
      from kyc_sessions s join kyc_instance_versions v on v.id = s.version_id`)

    return {
      find: (companyId: string, id: string) =>
        decodeOne(sql`${select} where s.company_id = ${companyId} and s.id = ${id}`),

      /** Whichever company's it is: for who runs the service alone. */
      findOfAny: (id: string) => decodeOne(sql`${select} where s.id = ${id}`),

      /** Newest first; fewer than `limit` where they are many and large. */
      list: ({ after, companyId, expired, externalReference, instanceId, limit, status }: SessionFilter) => {
        const conditions: Array<Statement.Fragment> = [sql`s.company_id = ${companyId}`]
        if (status !== undefined) conditions.push(sql`s.status = ${status}`)
        if (externalReference !== undefined) conditions.push(sql`s.external_reference = ${externalReference}`)
        if (instanceId !== undefined) conditions.push(sql`s.instance_id = ${instanceId}`)
        if (after !== undefined) {
          conditions.push(sql`(s.created_at, s.id) < (${after.createdAt}, ${after.id}::uuid)`)
        }
        const newest = sql`order by s.created_at desc, s.id desc limit ${limit + 1}`
        const hasExpired = sql`(${sql.in("s.status", unfinished)} and s.expires_at <= now())`
        const wanted = (some: ReadonlyArray<Status>) =>
          status === undefined ? some : some.filter((one) => one === status)
        // Of an instance, and of what has expired or has not, the newest in each status: no index has them all in the order of the list, and
        // one more would have to be written to with every session.
        const newestOf = (some: ReadonlyArray<Status>) => sql`
          select one.id from unnest(${some}::text[]) as wanted (status) cross join lateral (
            select s.id from kyc_sessions s where ${sql.and(conditions)} and s.status = wanted.status ${newest}
          ) as one`
        /**
         * Likewise, of those in time, or of those that are not. As a rule they are among the newest; where these are not enough, all of
         * them are found by when they expire, however many others there are. Materialized, since the planner cannot know of what a
         * company has much.
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
            return status === undefined ? sql`s.id = any (array(${newestOf(statuses)}))` : sql.and(conditions)
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
        // How what is filtered is best found depends on who asks, and for what.
        const found = decodeAll(isFiltered ? page.unprepared : page)
        return Effect.map(found, (sessions) => ({
          sessions,
          // One more than asked for is fetched, and what is too large for the page is left to the next.
          more: sessions.length < (sessions[0]?.fetched ?? 0)
        }))
      }
    }
  })
}) {}
