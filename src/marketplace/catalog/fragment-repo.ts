import * as SqlClient from "@effect/sql/SqlClient"
import { Context, Effect, Schema } from "effect"
import { notify } from "../../db/changes.ts"
import { orDie, row, rows } from "../../db/sql.ts"
import type { Checked, StoredFragment } from "./fragment-model.ts"
import {
  apiChangedTopic,
  type CheckFailure,
  catalogChangedTopic,
  catalogName,
  checkFailures,
  fragmentRevision,
  maxTries,
  oldestServedRevision,
  PlacedVersion
} from "./model.ts"

/** An array as a Postgres literal. */
export const arrayText = (items: ReadonlyArray<string | number>): string => `{${items.join(",")}}`

/** This process's revision of the check, and the oldest it serves. Two releases may run side by side. */
export class FragmentRevisions extends Context.Reference<FragmentRevisions>()("FragmentRevisions", {
  defaultValue: () => ({ current: fragmentRevision, oldestServed: oldestServedRevision })
}) {}

/** Whether this revision or a later one has used up its tries for the document of row `f`. */
const isTried = (revision: number) => `(f.tried_revision >= ${revision} and f.tries >= ${maxTries})`

/** Whether this revision no longer checks the document of row `f`, until its API is published again. */
export const isSetAside = (revision: number) =>
  `(f.revision < ${revision} and ${isTried(revision)} and coalesce(f.claimed_until < now(), true))`

const UncheckedVersion = Schema.Struct({
  id: Schema.String,
  openapi: Schema.String,
  ...PlacedVersion.fields
})

const FragmentRow = Schema.Struct({
  version_id: Schema.String,
  content: Schema.String,
  lengths: Schema.Array(Schema.Number)
})

/** Stored fragments of documents, in Postgres. */
export class FragmentRepo extends Effect.Service<FragmentRepo>()("FragmentRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { current, oldestServed } = yield* FragmentRevisions
    const decodeFragments = rows(FragmentRow)
    const decodeUnchecked = row(UncheckedVersion)

    return {
      /** By version id. Omits versions without a fragment. */
      find: (versionIds: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, StoredFragment>> =>
        Effect.map(
          decodeFragments(sql`
            select version_id, content, lengths from api_version_fragments
            where version_id = any(${arrayText(versionIds)}::uuid[])
              and revision >= ${oldestServed} and content is not null`),
          (found) => new Map(found.map(({ version_id, ...stored }) => [version_id, stored]))
        ),

      /** Claims the version tried least, for a minute. A try counts at once: it may crash the process. */
      claimUnchecked: () =>
        decodeUnchecked(sql`
          with next as (
            select f.version_id, case when f.tried_revision >= ${current} then f.tries else 0 end as tries
            from api_version_fragments f
            where f.revision < ${current} and coalesce(f.claimed_until < now(), true)
              and not ${sql.literal(isTried(current))}
            order by tries, f.revision, f.version_id limit 1
            for no key update skip locked
          ), claimed as (
            update api_version_fragments f set claimed_until = now() + interval '1 minute', tries = next.tries + 1,
              tried_revision = greatest(f.tried_revision, ${current}), failure = ${checkFailures.unended}
            from next where f.version_id = next.version_id
            returning f.version_id
          )
          select v.id, v.openapi::text as openapi, p.slug as publisher_slug, a.slug as api_slug, v.version,
            v.upstream_url, v.sandbox_upstream_url
          from claimed join api_versions v on v.id = claimed.version_id
            join apis a on a.id = v.api_id join publishers p on p.id = a.publisher_id`),

      /** Doubles the delay before the next try, from two minutes. No try follows the last one. */
      fail: (versionId: string, failure: CheckFailure): Effect.Effect<void> =>
        Effect.asVoid(
          orDie(sql`
            update api_version_fragments f set failure = ${failure},
              claimed_until = case when not ${sql.literal(isTried(current))} then now() + make_interval(mins => (2 ^ f.tries)::int) end
            where f.version_id = ${versionId} and f.revision < ${current}`)
        ),

      /** A check that did not begin is no try. The claim lasts until its minute is over. */
      returnUnbegun: (versionId: string): Effect.Effect<void> =>
        Effect.asVoid(
          orDie(sql`
            update api_version_fragments set tries = greatest(tries - 1, 0)
            where version_id = ${versionId} and revision < ${current}`)
        ),

      /** Stores the result and notifies every process in the same statement. */
      keep: (versionId: string, checked: Checked): Effect.Effect<void> => {
        const stored = "fragment" in checked ? checked.fragment : undefined
        const problem = "problem" in checked ? checked.problem : null
        return Effect.asVoid(
          orDie(sql`
            with kept as (
              update api_version_fragments set revision = ${current}, claimed_until = null, tries = 0, failure = null,
                problem = ${problem}, content = ${stored?.content ?? null}, lengths = ${stored === undefined ? null : arrayText(stored.lengths)}
              where version_id = ${versionId} and revision < ${current}
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
