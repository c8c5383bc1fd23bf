import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Option, Schema } from "effect"
import { notify } from "../../db/changes.ts"
import { recordEvents } from "../../db/outbox.ts"
import { fragment, literal, onlyRow, row, rows } from "../../db/sql.ts"
import { FragmentRevisions, isSetAside } from "./fragment-repo.ts"
import {
  apiChangedTopic,
  apiWithdrawnTopic,
  catalogChangedTopic,
  catalogName,
  ListedApi,
  PlacedVersion
} from "./model.ts"

/** A page, with its items as JSON. */
const PageRow = Schema.Struct({ items: Schema.String, total: Schema.Number })

/** The inputs of a description, except the documents, which may be large. */
export const PublishedVersion = Schema.Struct({
  id: Schema.String,
  api_id: Schema.String,
  api_name: Schema.String,
  api_description: Schema.String,
  publisher_id: Schema.String,
  ...PlacedVersion.fields,
  has_openapi: Schema.Boolean,
  /** Bytes of its document in the description; null if there are none, or not known yet. */
  size: Schema.NullOr(Schema.Number),
  /** The revision of the check that produced the fragment. Another revision produces another fragment. */
  revision: Schema.NullOr(Schema.Number),
  is_refused: Schema.Boolean,
  /** Whether the document is no longer checked. */
  is_set_aside: Schema.Boolean
})
export type PublishedVersion = typeof PublishedVersion.Type

const NamedProblem = Schema.Struct({ name: Schema.String, problem: Schema.String })

/** Refused documents, those no longer checked, and the number of documents still to check. */
const UncheckedOrRefused = Schema.Struct({
  refused: Schema.Array(NamedProblem),
  set_aside: Schema.Array(NamedProblem),
  unchecked: Schema.Number
})

/** A JSON list of these rows, without the spaces that Postgres adds, ready to send. */
const jsonList = (row: string, order: string) =>
  `('[' || coalesce(string_agg(row_to_json(${row})::text, ',' order by ${order}), '') || ']')::json`

/** Plans in order of creation; those of one transaction by their ids. */
export const plansOf = `(
  select ${jsonList("plan", "l.created_at, l.id")}
  from api_plans l, lateral (select l.id, l.name, l.requests_per_minute, l.requests_per_month) plan
  where l.api_id = a.id)`

export const takenDownOf = `case when a.taken_down_at is null then null
  else json_build_object('at', a.taken_down_at, 'reason', a.taken_down_reason) end`

/** Notifies every process that the API with the `id` in scope has changed, and so has the catalog. */
export const tellApiChanged = fragment(
  ...notify(apiChangedTopic, fragment(literal("id::text"))).segments,
  literal(", "),
  ...notify(catalogChangedTopic, catalogName).segments
)

/** The same for an API that is no longer published. */
export const tellApiWithdrawn = fragment(
  ...tellApiChanged.segments,
  literal(", "),
  ...notify(apiWithdrawnTopic, fragment(literal("id::text"))).segments
)

/** Times as in responses: lists go from the database to the client unchanged. */
const versionsOf = `(
  select ${jsonList("one", "v.created_at desc, v.id desc")}
  from api_versions v, lateral (
    select v.id, v.version, to_char(v.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
  ) one
  where v.api_id = a.id)`

/**
 * Records an event for the publisher of an API, and one for each company that subscribes to it.
 *
 * @param from a CTE with the columns id, status, company_id (of the publisher) and version (null unless one was added)
 */
export const apiEvents = (
  sql: SqlClient.SqlClient,
  what: "published" | "unpublished" | "version_added",
  from: Statement.Fragment
) =>
  recordEvents(sql, `marketplace.api.${what}`, {
    companyId: sql`reader.company_id`,
    data: sql`jsonb_build_object('id', api.id, 'status', api.status, 'version', api.version,
      'url', '/api/api-marketplace/' || reader.path)`,
    from: sql`${from} api cross join lateral (
      -- Only its publisher can read a draft, in the list.
      select api.company_id, 'publisher/apis' as path
      union all
      select company_id, 'apis/' || api.id from subscriptions
      where api_id = api.id and status = 'active' and company_id <> api.company_id
    ) as reader`
  })

