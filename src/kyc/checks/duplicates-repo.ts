import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { json, orDie, rows } from "../../db/sql.ts"
import { leastEqual } from "./bands-model.ts"

/** A band of a photo, as it is stored. */
interface PhotoBand {
  readonly file_id: string
  /** 64 bits, signed, in decimal digits: JSON has no such numbers. */
  readonly mac: string
}

/** A band to look for. Under two keys, it has two MACs. */
interface WantedBand extends PhotoBand {
  readonly band: number
}

const FoundRow = Schema.Struct({ file_id: Schema.String, session_id: Schema.String })

/** Of the photos that share a band, only so many, the newest, are looked at. */
const mostPhotos = 100

/** The bands of photos, in Postgres. */
export class PhotoBandRepo extends Effect.Service<PhotoBandRepo>()("PhotoBandRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decode = rows(FoundRow)

    return {
      /** Stores them, once. Nothing for photos of another company, and for those that were deleted meanwhile. */
      store: (companyId: string, bands: ReadonlyArray<PhotoBand>) =>
        Effect.asVoid(
          orDie(sql`
            with given as (
              select * from jsonb_to_recordset(${json(bands)}) as given (file_id uuid, mac bigint)
            ), photo as materialized (
              -- Compared as text, the company has no index: the photos are looked up by their ids.
              select f.id from kyc_files f join kyc_sessions s on s.id = f.session_id
              where f.id = any (${[...new Set(bands.map(({ file_id }) => file_id))]}::uuid[])
                and s.company_id::text = ${companyId} and s.redacted_at is null
              order by f.id for key share of f
            )
            insert into kyc_photo_bands (mac, file_id)
            select g.mac, g.file_id from given g where g.file_id in (select id from photo)
            on conflict do nothing`)
        ),

      /**
       * For each photo, the other sessions with a photo that looks the same. The sessions before and after a resubmission are no others:
       * they share photos.
       */
      find: (companyId: string, sessionId: string, wanted: ReadonlyArray<WantedBand>) =>
        decode(sql`
          with recursive before (id, previous_session_id) as (
            select id, previous_session_id from kyc_sessions where company_id = ${companyId} and id = ${sessionId}
            union all
            select p.id, p.previous_session_id from before b join kyc_sessions p on p.id = b.previous_session_id
          ), after (id, next_session_id) as (
            select id, next_session_id from kyc_sessions where company_id = ${companyId} and id = ${sessionId}
            union all
            select n.id, n.next_session_id from after a join kyc_sessions n on n.id = a.next_session_id
          ), chain (id) as (
            select id from before union select id from after
          ), wanted as (
            select * from jsonb_to_recordset(${json(wanted)}) as wanted (file_id uuid, band smallint, mac bigint)
          ), alike as (
            select w.file_id, other.file_id as other_id from wanted w cross join lateral (
              select b.file_id from kyc_photo_bands b where b.mac = w.mac order by b.file_id desc limit ${mostPhotos}
            ) as other
            group by w.file_id, other.file_id having count(distinct w.band) >= ${leastEqual}
          )
          select distinct a.file_id, s.id as session_id
          from alike a join kyc_files f on f.id = a.other_id join kyc_sessions s on s.id = f.session_id
          where s.company_id = ${companyId} and s.id not in (select id from chain)`)
    }
  })
}) {}
