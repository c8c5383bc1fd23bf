-- What only versions before the first release needed.

-- All personal data is sealed from the start. A session without a key has none any more.
drop trigger note_plain_values on kyc_sessions;
drop function note_plain_values;

alter table kyc_sessions drop column sealed, drop column has_plain;
alter table kyc_files drop column sealed;

-- Every image has a copy from the start.
alter table kyc_files drop column has_no_copy;

-- Counts of plans are those of companies.
drop table api_usage_months;
drop function api_usage_month_counted;

-- New trails are divided from the start.
drop procedure audit_divide;

-- The statements that insert write these columns themselves.
drop trigger note_session_created_at on kyc_reviews;
drop function note_session_created_at;
drop trigger note_next_session on kyc_sessions;
drop function note_next_session;
drop trigger api_versions_unchecked on api_versions;
drop function api_versions_unchecked;
