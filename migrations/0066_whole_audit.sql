-- doorlock: each statement by itself
-- Both read all events, and no write waits.

-- Over several partitions, Postgres keeps ids unique only together with their company.
create unique index concurrently if not exists audit_events_company_id on audit_events (company_id, id);
alter table audit_events validate constraint audit_events_whole;
