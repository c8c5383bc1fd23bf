-- Over several partitions, Postgres keeps ids unique only together with their company.
create unique index audit_events_company_id on audit_events (company_id, id);
alter table audit_events validate constraint audit_events_whole;
