import type { Scale } from "./scale.ts"

/** The log: two events for each session, of the last five days. */
export const events = ({ sessions }: Scale): ReadonlyArray<string> => [
  `insert into events (position, id, company_id, type, data, created_at)
   select 1000 + n, pg_temp.id_of('event', n), pg_temp.company_of((n + 1) / 2),
     'kyc.session.' || case n % 2 when 1 then 'created' else 'completed' end,
     jsonb_build_object('id', pg_temp.session_id((n + 1) / 2), 'mode', 'prod'),
     greatest(now() - (${2 * sessions} - n) * interval '5 days' / ${2 * sessions}, (select min(created_at) from events))
   from generate_series(1, ${2 * sessions}) n`,
  `update event_log_end set position = ${2 * sessions} + 1000`
]
