-- Who did what, when, from where, to what: one chain of events per company, which is only ever added to.
--
-- An event is written by inserting what is known of it. Its place in the chain, its time and its hash are given to it here,
-- and an insert that brings its own is refused. The hash is SHA-256 of the text that audit_text makes, in UTF-8: the JSON
-- array of the event's fields and the hash of the event before it, with ", " between the elements.

create table audit_events (
  company_id uuid not null, -- refers to a company; a constraint would lock its row after the head, in the wrong order
  position bigint not null check (position > 0), -- 1, 2, 3, ... of the company
  id uuid not null,
  at timestamptz(3) not null,
  actor_kind text not null check (actor_kind in ('user', 'api_key', 'operator')),
  actor_id uuid,
  actor_name text not null, -- as it was then
  address text,
  user_agent text, -- cut at 300 characters
  action text not null, -- see src/audit/model.ts
  resource_kind text not null,
  resource_id uuid not null,
  resource_name text, -- as it was then
  details json not null, -- json and not jsonb: the hash is of the very text
  previous_hash bytea not null check (octet_length(previous_hash) = 32), -- of the first event: zeros
  hash bytea not null check (octet_length(hash) = 32),
  check ((actor_id is null) = (actor_kind = 'operator')),
  constraint audit_events_pkey primary key (company_id, position)
) partition by hash (company_id);

-- Over several partitions, Postgres keeps ids unique only together with their company.
create unique index audit_events_company_id on audit_events (company_id, id);
create index audit_events_action on audit_events (company_id, action, position);
-- What somebody did of each kind, however much else they did; all that they did is put together from these.
create index audit_events_actor_action on audit_events (company_id, actor_id, action, position);
create index audit_events_resource on audit_events (company_id, resource_id, position);
create index audit_events_at on audit_events (company_id, at);

-- The last event of each company. Its row is the lock under which the next event is written.
create table audit_heads (
  company_id uuid primary key,
  position bigint not null,
  hash bytea not null,
  last_at timestamptz(3) -- null before the first event
);

-- The events before which the clock was set back: each with its time, and the later time of the event before it. Between two of
-- them a trail is in the order of time, so that a period is found by where it begins and ends.
create table audit_setbacks (
  company_id uuid not null,
  position bigint not null,
  at timestamptz(3) not null,
  previous_at timestamptz(3) not null check (previous_at > at),
  primary key (company_id, position)
);

-- The last event of each company that doorlock itself is known to have written: an HMAC of its place and hash (docs/audit.md), under
-- a key that the database has not. Written by the service, in the transaction of the event; it needs no trigger to keep it, for
-- nobody else can make one.
create table audit_seals (
  company_id uuid primary key,
  position bigint not null check (position > 0),
  seal bytea not null check (octet_length(seal) = 32)
);

