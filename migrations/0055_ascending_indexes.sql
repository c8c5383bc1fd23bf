-- Lists of sessions. Ascending: where keys are added at the end of a range, Postgres fills its pages, and where they are added at the
-- beginning it leaves pages half empty. Lists are read in either direction.
create index kyc_sessions_by_status on kyc_sessions (company_id, status, created_at, id);
create index kyc_sessions_by_instance on kyc_sessions (company_id, instance_id, status, created_at, id);
create index kyc_sessions_with_flags on kyc_sessions (company_id, created_at, id) where flags <> '{}';
create index kyc_reviews_by_standing on kyc_reviews (company_id, standing, session_created_at, session_id);