/** The public catalog: only published APIs, except in `uncheckedOrRefused` and `document`. */
export class CatalogRepo extends Effect.Service<CatalogRepo>()("CatalogRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { current, oldestServed } = yield* FragmentRevisions
    const setAside = isSetAside(current)
    const decodePage = onlyRow(PageRow)
    const decodeApi = row(ListedApi)
    const decodeVersions = rows(PublishedVersion)
    const decodeDocument = row(Schema.Struct({ openapi: Schema.NullOr(Schema.String) }))
    const decodeUncheckedOrRefused = onlyRow(UncheckedOrRefused)

    const listed = sql.literal(`
      select a.id, p.slug as publisher_slug, a.slug, a.name, a.description,
        ${versionsOf} as versions, ${plansOf} as plans
      from apis a join publishers p on p.id = a.publisher_id`)

    const published = sql.literal(`
      select v.id, a.id as api_id, a.name as api_name, a.description as api_description, p.id as publisher_id,
        p.slug as publisher_slug, a.slug as api_slug, v.version, v.upstream_url, v.sandbox_upstream_url,
        v.openapi is not null as has_openapi,
        case when f.revision >= ${oldestServed} then (select sum(l)::int from unnest(f.lengths) as l) end as size,
        f.revision, coalesce(f.revision >= ${oldestServed} and f.problem is not null, false) as is_refused,
        coalesce(${setAside}, false) as is_set_aside
      from api_versions v join apis a on a.id = v.api_id join publishers p on p.id = a.publisher_id
        left join api_version_fragments f on f.version_id = v.id
      where a.status = 'published'`)

    /** By the names of their versions. */
    const namedProblems = (problem: string, which: string) =>
      sql.literal(`
        (select coalesce(json_agg(json_build_object('name', p.slug || '/' || a.slug || ' ' || v.version,
            'problem', ${problem}) order by p.slug, a.slug, v.version), '[]')
          from api_version_fragments f join api_versions v on v.id = f.version_id
            join apis a on a.id = v.api_id join publishers p on p.id = a.publisher_id
          where ${which})`)

    return {
      /** Most recently published first. A page is text: it may exceed a megabyte, and nothing here reads it. */
      list: (limit: number, offset: number) =>
        decodePage(sql`
          select (select count(*)::int from apis where status = 'published') as total,
            (select ${sql.literal(jsonList("listed", "chosen.published_at desc, chosen.id desc"))}::text
              from (
                select id, published_at from apis where status = 'published'
                order by published_at desc, id desc limit ${limit} offset ${offset}
              ) as chosen, lateral (${listed} where a.id = chosen.id) as listed) as items`),

      find: (id: string) => decodeApi(sql`${listed} where a.id = ${id} and a.status = 'published'`),

      /** Of one API or of all: publishers and APIs in order of creation, newest version first. */
      versions: (apiId?: string) =>
        decodeVersions(sql`
          ${published} ${apiId === undefined ? sql.literal("") : sql`and a.id = ${apiId}`}
          order by p.id, a.id, v.created_at desc, v.id desc`),

      /** Of all versions, published or not. */
      uncheckedOrRefused: () =>
        decodeUncheckedOrRefused(sql`
          select ${namedProblems("f.problem", "f.problem is not null")} as refused,
            ${namedProblems("f.failure", setAside)} as set_aside,
            (select count(*)::int from api_version_fragments f
              where f.revision < ${current} and not ${sql.literal(setAside)}) as unchecked`),

      /** As its publisher wrote it, as JSON, or null. The API need not be published. */
      document: (versionId: string): Effect.Effect<string | null> =>
        Effect.map(
          decodeDocument(sql`select openapi::text as openapi from api_versions where id = ${versionId}`),
          Option.match({ onNone: () => null, onSome: ({ openapi }) => openapi })
        )
    }
  })
}) {}
