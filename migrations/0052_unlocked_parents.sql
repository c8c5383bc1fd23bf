-- A foreign key locks the row that it refers to. Where many transactions lock one row at once, Postgres writes a MultiXact each time, and an
-- installation that creates many sessions runs out of them before they are frozen. So tables that grow with use refer to shared rows
-- (companies, instances, versions) without a foreign key. Each statement that inserts there takes these ids from rows that it reads, and
-- no statement deletes such a row: the service's role has no right to.
alter table kyc_sessions drop constraint kyc_sessions_version_id_instance_id_company_id_fkey;
alter table kyc_dedup_records drop constraint kyc_dedup_records_company_id_fkey;
alter table kyc_reviews drop constraint kyc_reviews_company_id_fkey, drop constraint kyc_reviews_instance_id_fkey;
alter table kyc_session_notes drop constraint kyc_session_notes_company_id_fkey;
alter table kyc_checks drop constraint kyc_checks_company_id_fkey;
alter table idempotent_answers drop constraint idempotent_answers_company_id_fkey;
