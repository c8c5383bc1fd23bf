import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { notify } from "../../db/changes.ts"
import { orDie, row, rows } from "../../db/sql.ts"
import type { Checked, StoredFragment } from "./fragment-model.ts"
import { apiChangedTopic, catalogChangedTopic, catalogName, fragmentRevision } from "./model.ts"

/** An array as Postgres reads it. */
export const arrayText = (items: ReadonlyArray<string | number>): string => `{${items.join(",")}}`

const UncheckedVersion = Schema.Struct({
  id: Schema.String,
  openapi: Schema.String,
  publisher_slug: Schema.String,
  api_slug: Schema.String,
  version: Schema.String,
  upstream_url: Schema.String,
  sandbox_upstream_url: Schema.NullOr(Schema.String)
})
export type UncheckedVersion = typeof UncheckedVersion.Type

const FragmentRow = Schema.Struct({
  version_id: Schema.String,
  content: Schema.String,
  lengths: Schema.Array(Schema.Number)
})

/** What documents become in the description of published APIs, in Postgres. */
export class FragmentRepo extends Effect.Service<FragmentRepo>()("FragmentRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeFragments = rows(FragmentRow)
    const decodeUnchecked = row(UncheckedVersion)

    return {
      /** By the ids of their versions; those that there are. */
      find: (versionIds: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, StoredFragment>> =>
        Effect.map(
          decodeFragments(sql`
            select version_id, content, lengths from api_version_fragments
            where version_id = any(${arrayText(versionIds)}::uuid[])
              and revision >= ${fragmentRevision} and content is not null`),
          (found) => new Map(found.map(({ version_id, ...stored }) => [version_id, stored]))
        ),

      /**
       * A version whose document has not been looked at by this revision of the check, or by a later one. For a minute it is
       * given to nobody else; then whoever asked has failed.
       */
      claimUnchecked: (): Effect.Effect<Option.Option<UncheckedVersion>> =>
        decodeUnchecked(sql`
          with next as (
            select version_id from api_version_fragments
            where revision < ${fragmentRevision} and coalesce(claimed_until < now(), true)
            order by revision, version_id limit 1
            for no key update skip locked
          ), claimed as (
            update api_version_fragments f set claimed_until = now() + interval '1 minute'
            from next where f.version_id = next.version_id
            returning f.version_id
          )
          select v.id, v.openapi::text as openapi, p.slug as publisher_slug, a.slug as api_slug, v.version,
            v.upstream_url, v.sandbox_upstream_url
          from claimed join api_versions v on v.id = claimed.version_id
            join apis a on a.id = v.api_id join publishers p on p.id = a.publisher_id`),

      /** Keeps what was found, and tells every process in the same statement. */
      keep: (versionId: string, checked: Checked): Effect.Effect<void> => {
        const stored = "fragment" in checked ? checked.fragment : undefined
        const problem = "problem" in checked ? checked.problem : null
        return Effect.asVoid(
          orDie(sql`
            with kept as (
              update api_version_fragments set revision = ${fragmentRevision}, claimed_until = null,
                problem = ${problem}, content = ${stored?.content ?? null}, lengths = ${stored === undefined ? null : arrayText(stored.lengths)}
              where version_id = ${versionId} and revision < ${fragmentRevision}
              returning version_id
            ), changed as (
              select v.api_id as id from kept join api_versions v on v.id = kept.version_id
            )
            select ${notify(apiChangedTopic, sql.literal("id::text"))}, ${notify(catalogChangedTopic, catalogName)}
            from changed`)
        )
      }
    }
  })
}) {}
