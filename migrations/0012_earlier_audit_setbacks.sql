-- Of the events that are older than 0011. Apart from it, because this takes long where there are many, and others write meanwhile.
insert into audit_setbacks (company_id, position, at, previous_at)
select company_id, position, at, previous_at
from (
  select company_id, position, at, lag(at) over (partition by company_id order by position) as previous_at
  from audit_events
) events
where at < previous_at
on conflict do nothing;

-- A trail hides nothing, and so they are kept as the events are; but by audit_append, none is added.
create trigger audit_setbacks_kept before update or delete or truncate on audit_setbacks
  for each statement execute function audit_refuse();
create trigger audit_setbacks_noted before insert on audit_setbacks
  for each statement when (pg_trigger_depth() = 0) execute function audit_refuse();
alter table audit_setbacks enable always trigger audit_setbacks_kept;
alter table audit_setbacks enable always trigger audit_setbacks_noted;
revoke update, delete, truncate on audit_setbacks from current_user;
