-- The audit trail moves into partitions by company (0067). The new table, under another name until then. It has no rows of its own.
create table audit_events_next (like audit_events including defaults including constraints) partition by hash (company_id);

-- What every row fulfils, in the words of Postgres for the one partition of a table that is not divided. Once it is validated, Postgres takes
-- all events for this partition without reading them again.
do $$
begin
  execute format('alter table audit_events add constraint audit_events_whole check (satisfies_hash_partition(%s::oid, 1, 0, company_id)) not valid',
    'audit_events_next'::regclass::oid);
end
$$;
