-- The table of audit events becomes the only partition of a new one with its name. Its rows stay where they are, and since 0066 Postgres knows
-- that they belong there. A small one is then divided into 16 partitions by a hash of the company. `lock table` would take a privilege that an
-- owner need not have; the name takes none.
alter table audit_events rename to audit_events_whole;
alter table audit_events_next rename to audit_events;

alter table audit_events_whole drop constraint audit_events_id_key;
-- The new table has triggers of the same names.
drop trigger audit_events_append on audit_events_whole;

do $$
declare
  known record;
begin
  -- The new table has the same indexes, also those of your own. They take over those of the partition, which are the same under another name.
  for known in
    select c.relname as name, i.indisprimary, i.indisunique, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 'audit_events_whole'::regclass and i.indisvalid
  loop
    execute format('alter index %I rename to %I', known.name, case when starts_with(known.name, 'audit_events_')
      then 'audit_events_whole_' || substr(known.name, 14) else left(known.name, 40) || '_of_audit_events_whole' end);
    if known.indisprimary then
      alter table audit_events add constraint audit_events_pkey primary key (company_id, position);
    elsif not known.indisunique or known.name = 'audit_events_company_id' then
      execute regexp_replace(known.definition, ' ON .*? USING ', ' ON audit_events USING ');
    end if;
  end loop;
end
$$;

alter table audit_events attach partition audit_events_whole for values with (modulus 1, remainder 0);
alter table audit_events_whole drop constraint audit_events_whole;

-- The text of an event and its hash, as in 0008: the row type is that of the new table.
drop function audit_text(audit_events_whole);
create function audit_text(event audit_events) returns text stable language sql as $$
  select json_build_array(
    'doorlock audit 1', event.company_id, event.position, event.id,
    to_char(event.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    event.actor_kind, event.actor_id, event.actor_name, event.address, event.user_agent,
    event.action, event.resource_kind, event.resource_id, event.resource_name,
    event.details::text, encode(event.previous_hash, 'hex')
  )::text
$$;

-- The time of the last event, so that the next one need not look for it. Null until a company's first event after this migration.
alter table audit_heads add column last_at timestamptz(3);

-- As in 0051; but it takes the time of the last event from the head, and makes a head only where there is none.
create or replace function audit_append() returns trigger language plpgsql as $$
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

-- `create or replace` has reset what migration 0024 set.
do $$
begin
  execute format('alter function audit_append() security definer set search_path = pg_catalog, %I, pg_temp',
    current_schema());
end
$$;

-- Partitions get the trigger of each row from the table. The other one does not fire for a statement on a partition, so each has its own.
create trigger audit_events_append before insert on audit_events
  for each row execute function audit_append();
create trigger audit_events_kept before update or delete or truncate on audit_events
  for each statement execute function audit_refuse();
alter table audit_events enable always trigger audit_events_append;
alter table audit_events enable always trigger audit_events_kept;

do $$
declare
  known record;
begin
  revoke update, delete, truncate on audit_events from current_user;
  -- Whoever could read and write events can do so at once.
  for known in
    select coalesce(nullif(grantee, 0)::regrole::text, 'public') as grantee, privilege_type
    from pg_class, aclexplode(relacl) where oid = 'audit_events_whole'::regclass and grantee <> relowner
  loop
    execute format('grant %s on audit_events to %s', known.privilege_type, known.grantee);
  end loop;
end
$$;

-- Divides events that are in one partition into 16. Nobody can write meanwhile. docs/operations.md#partitions-of-audit-events says when to call it.
create procedure audit_divide() language plpgsql as $$
declare
  owner regrole := (select relowner from pg_class where oid = 'audit_events'::regclass);
  whole regclass;
  part text;
  moved bigint;
  copied bigint := 0;
begin
  select min(inhrelid::bigint)::oid into whole from pg_inherits where inhparent = 'audit_events'::regclass having count(*) = 1;
  if whole is null then
    raise exception 'the audit events are divided already' using errcode = 'object_not_in_prerequisite_state';
  end if;
  execute format('alter table audit_events detach partition %s', whole);
  for n in 0..15 loop
    part := 'audit_events_' || lpad(n::text, 2, '0');
    execute format('create table %I (like audit_events including defaults including constraints)', part);
    execute format('insert into %I select * from %s where satisfies_hash_partition(''audit_events''::regclass, 16, %s, company_id)', part, whole, n);
    get diagnostics moved = row_count;
    copied := copied + moved;
    execute format('alter table audit_events attach partition %I for values with (modulus 16, remainder %s)', part, n);
    execute format('create trigger audit_events_kept before update or delete or truncate on %I for each statement execute function audit_refuse()', part);
    execute format('alter table %I enable always trigger audit_events_kept', part);
    execute format('alter table %I owner to %s', part, owner);
    execute format('revoke update, delete, truncate on %I from %s', part, owner);
  end loop;
  execute format('select count(*) from %s', whole) into moved;
  if moved <> copied then
    raise exception '% of % audit events were copied', copied, moved;
  end if;
  execute format('drop table %s', whole);
end
$$;

revoke execute on procedure audit_divide() from public;

do $$
begin
  if (select count(*) from (select from audit_events limit 20001) as events) <= 20000 then
    call audit_divide();
  end if;
exception when dependent_objects_still_exist then
  -- Views of your own read the whole partition.
  null;
end
$$;
