import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Effect, Option, Schema } from "effect"
import { notify } from "../../db/changes.ts"
import { recordEvents } from "../../db/outbox.ts"
import { fragment, literal, onlyRow, row, rows } from "../../db/sql.ts"
import { apiChangedTopic, catalogChangedTopic, catalogName, ListedApi } from "./model.ts"

/** A page, with its items as JSON. */
const PageRow = Schema.Struct({ items: Schema.String, total: Schema.Number })

/** The inputs of a description, except the documents, which may be large. */
export const PublishedVersion = Schema.Struct({
  id: Schema.String,
  api_id: Schema.String,
  api_description: Schema.String,
  publisher_id: Schema.String,
  publisherSlug: Schema.String,
  apiSlug: Schema.String,
  version: Schema.String,
  upstream_url: Schema.String,
  sandbox_upstream_url: Schema.NullOr(Schema.String),
  /** Bytes of its document in the description; 0 without a document. */
  size: Schema.Number
})
export type PublishedVersion = typeof PublishedVersion.Type

const ExportedRow = Schema.Struct({
  id: Schema.String,
  exported: Schema.String,
  exported_lengths: Schema.Array(Schema.Number)
})

/** The sections, which are stored one behind the other. */
const sectionsOf = ({ exported, exported_lengths }: typeof ExportedRow.Type) => {
  const bytes = Buffer.from(exported)
  let end = 0
  return exported_lengths.map((length) => {
    end += length
    return bytes.subarray(end - length, end)
  })
}

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

/** The public catalog: only published APIs, except in `document`. */
export class CatalogRepo extends Effect.Service<CatalogRepo>()("CatalogRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodePage = onlyRow(PageRow)
    const decodeApi = row(ListedApi)
    const decodeVersions = rows(PublishedVersion)
    const decodeDocument = row(Schema.Struct({ openapi: Schema.NullOr(Schema.String) }))
    const decodeExported = rows(ExportedRow)

    const listed = sql.literal(`
      select a.id, p.slug as publisher_slug, a.slug, a.name, a.description,
        ${versionsOf} as versions, ${plansOf} as plans
      from apis a join publishers p on p.id = a.publisher_id`)

    const published = sql.literal(`
      select v.id, a.id as api_id, a.description as api_description, p.id as publisher_id,
        p.slug as "publisherSlug", a.slug as "apiSlug", v.version, v.upstream_url, v.sandbox_upstream_url,
        coalesce((select sum(l)::int from unnest(v.exported_lengths) as l), 0) as size
      from api_versions v join apis a on a.id = v.api_id join publishers p on p.id = a.publisher_id
      where a.status = 'published'`)

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

      /** The parts of these versions in descriptions. */
      sections: (versionIds: ReadonlyArray<string>) =>
        Effect.map(
          decodeExported(sql`
            select id, exported, exported_lengths from api_versions
            where id = any(${`{${versionIds.join(",")}}`}::uuid[]) and exported is not null`),
          (found) => found.map((row) => ({ id: row.id, sections: sectionsOf(row) }))
        ),

      /** As its publisher wrote it, as JSON, or null. The API need not be published. */
      document: (versionId: string): Effect.Effect<string | null> =>
        Effect.map(
          decodeDocument(sql`select openapi::text as openapi from api_versions where id = ${versionId}`),
          Option.match({ onNone: () => null, onSome: ({ openapi }) => openapi })
        )
    }
  })
}) {}
