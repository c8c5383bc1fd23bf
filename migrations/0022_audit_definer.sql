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
