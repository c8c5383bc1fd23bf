-- What the server has read in the photo of a document for a browser that cannot read it (docs/checks.md#on-the-server). The rows stay, so
-- that a session's readings can be counted; what was read is wiped after an hour.
create table kyc_readings (
  file_id uuid primary key references kyc_files on delete cascade,
  session_id uuid not null references kyc_sessions on delete cascade,
  asked_at timestamptz(3) not null default now(),
  read_at timestamptz(3),
  content text, -- the fields, sealed by the session's key; null if nothing was read, or it is wiped
  check (content is null or read_at is not null)
);
create index kyc_readings_session on kyc_readings (session_id);
create index kyc_readings_kept on kyc_readings (read_at) where content is not null;
