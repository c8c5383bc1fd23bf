-- What housekeeping, and the removal of a user, look for.
create index if not exists dashboard_sessions_seen on dashboard_sessions (last_seen_at);
create index if not exists invitations_expires on invitations (expires_at);
create index if not exists invitations_inviter on invitations (invited_by) where invited_by is not null;

-- Until this migration is through, nothing is written to the tables whose indexes it makes, by replicas that still serve neither.
-- Those of the two large tables can be made beforehand without holding up writes (docs/operations.md, Upgrade).

-- The sessions of one instance in one status, newest first; those of every status are put together from these.
create index if not exists kyc_sessions_instance_status
  on kyc_sessions (company_id, instance_id, status, created_at desc, id desc);

-- What somebody did of each kind, however much else they did; all that they did is put together from these.
create index if not exists audit_events_actor_action on audit_events (company_id, actor_id, action, position);

-- The events before which the clock was set back: each with its time, and the later time of the event before it. Between two of
-- them a trail is in the order of time, so that a period is found by where it begins and ends.
create table audit_setbacks (
  company_id uuid not null,
  position bigint not null,
  at timestamptz(3) not null,
  previous_at timestamptz(3) not null check (previous_at > at),
  primary key (company_id, position)
);

-- As in migration 0008; and it notes when an event is earlier than the last.
create or replace function audit_append() returns trigger language plpgsql as $$
declare
  head audit_heads;
  last_at timestamptz(3);
begin
  if num_nonnulls(new.position, new.at, new.previous_hash, new.hash) > 0 then
    raise exception 'the place of an audit event in its chain is not the writer''s to say'
      using errcode = 'insufficient_privilege';
  end if;
  insert into audit_heads (company_id, position, hash)
    values (new.company_id, 0, decode(repeat('00', 32), 'hex')) on conflict do nothing;
  -- A statement of its own, which sees what whoever held the lock has done.
  select * into head from audit_heads where company_id = new.company_id for update;
  new.position := head.position + 1;
  new.at := date_trunc('milliseconds', clock_timestamp());
  new.previous_hash := head.hash;
  new.hash := sha256(convert_to(audit_text(new), 'UTF8'));
  update audit_heads set position = new.position, hash = new.hash where company_id = new.company_id;
  select at into last_at from audit_events where company_id = new.company_id order by position desc limit 1;
  if new.at < last_at then
    insert into audit_setbacks (company_id, position, at, previous_at)
      values (new.company_id, new.position, new.at, last_at);
  end if;
  return new;
end
$$;

-- None is written in between that the new function does not see.
lock table audit_events in share mode;
insert into audit_setbacks (company_id, position, at, previous_at)
select company_id, position, at, previous_at
from (
  select company_id, position, at, lag(at) over (partition by company_id order by position) as previous_at
  from audit_events
) events
where at < previous_at;

-- A trail hides nothing, and so they are kept as the events are; but by audit_append, none is added.
create trigger audit_setbacks_kept before update or delete or truncate on audit_setbacks
  for each statement execute function audit_refuse();
create trigger audit_setbacks_noted before insert on audit_setbacks
  for each statement when (pg_trigger_depth() = 0) execute function audit_refuse();
alter table audit_setbacks enable always trigger audit_setbacks_kept;
alter table audit_setbacks enable always trigger audit_setbacks_noted;
revoke update, delete, truncate on audit_setbacks from current_user;
