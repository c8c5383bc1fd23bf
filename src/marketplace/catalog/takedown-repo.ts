import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { recordingEvents } from "../../db/outbox.ts"
import { row, rows } from "../../db/sql.ts"
import { OfferedApi } from "./model.ts"
import { apiEvents, takenDownOf, tellApiChanged } from "./repo.ts"

/** The operator's queries on all publishers' APIs, in Postgres. */
export class TakedownRepo extends Effect.Service<TakedownRepo>()("TakedownRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeOffered = rows(OfferedApi)
    const decodePlace = row(Schema.Struct({ id: Schema.String, company_id: Schema.String }))
    const decodeChanged = row(Schema.Struct({ name: Schema.String, changed: Schema.Boolean }))

    return {
      /** The APIs of all companies, or of one, ordered by company name, then by slug. */
      list: (companyId?: string) =>
        decodeOffered(sql`
          select a.id, json_build_object('id', c.id, 'name', c.name) as company, p.slug as publisher_slug,
            a.slug, a.name, a.status, ${sql.literal(takenDownOf)} as taken_down,
            (select count(*)::int from subscriptions s where s.api_id = a.id and s.status = 'active') as subscribers
          from apis a join publishers p on p.id = a.publisher_id join companies c on c.id = p.company_id
          where ${companyId ?? null}::uuid is null or c.id = ${companyId ?? null}
          order by c.name, c.id, a.slug`),

      find: (publisherSlug: string, slug: string) =>
        decodePlace(sql`
          select a.id, p.company_id from apis a join publishers p on p.id = a.publisher_id
          where p.slug = ${publisherSlug} and a.slug = ${slug}`),

      /** Notifies every process in the same statement. Replaces the reason of an earlier takedown. */
      takeDown: (id: string, reason: string) =>
        decodeChanged(sql`
          with api as (
            select id, name, status, taken_down_reason is distinct from ${reason} as changed
            from apis where id = ${id} for no key update
          ), updated as (
            update apis a set status = 'draft', taken_down_at = coalesce(a.taken_down_at, now()),
              taken_down_reason = ${reason}
            from api where a.id = api.id and api.changed
            returning a.id, a.status, a.publisher_id, api.status as status_before
          ), told as (
            select u.id, u.status, p.company_id, null as version from updated u join publishers p on p.id = u.publisher_id
            where u.status_before = 'published'
          ), recorded as (${apiEvents(sql, "unpublished", sql`told`)})
          select name, changed, ${tellApiChanged} from api`).pipe(recordingEvents),

      /** The API stays a draft until its publisher publishes it. */
      allow: (id: string) =>
        decodeChanged(sql`
          with api as (
            select id, name, taken_down_at is not null as changed from apis where id = ${id} for no key update
          ), updated as (
            update apis a set taken_down_at = null, taken_down_reason = null
            from api where a.id = api.id and api.changed
          )
          select name, changed from api`)
    }
  })
}) {}
