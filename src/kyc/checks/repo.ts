import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { amongIds } from "../../db/among.ts"
import { recordEvents, recordingEvents } from "../../db/outbox.ts"
import { json, onlyRow, orDie, row } from "../../db/sql.ts"
import type { StoredCheck } from "./model.ts"
import { mostFromBrowser } from "./signals-model.ts"

/** The checks of one session. */
export interface SessionChecks {
  readonly sessionId: string
  readonly checks: ReadonlyArray<Omit<StoredCheck, "at">>
}

const KnownRow = Schema.Struct({
  answered: Schema.Array(Schema.String),
  seconds: Schema.Number,
  handedTo: Schema.Array(Schema.String),
  sameBrowser: Schema.NullOr(Schema.Number)
})

/** For how long a mark in a browser is compared, in days. The hosted page renews its mark after as many. */
const markDays = 30

export class CheckRepo extends Effect.Service<CheckRepo>()("CheckRepo", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const decodeKnown = row(KnownRow)
    const decodeCount = onlyRow(Schema.Struct({ instances: Schema.Number }))
    return {
      /** How many instances have photos looked at, by their present config. */
      instances: Effect.map(
        decodeCount(sql`
          select count(*)::int as instances
          from kyc_instances i join kyc_instance_versions v on v.id = i.version_id
          where v.looks_at_photos`),
        ({ instances }) => instances
      ),

      /** Deletes marks that are not compared any more. */
      forgetMarks: orDie(
        sql`delete from kyc_browser_marks where created_at < now() - make_interval(days => ${markDays})`
      ),

      /**
       * How a session was answered, as the server saw it. `sameBrowser`: how many other sessions of the instance came from its browser, not
       * counting those that it resubmits or that resubmit it; null if it has no mark.
       */
      known: (companyId: string, sessionId: string) =>
        decodeKnown(sql`
          select array(select jsonb_object_keys(s.step_seconds)) as answered,
            extract(epoch from coalesce(s.completed_at, now()) - s.created_at)::float8 as seconds, array(
            select coalesce(h.device, 'unknown') from kyc_handoffs h
            where h.session_id = s.id and h.status = 'confirmed' order by h.ended_at
          ) as "handedTo", (
            select (
              select count(*)::int from (
                select from kyc_browser_marks o join kyc_sessions other on other.id = o.session_id
                where o.mark = m.mark and o.created_at > now() - make_interval(days => ${markDays})
                  and other.company_id = s.company_id and o.session_id <> all (chain.ids)
                limit ${mostFromBrowser}
              ) as found
            ) from kyc_browser_marks m, (select kyc_session_chain(s.id) as ids) as chain where m.session_id = s.id
          ) as "sameBrowser"
          from kyc_sessions s where s.company_id = ${companyId} and s.id = ${sessionId}`),

      /** Stores the checks of sessions and records their event, once for each session; nothing for a session that was redacted meanwhile. */
      store: (sessions: ReadonlyArray<SessionChecks>) => {
        const ids = sessions.map(({ sessionId }) => sessionId)
        return orDie(sql`
          with given as (
            select * from jsonb_to_recordset(${json(
              sessions.flatMap(({ checks, sessionId }) =>
                checks.map((check, place) => ({ ...check, place, session_id: sessionId }))
              )
            )}) as given (id uuid, session_id uuid, place smallint, kind text, outcome text, content text, file_ids uuid[], engine text)
          ), s as materialized (
            select s.* from kyc_sessions s
            where s.id = any (${ids}::uuid[]) and ${amongIds(sql, ids)} and s.redacted_at is null
            order by s.id for key share
          ), added as (
            insert into kyc_checks (id, session_id, company_id, place, kind, outcome, content, file_ids, engine)
            select g.id, s.id, s.company_id, g.place, g.kind, g.outcome, g.content, g.file_ids, g.engine
            from given g join s on s.id = g.session_id
            on conflict do nothing returning session_id
          ), completed as (
            select s.* from s where s.id in (select session_id from added)
          )
          ${recordEvents(sql, "kyc.checks.completed", {
            companyId: sql`company_id`,
            data: sql.literal(`jsonb_build_object('id', id, 'instance_id', instance_id, 'status', status,
              'mode', mode, 'external_reference', external_reference, 'url', '/api/kyc/sessions/' || id)`),
            from: sql`completed`
          })}`).pipe(recordingEvents)
      }
    }
  })
}) {}
