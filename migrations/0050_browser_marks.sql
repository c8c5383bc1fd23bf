-- To find sessions of an instance that came from the same browser (docs/checks.md#signals): the random mark that the hosted page keeps there,
-- as a hash that only this service can make. They end with the session's data, at the latest after 30 days.
create table kyc_browser_marks (
  session_id uuid primary key references kyc_sessions on delete cascade,
  mark bytea not null, -- SHA-256 of the mark's HMAC under SECRET_KEY, the instance and the mode
  created_at timestamptz(3) not null default now()
);
create index kyc_browser_marks_mark on kyc_browser_marks (mark, created_at);
create index kyc_browser_marks_age on kyc_browser_marks (created_at);
