import type { Scale } from "./scale.ts"

/** One in ten belongs to a company other than the host. */
const events = ({ companies, sessions }: Scale) => Math.max(Math.ceil(sessions / 4), 10 * companies)

/**
 * The trails: one event for every four sessions, and at least one per company. In the host's trail, one key has read the
 * files, and one user has done everything else. The chain is computed here, because its trigger would use the current time.
 * The seals are made up.
 */
export const audit = (scale: Scale): ReadonlyArray<string> => [
  "alter table audit_events disable trigger audit_events_append",
  "alter table audit_events disable trigger audit_events_kept",
  "alter table audit_heads disable trigger audit_heads_moved",
  // The host's earlier events come first, in time too.
  `update audit_events set at = pg_temp.moment(0, ${events(scale)})`,
  `do $$
   declare
     e audit_events;
     last audit_events;
   begin
     for e in select * from audit_events order by company_id, position loop
       e.previous_hash := case when last.company_id = e.company_id then last.hash else e.previous_hash end;
       e.hash := sha256(convert_to(audit_text(e), 'UTF8'));
       update audit_events set previous_hash = e.previous_hash, hash = e.hash
       where company_id = e.company_id and position = e.position;
       last := e;
     end loop;
     last := null;
     for e in
       select company, coalesce(head.position, 0) + row_number() over (partition by company order by n),
         pg_temp.id_of('event', n), pg_temp.moment(n, ${events(scale)}),
         case when reads then 'api_key' else 'user' end,
         case when reads then pg_temp.id_of('api key', 1) else pg_temp.id_of('user', 1 + n / 10 % ${2 * scale.companies}) end,
         case when reads then 'server 1' else 'user@company.example' end, '192.0.2.1', 'Mozilla/5.0',
         case when reads then 'kyc_file.read' else 'user.signed_in' end,
         case when reads then 'kyc_file' else 'user' end, pg_temp.id_of('file', n), null, '{}'::json,
         decode(repeat('00', 32), 'hex'), null
       from generate_series(1, ${events(scale)}) n,
         lateral (select pg_temp.company_of(n), n % 10 <> 0 and n % 5 <> 0) as a (company, reads)
         left join (select company_id, max(position) as position from audit_events group by 1) head on head.company_id = company
       order by company, n
     loop
       if last.company_id is distinct from e.company_id then
         select * into last from audit_events where company_id = e.company_id order by position desc limit 1;
       end if;
       e.at := date_trunc('milliseconds', e.at);
       e.previous_hash := coalesce(last.hash, e.previous_hash);
       e.hash := sha256(convert_to(audit_text(e), 'UTF8'));
       insert into audit_events values (e.*);
       last := e;
     end loop;
   end $$`,
  `insert into audit_heads (company_id, position, hash)
   select distinct on (company_id) company_id, position, hash from audit_events order by company_id, position desc
   on conflict (company_id) do update set position = excluded.position, hash = excluded.hash`,
  `insert into audit_seals (company_id, position, seal) select company_id, position, hash from audit_heads
   on conflict (company_id) do update set position = excluded.position, seal = excluded.seal`,
  "alter table audit_events enable always trigger audit_events_append",
  "alter table audit_events enable always trigger audit_events_kept",
  "alter table audit_heads enable always trigger audit_heads_moved"
]
