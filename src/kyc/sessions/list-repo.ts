import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { ofCompanyAmong, ofKeptMonth } from "../../db/among.ts"
import { rows } from "../../db/sql.ts"
import type { Cursor } from "../../shared/cursor.ts"
import { firstIdOf } from "../../shared/identifier.ts"
import { ReviewStanding } from "../reviews/model.ts"
import { Flags } from "./flags-model.ts"
import { CreatedSession, isFinished, type ListOrder, Session, Status } from "./model.ts"

export interface SessionFilter {
  readonly status?: Status | undefined
  /** Whether its time passed before it was finished. */
  readonly expired?: boolean | undefined
  readonly instanceId?: string | undefined
  readonly externalReference?: string | undefined
  readonly externalReferencePrefix?: string | undefined
  readonly review?: ReviewStanding | undefined
  /** Whether it has any flag. */
  readonly flags?: boolean | undefined
  /** Created at this time or later. */
  readonly from?: Date | undefined
  /** Created before this time. */
  readonly to?: Date | undefined
  readonly order: ListOrder
}

export interface PageRequest extends SessionFilter {
  readonly companyId: string
  readonly cursor?: Cursor | undefined
  readonly limit: number
}

const day = 86_400_000

/** How far an id's time, from the clock of a process, may be from `created_at`, from the clock of the database (ms). */
const skew = 35 * day

/** How far back the first look for the newest sessions goes, so that it reads few of the table's partitions (ms). */
const recently = 31 * day

const FoundRow = Schema.Struct({
  id: Schema.String,
  created_at: Schema.DateFromSelf,
  /** From 1, among those that were looked through. */
  place: Schema.Number,
  wanted: Schema.Boolean
})

const PlainRow = Schema.Struct({
  ...CreatedSession.fields,
  ...Session.pick("started_at", "completed_at").fields,
  expired: Schema.Boolean,
  flags: Flags,
  /** How far the review is, or what was decided; null without a review. */
  review: Schema.NullOr(ReviewStanding),
  decided_at: Schema.NullOr(Schema.DateFromSelf)
}).pipe(Schema.typeSchema)
export type PlainRow = typeof PlainRow.Type

/** How many sessions a look goes through if the index finds others than the wanted: first few, because they often are enough. */
export const looks = { first: 330, second: 1_000 } as const

/** The statuses in which a session can expire. */
const unfinished = Status.literals.filter((status) => !isFinished(status))

/** The indexes of the lists. All but "prefix" are in the order of creation. */
type Index = "reference" | "prefix" | "review" | "flags" | "status"

const indexFor = (filter: SessionFilter): Index => {
  if (filter.externalReference !== undefined) return "reference"
  if (filter.externalReferencePrefix !== undefined) return "prefix"
  if (filter.review !== undefined) return "review"
  if (filter.flags === true) return "flags"
  return "status"
}

/**
 * Where the first look ends that goes back only for a while, as the cursor of what is behind; undefined if the index does not have the sessions in
 * the order of creation, newest first, or if a filter has few of them anyway.
 */
export const endOfRecent = (request: PageRequest): Cursor | undefined => {
  const { cursor, from, order, to } = request
  const index = indexFor(request)
  if (order === "oldest" || (index !== "status" && index !== "flags")) return undefined
  const newest = Math.min(cursor?.createdAt.getTime() ?? Date.now(), to?.getTime() ?? Date.now())
  const createdAt = new Date(newest - recently)
  return from !== undefined && from >= createdAt ? undefined : { createdAt, id: firstIdOf(0) }
}

/**
 * Which sessions are on a page of a list. One index finds sessions in the order of the list. What the index does not know is checked for
 * each session that it finds, up to a number. So a page costs the same however many sessions the company has.
 */
