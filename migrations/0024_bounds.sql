-- Whoever inserts an event, it is the owner of the tables who gives it its place. So a role that serves, and owns nothing, needs no
-- right to write the end of a chain. The search path is fixed: it must not be the caller's to say which tables these are.
do $$
begin
  execute format('alter function audit_append() security definer set search_path = pg_catalog, %I, pg_temp',
    current_schema());
end
$$;

-- Nobody else is to have a trigger of theirs do the same.
revoke execute on function audit_append() from public;

-- The keys of a subscription that have not ended, however many have: none expires in most, and those that were rotated do soon.
create index marketplace_keys_working on marketplace_keys (subscription_id, expires_at) where revoked_at is null;

-- Sessions that can expire, by when they do: among many that were abandoned, the few that have not ended.
create index if not exists kyc_sessions_unfinished on kyc_sessions (company_id, status, expires_at)
  where status in ('created', 'running');
