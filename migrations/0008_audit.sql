-- Who did what, when, from where, to what: one chain of events per company, which is only ever added to.
--
-- An event is written by inserting what is known of it; its place in the chain, its time and its hash are given to it here,
-- and an insert that brings its own is refused. The hash is SHA-256 of the text that audit_text makes, in UTF-8: the JSON
-- array of the event's fields and the hash of the event before it, with ", " between the elements.
create table audit_events (
  company_id uuid not null, -- refers to a company; a constraint would lock its row after the head, in the wrong order
  position bigint not null check (position > 0), -- 1, 2, 3, ... of the company
  id uuid not null,
  at timestamptz(3) not null,
  actor_kind text not null check (actor_kind in ('user', 'api_key', 'operator')),
  actor_id uuid check ((actor_id is null) = (actor_kind = 'operator')),
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
  primary key (company_id, position),
  constraint audit_events_id_key unique (id)
);

create index audit_events_action on audit_events (company_id, action, position);
create index audit_events_actor on audit_events (company_id, actor_id, position);
create index audit_events_resource on audit_events (company_id, resource_id, position);
create index audit_events_at on audit_events (company_id, at);

-- The last event of each company; its row is the lock under which the next one is written.
create table audit_heads (
  company_id uuid primary key,
  position bigint not null,
  hash bytea not null
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

create function audit_append() returns trigger language plpgsql as $$
declare
  head audit_heads;
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
  return new;
end
$$;

create function audit_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'the audit trail is only ever added to' using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_events_append before insert on audit_events
  for each row execute function audit_append();
create trigger audit_events_kept before update or delete or truncate on audit_events
  for each statement execute function audit_refuse();
create trigger audit_heads_kept before delete or truncate on audit_heads
  for each statement execute function audit_refuse();
-- But by audit_append, which is a trigger itself.
create trigger audit_heads_moved before insert or update on audit_heads
  for each statement when (pg_trigger_depth() = 0) execute function audit_refuse();

-- Also where triggers are put off for a session, as replication does.
alter table audit_events enable always trigger audit_events_append;
alter table audit_events enable always trigger audit_events_kept;
alter table audit_heads enable always trigger audit_heads_kept;
alter table audit_heads enable always trigger audit_heads_moved;

-- An owner can do without a privilege; superusers, whom privileges do not bind, meet the triggers.
revoke update, delete, truncate on audit_events from current_user;
revoke delete, truncate on audit_heads from current_user;

-- So that every company has a chain, and one without is known to have lost it.
insert into audit_events
  (company_id, id, actor_kind, actor_name, action, resource_kind, resource_id, resource_name, details)
select id, gen_random_uuid(), 'operator', 'migration', 'audit.began', 'company', id, name, '{}'
from companies order by created_at, id;
