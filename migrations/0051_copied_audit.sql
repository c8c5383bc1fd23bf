-- Logical replication may bring the audit trail into an empty database (docs/operations.md#move-to-another-server). Its workers
-- insert events that already have their place, and the heads. Postgres itself lists these workers, so a session that puts its
-- triggers off (session_replication_role) is still refused. The workers' search path is empty, hence the full names.
create or replace function audit_append() returns trigger language plpgsql as $$
declare
  head audit_heads;
  last_at timestamptz(3);
begin
  if current_setting('session_replication_role') = 'replica'
    and exists (select from pg_stat_get_subscription(null) where pid = pg_backend_pid()) then
    return new;
  end if;
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

-- `create or replace` has reset what migration 0024 set.
do $$
begin
  execute format('alter function audit_append() security definer set search_path = pg_catalog, %I, pg_temp',
    current_schema());
end
$$;

create or replace function audit_refuse() returns trigger language plpgsql as $$
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