export class SessionListRepo extends Effect.Service<SessionListRepo>()("SessionListRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeFound = rows(FoundRow)
    const decodePlain = rows(PlainRow)

    const hasExpired = sql`(s.status in ('created', 'running') and s.expires_at <= now())`
    const hasFlags = sql.literal("s.flags <> '{}'")
    const reference = sql.literal(`s.external_reference collate "C"`)

    const sessions = sql.literal("kyc_sessions")

    /** Sessions by their reviews, whose index has them in the order of creation, too. */
    const reviews = sql.literal(`(
      select company_id, session_id as id, session_created_at as created_at, standing from kyc_reviews r where ${ofKeptMonth("r.session_id")}
    )`)

    /** The conditions of the filter that the index knows, and the others. */
    const conditionsOf = (filter: PageRequest, index: Index) => {
      const { externalReference, externalReferencePrefix: prefix } = filter
      const { companyId, expired, flags, from, instanceId, review, status, to } = filter
      const known: Array<Statement.Fragment> = [sql`s.company_id = ${companyId}`]
      const checked: Array<Statement.Fragment> = []
      const add = (condition: Statement.Fragment, isKnown: boolean) => {
        const conditions = isKnown ? known : checked
        conditions.push(condition)
      }
      if (externalReference !== undefined) add(sql`${reference} = ${externalReference}`, true)
      if (prefix !== undefined) {
        if (index === "prefix") {
          const last = prefix + "\u{10ffff}".repeat(255)
          add(sql`${reference} >= ${prefix} and ${reference} <= ${last}`, true)
        } else add(sql`starts_with(s.external_reference, ${prefix})`, false)
      }
      if (review !== undefined) {
        if (index === "review") known.push(sql`s.standing = ${review}`)
        else {
          checked.push(
            sql`exists (select from kyc_reviews r where r.session_id = s.id and r.standing = ${review})`
          )
        }
      }
      if (flags !== undefined) add(flags ? hasFlags : sql`not ${hasFlags}`, index === "flags")
      if (instanceId !== undefined) add(sql`s.instance_id = ${instanceId}`, index === "status")
      if (status !== undefined) add(sql`s.status = ${status}`, index === "status")
      if (expired !== undefined) add(expired ? hasExpired : sql`not ${hasExpired}`, false)
      if (from !== undefined) add(sql`s.created_at >= ${from}`, index !== "prefix")
      if (to !== undefined) add(sql`s.created_at < ${to}`, index !== "prefix")
      return { known, checked }
    }

    /** The partitions of the table in which the sessions may be: conditions on the ids that follow from those on the times. */
    const inPartitions = (
      { cursor, from, order, to }: PageRequest,
      end: Cursor | undefined
    ): Statement.Fragment => {
      const at = cursor?.createdAt.getTime()
      const oldest = Math.max(
        from?.getTime() ?? 0,
        end?.createdAt.getTime() ?? 0,
        order === "oldest" ? (at ?? 0) : 0
      )
      const newest = Math.min(
        to?.getTime() ?? Date.now(),
        order === "newest" ? (at ?? Date.now()) : Date.now()
      )
      return sql`s.id >= ${firstIdOf(oldest - skew)}::uuid and s.id < ${firstIdOf(newest + skew)}::uuid`
    }

    const isAfter = (
      { companyId, cursor, order }: PageRequest,
      index: Index
    ): ReadonlyArray<Statement.Fragment> => {
      if (cursor === undefined) return []
      const comparison = sql.literal(order === "newest" ? "<" : ">")
      if (index !== "prefix") {
        return [sql`(s.created_at, s.id) ${comparison} (${cursor.createdAt}, ${cursor.id}::uuid)`]
      }
      return [
        sql`(${reference}, s.created_at, s.id) ${comparison} ((
            select known.external_reference collate "C" from kyc_sessions known
            where known.company_id = ${companyId} and known.id = ${cursor.id}::uuid
          ), ${cursor.createdAt}, ${cursor.id}::uuid)`
      ]
    }

    /**
     * The places of a page's sessions, and where the next page begins, or undefined if it is the last. A page may be short, and even empty.
     * @param lookedThrough how many sessions at most, if the index finds others than the wanted
     * @param end the page has only sessions before this place of the list
     */
    const find = (request: PageRequest, lookedThrough: number = looks.second, end?: Cursor) => {
      const { expired, limit, order, status } = request
      const index = indexFor(request)
      const { checked, known } = conditionsOf(request, index)
      if (end !== undefined) known.push(sql`s.created_at >= ${end.createdAt}`)
      if (index !== "prefix" && index !== "review") known.push(inPartitions(request, end))
      const statuses = expired === true ? unfinished : Status.literals
      // The index by status has no order over several statuses: each is read in order, and they are merged.
      const merged = index === "status" && status === undefined ? statuses : []
      const most = checked.length === 0 ? limit + 1 : lookedThrough
      const direction = sql.literal(order === "newest" ? "desc" : "asc")
      const inOrder =
        index === "prefix"
          ? sql`order by reference ${direction}, created_at ${direction}, id ${direction}`
          : sql`order by created_at ${direction}, id ${direction}`
      const scan = (...more: ReadonlyArray<Statement.Fragment>) => sql`
        select s.id, s.created_at ${index === "prefix" ? sql`, ${reference} as reference` : sql``}
        from ${index === "review" ? reviews : sessions} s
        where ${sql.and([...known, ...isAfter(request, index), ...more])} ${inOrder} limit ${most}`
      const [first, ...others] = merged
      // The subqueries are merged as they are read, so that all together read hardly more than one.
      const inIndex =
        first === undefined
          ? scan()
          : sql`select one.* from (
              (${scan(sql`s.status = ${first}`)})
              ${others.reduce((all, other) => sql`${all} union all (${scan(sql`s.status = ${other}`)})`, sql``)}
            ) as one ${inOrder} limit ${most}`
      // What is checked is looked up by id, so that the index alone, in its order, finds what is looked through.
      const near =
        checked.length === 0
          ? sql`select n.*, true as wanted from (${inIndex}) as n`
          : sql`select n.*, s.wanted from (${inIndex}) as n cross join lateral (
              select ${sql.and(checked)} as wanted from kyc_sessions s where s.id = n.id offset 0
            ) as s`
      const found = decodeFound(
        // The best plan depends on the company and the filter, so the statement is not prepared.
        sql`
          with near as materialized (${near}), placed as (
            select id, created_at, wanted, (row_number() over sorted)::int as place,
              count(*) filter (where wanted) over sorted as so_far
            from near window sorted as (${inOrder})
          )
          select id, created_at, wanted, place from placed
          where wanted and so_far <= ${limit + 1} or place = ${most} order by place`.unprepared
      )
      return Effect.map(found, (places) => {
        const wanted = places.filter((one) => one.wanted)
        const page = wanted.slice(0, limit)
        const looked = places.find(({ place }) => place === most)
        return { page, next: wanted.length > limit ? page.at(-1) : looked }
      })
    }

    /** These sessions, in this order, without what anybody entered, attached or found out about a person. */
    const plain = (companyId: string, ids: ReadonlyArray<string>) =>
      decodePlain(sql`
        select s.id, s.instance_id, s.company_id, s.mode, s.status, s.external_reference, s.expires_at, s.created_at,
          s.started_at, s.completed_at, ${hasExpired} as expired, s.flags,
          r.standing as review, r.decided_at
        from kyc_sessions s left join kyc_reviews r on r.session_id = s.id
        where ${ofCompanyAmong(sql, companyId, sql`${ids}::uuid[]`)}
        order by array_position(${ids}::uuid[], s.id)`)

    return { find, plain }
  })
}) {}
