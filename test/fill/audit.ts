import type { Scale } from "./scale.ts"

/** One in ten is of another company than the host. */
const events = ({ companies, sessions }: Scale) => Math.max(Math.ceil(sessions / 4), 10 * companies)

/**
 * The trails: one event for four sessions, and of every company one at least. In the host's, one key has read the files and one user has done all the rest. Their
 * hashes are made up, because the chain's own take the time at which they are made.
 */
export const audit = (scale: Scale): ReadonlyArray<string> => [
  "alter table audit_events disable trigger audit_events_append",
  "alter table audit_events disable trigger audit_events_kept",
  "alter table audit_heads disable trigger audit_heads_moved",
  // What the host has done so far comes before, in time too.
  `update audit_events set at = pg_temp.moment(0, ${events(scale)})`,
  `insert into audit_events (company_id, position, id, at, actor_kind, actor_id, actor_name, address, user_agent,
     action, resource_kind, resource_id, resource_name, details, previous_hash, hash)
   select company, coalesce(head.position, 0) + row_number() over (partition by company order by n), pg_temp.id_of('event', n),
     pg_temp.moment(n, ${events(scale)}),
     case when reads then 'api_key' else 'user' end,
     case when reads then pg_temp.id_of('api key', 1) else pg_temp.id_of('user', 1 + n / 10 % ${2 * scale.companies}) end,
     case when reads then 'server 1' else 'user@company.example' end, '192.0.2.1', 'Mozilla/5.0',
     case when reads then 'kyc_file.read' else 'user.signed_in' end,
     case when reads then 'kyc_file' else 'user' end, pg_temp.id_of('file', n), null, '{}',
     pg_temp.made_hash('event', n - 1), pg_temp.made_hash('event', n)
   from generate_series(1, ${events(scale)}) n,
     lateral (select pg_temp.company_of(n), n % 10 <> 0 and n % 5 <> 0) as a (company, reads)
     left join audit_heads head on head.company_id = company`,
  `insert into audit_heads (company_id, position, hash)
   select distinct on (company_id) company_id, position, hash from audit_events order by company_id, position desc
   on conflict (company_id) do update set position = excluded.position, hash = excluded.hash`,
  `insert into audit_seals (company_id, position, seal) select company_id, position, hash from audit_heads
   on conflict (company_id) do update set position = excluded.position, seal = excluded.seal`,
  "alter table audit_events enable always trigger audit_events_append",
  "alter table audit_events enable always trigger audit_events_kept",
  "alter table audit_heads enable always trigger audit_heads_moved"
]