create function audit_text(event audit_events) returns text stable language sql as $$
  select json_build_array(
    'doorlock audit 1', event.company_id, event.position, event.id,
    to_char(event.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    event.actor_kind, event.actor_id, event.actor_name, event.address, event.user_agent,
    event.action, event.resource_kind, event.resource_id, event.resource_name,
    event.details::text, encode(event.previous_hash, 'hex')
  )::text
$$;

-- Logical replication may bring the audit trail into an empty database (docs/operations.md#move-to-another-server). Its workers
-- insert events that already have their place, and the heads. Postgres itself lists these workers, so a session that puts its
-- triggers off (session_replication_role) is still refused. The workers' search path is empty, hence the full names in `audit_refuse`.
create function audit_append() returns trigger language plpgsql as $$
declare
  head audit_heads;
begin
  if current_setting('session_replication_role') = 'replica'
    and exists (select from pg_stat_get_subscription(null) where pid = pg_backend_pid()) then
    return new;
  end if;
  if num_nonnulls(new.position, new.at, new.previous_hash, new.hash) > 0 then
    raise exception 'the place of an audit event in its chain is not the writer''s to say'
      using errcode = 'insufficient_privilege';
  end if;
  select * into head from audit_heads where company_id = new.company_id for update;
  if not found then
    insert into audit_heads (company_id, position, hash)
      values (new.company_id, 0, decode(repeat('00', 32), 'hex')) on conflict do nothing;
    -- A statement of its own, which sees what whoever held the lock has done.
    select * into head from audit_heads where company_id = new.company_id for update;
  end if;
  if head.last_at is null then
    select at into head.last_at from audit_events where company_id = new.company_id order by position desc limit 1;
  end if;
  new.position := head.position + 1;
  new.at := date_trunc('milliseconds', clock_timestamp());
  new.previous_hash := head.hash;
  new.hash := sha256(convert_to(audit_text(new), 'UTF8'));
  update audit_heads set position = new.position, hash = new.hash, last_at = new.at where company_id = new.company_id;
  if new.at < head.last_at then
    insert into audit_setbacks (company_id, position, at, previous_at)
      values (new.company_id, new.position, new.at, head.last_at);
  end if;
  return new;
end
$$;

create function audit_refuse() returns trigger language plpgsql as $$
begin
  if tg_op operator(pg_catalog.=) 'INSERT' and pg_catalog.current_setting('session_replication_role') operator(pg_catalog.=) 'replica'
    and exists (
      select from pg_catalog.pg_stat_get_subscription(null) where pid operator(pg_catalog.=) pg_catalog.pg_backend_pid()
    ) then
    return null;
  end if;
  raise exception 'the audit trail is only ever added to' using errcode = 'insufficient_privilege';
end
$$;

-- Whoever inserts an event, it is the owner of the tables who gives it its place. So a role that serves, and owns nothing, needs no
-- right to write the end of a chain. The search path is fixed: it must not be the caller's to say which tables these are.
do $$
begin
  execute format('alter function audit_append() security definer set search_path = pg_catalog, %I, pg_temp', current_schema());
end
$$;

-- Nobody else is to have a trigger of theirs do the same.
revoke execute on function audit_append() from public;

-- Partitions get the trigger of each row from the table. The other one does not fire for a statement on a partition, so each has its own.
create trigger audit_events_append before insert on audit_events
  for each row execute function audit_append();
create trigger audit_events_kept before update or delete or truncate on audit_events
  for each statement execute function audit_refuse();
create trigger audit_heads_kept before delete or truncate on audit_heads
  for each statement execute function audit_refuse();
-- But by audit_append, which is a trigger itself.
create trigger audit_heads_moved before insert or update on audit_heads
  for each statement when (pg_trigger_depth() = 0) execute function audit_refuse();
create trigger audit_setbacks_kept before update or delete or truncate on audit_setbacks
  for each statement execute function audit_refuse();
create trigger audit_setbacks_noted before insert on audit_setbacks
  for each statement when (pg_trigger_depth() = 0) execute function audit_refuse();

-- Also where triggers are put off for a session, as replication does.
alter table audit_events enable always trigger audit_events_append;
alter table audit_events enable always trigger audit_events_kept;
alter table audit_heads enable always trigger audit_heads_kept;
alter table audit_heads enable always trigger audit_heads_moved;
alter table audit_setbacks enable always trigger audit_setbacks_kept;
alter table audit_setbacks enable always trigger audit_setbacks_noted;

-- An owner can do without a privilege; superusers, whom privileges do not bind, meet the triggers.
revoke update, delete, truncate on audit_events, audit_setbacks from current_user;
revoke delete, truncate on audit_heads from current_user;

do $$
declare
  part text;
begin
  for n in 0..15 loop
    part := 'audit_events_' || lpad(n::text, 2, '0');
    execute format('create table %I partition of audit_events for values with (modulus 16, remainder %s)', part, n);
    execute format('create trigger audit_events_kept before update or delete or truncate on %I for each statement execute function audit_refuse()', part);
    execute format('alter table %I enable always trigger audit_events_kept', part);
    execute format('revoke update, delete, truncate on %I from current_user', part);
  end loop;
end
$$;
