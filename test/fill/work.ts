import type { Scale } from "./scale.ts"

/** Work that waits: a lane with a job for every session, one with as many jobs as all others together, and jobs that were set aside. */
export const work = ({ sessions }: Scale): ReadonlyArray<string> => [
  `insert into work_jobs (kind, lane, due, payload)
   select 'test.number', case n % 2 when 0 then 'host' else 'lane ' || n end,
     now() - (${2 * sessions} - n) * interval '1 second', jsonb_build_object('n', n)
   from generate_series(1, ${2 * sessions}) n`,
  `insert into work_lanes (kind, key, due) select kind, lane, min(due) from work_jobs group by kind, lane`,
  `insert into work_poison (number, kind, lane, attempt, payload, reason)
   select -n, 'test.number', 'host', 1, jsonb_build_object('n', n), 'Made up' from generate_series(1, ${sessions} / 10) n`
]
