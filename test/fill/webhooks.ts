import type { Scale } from "./scale.ts"

/**
 * An endpoint for each company, with its secret, and each event of the log as a delivery to it: one of twenty failed, and one of twenty is
 * held.
 */
export const webhooks = ({ companies, host }: Scale): ReadonlyArray<string> => [
  `insert into webhook_endpoints (id, company_id, url, signing, created_at)
   select pg_temp.id_of('webhook endpoint', n), case n when 0 then '${host}'::uuid else pg_temp.id_of('company', n) end,
     'https://hooks.upstream.test/', 'v1', pg_temp.moment(n, ${companies})
   from generate_series(0, ${companies}) n`,
  `insert into webhook_secrets (id, endpoint_id, sealed, sealed_by)
   select pg_temp.id_of('webhook secret', n), pg_temp.id_of('webhook endpoint', n), pg_temp.made_hash('webhook secret', n), 'another'
   from generate_series(0, ${companies}) n`,
  `insert into webhook_deliveries (id, endpoint_id, sequence, event_id, event_type, status, attempts, created_at)
   select pg_temp.id_of('webhook delivery', e.position), p.id, row_number() over (partition by p.id order by e.position), e.id, e.type,
     case e.position % 20 when 1 then 'failed' when 2 then 'held' else 'succeeded' end, 1, e.created_at
   from events e join webhook_endpoints p on p.company_id = e.company_id`,
  `insert into webhook_sequences (endpoint_id, last)
   select id, (select count(*) from webhook_deliveries d where d.endpoint_id = p.id) from webhook_endpoints p`,
  `insert into webhook_attempts (delivery_id, at, milliseconds, status, answer)
   select id, greatest(created_at, now() - interval '1 day'), 20, 204, '' from webhook_deliveries`
]
