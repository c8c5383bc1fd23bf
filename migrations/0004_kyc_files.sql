-- What end users uploaded in a session. The content is in the file store under the id, whole before the row is.
create table kyc_files (
  id uuid primary key,
  session_id uuid not null references kyc_sessions,
  content_type text not null, -- as the first bytes say, never as the browser declared it
  size integer not null check (size > 0), -- bytes
  sha256 bytea not null check (octet_length(sha256) = 32),
  created_at timestamptz(3) not null default now()
);

create index kyc_files_session on kyc_files (session_id, id);

-- Uploads that have begun and not ended. Each tells the sweep under which id a process that died may have left
-- content behind.
create table kyc_file_uploads (
  id uuid primary key, -- of the file that it becomes
  session_id uuid not null references kyc_sessions,
  abandoned boolean not null default false, -- the sweep is removing its content: it can no longer become a file
  started_at timestamptz(3) not null default now()
);

create index kyc_file_uploads_started on kyc_file_uploads (started_at);

alter table kyc_sessions
  add column files_begun smallint not null default 0; -- rows in kyc_files and kyc_file_uploads
