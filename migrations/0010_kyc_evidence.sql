-- What end users hand in, what doorlock sees in it, and how a session moves between devices.

-- Uploaded files. The content is in the file store under the id, encrypted by the session's key, and whole before the row is.
create table kyc_files (
  id uuid primary key,
  session_id uuid not null,
  content_type text not null, -- as the first bytes say, never as the browser declared it
  size integer not null check (size > 0), -- bytes
  sha256 bytea not null check (octet_length(sha256) = 32),
  -- Of an image: the copy that partners read, drawn anew from the file without its metadata. It is in the file store beside the file. Null of a PDF.
  copy_size integer check (copy_size > 0), -- bytes
  copy_sha256 bytea check (octet_length(copy_sha256) = 32),
  created_at timestamptz(3) not null default now(),
  constraint kyc_files_copy check ((copy_size is null) = (copy_sha256 is null))
);

create index kyc_files_session on kyc_files (session_id, id);

-- Uploads that have begun and not ended. Each tells the sweep under which id a process that died may have left content behind.
create table kyc_file_uploads (
  id uuid primary key, -- of the file that it becomes
  session_id uuid not null,
  abandoned boolean not null default false, -- the sweep is removing its content: it can no longer become a file
  started_at timestamptz(3) not null default now(),
  -- The process that receives the upload moves this on. Once it has not for a while, it has died, and the sweep removes what it has left.
  alive_until timestamptz(3) not null
);

create index kyc_file_uploads_alive on kyc_file_uploads (alive_until);
create index kyc_file_uploads_session on kyc_file_uploads (session_id);

-- Sessions on their way from one device to another.
create table kyc_handoffs (
  id uuid primary key,
  session_id uuid not null,
  secret_hash bytea not null, -- SHA-256 of the one-time secret in the link
  status text not null default 'waiting' check (status in ('waiting', 'claimed', 'confirmed', 'refused', 'cancelled')),
  sealed bytea, -- the session token and what goes with it; opens with the secret only. Gone once it is of no more use
  receipt_hash bytea, -- SHA-256 of what the device that claimed it shows itself by
  device text, -- that device, coarsely
  code text check (code ~ '^[1-9][0-9]$'), -- what its end user reads off the first device
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  claimed_at timestamptz(3),
  ended_at timestamptz(3), -- when it was confirmed, refused or cancelled
  constraint kyc_handoffs_secret_hash_key unique (secret_hash),
  check (status <> 'waiting' or receipt_hash is null),
  check (status not in ('claimed', 'confirmed', 'refused') or (receipt_hash is not null and device is not null)),
  check (code is null or status = 'claimed'),
  check (sealed is null or status in ('waiting', 'claimed'))
);

create index kyc_handoffs_session on kyc_handoffs (session_id);
-- A new one takes the place of the one before it.
create unique index kyc_handoffs_open on kyc_handoffs (session_id) where status in ('waiting', 'claimed');
create index kyc_handoffs_sealed on kyc_handoffs (expires_at) where sealed is not null;

-- Captcha tokens already used, each by one session.
create table kyc_captcha_tokens (
  jti_hash bytea primary key, -- SHA-256 of the token's jti
  session_id uuid not null,
  expires_at timestamptz(3) not null -- the token's own end; the row can go after it
);

create index kyc_captcha_tokens_expires on kyc_captcha_tokens (expires_at);

-- What was seen under one key, over all sessions of one company and mode.
create table kyc_dedup_records (
  key_hmac bytea primary key, -- HMAC-SHA256(pepper, company, mode, keyHash)
  company_id uuid not null,
  mode text not null check (mode in ('prod', 'dev')),
  first_session_id uuid not null,
  last_session_id uuid not null,
  seen_count integer not null, -- distinct sessions
  first_seen_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now()
);

create table kyc_dedup_sightings (
  session_id uuid not null,
  key_hmac bytea not null references kyc_dedup_records,
  seen_at timestamptz(3) not null default now(),
  -- Not this session checked it, but one whose answers it carries on.
  carried boolean not null default false,
  primary key (session_id, key_hmac)
);

-- The other sessions of a document or person, newest first: a session's id begins with its time.
create index kyc_dedup_sightings_key on kyc_dedup_sightings (key_hmac, session_id desc);

-- Checks (docs/checks.md): what doorlock itself saw in what a person handed in. What was seen is encrypted by the session's key.
create table kyc_checks (
  id uuid primary key,
  session_id uuid not null,
  company_id uuid not null,
  -- In this order they are shown. A session is looked at once.
  place smallint not null,
  kind text not null,
  outcome text not null check (outcome in ('agrees', 'differs', 'unreadable', 'not_checked')),
  content text not null, -- the reason and the detail, encrypted
  file_ids uuid[] not null,
  engine text not null,
  at timestamptz(3) not null default now(),
  unique (session_id, place)
);

-- To find the same picture in other sessions of a company (docs/checks.md#duplicates): each photo's perceptual hash in parts, as HMACs
-- under SECRET_KEY. They end with the file.
create table kyc_photo_bands (
  mac bigint not null, -- the first 64 bits; of the company, the mode, the number of the part and its value
  file_id uuid not null references kyc_files on delete cascade,
  -- Ids begin with their time, so the newest photos with a part are found first.
  primary key (mac, file_id)
);

create index kyc_photo_bands_file on kyc_photo_bands (file_id);

-- To find sessions of an instance that came from the same browser (docs/checks.md#signals): the random mark that the hosted page keeps there,
-- as a hash that only this service can make. They end with the session's data, at the latest after 30 days.
create table kyc_browser_marks (
  session_id uuid primary key,
  mark bytea not null, -- SHA-256 of the mark's HMAC under SECRET_KEY, the instance and the mode
  created_at timestamptz(3) not null default now()
);

create index kyc_browser_marks_mark on kyc_browser_marks (mark, created_at);
create index kyc_browser_marks_age on kyc_browser_marks (created_at);

-- What the server has read in the photo of a document for a browser that cannot read it (docs/checks.md#on-the-server). The rows stay, so
-- that a session's readings can be counted; what was read is wiped after an hour.
create table kyc_readings (
  file_id uuid primary key references kyc_files on delete cascade,
  session_id uuid not null,
  asked_at timestamptz(3) not null default now(),
  read_at timestamptz(3),
  content text, -- the fields, encrypted by the session's key; null if nothing was read, or it is wiped
  check (content is null or read_at is not null)
);

create index kyc_readings_session on kyc_readings (session_id);
create index kyc_readings_kept on kyc_readings (read_at) where content is not null;

-- Keys that sign the receipts of end users (docs/contract.md#receipts). Every public key stays published, because receipts outlive the
-- key that signed them.
create table receipt_keys (
  id uuid primary key,
  public_key bytea not null check (octet_length(public_key) = 32),
  sealed bytea not null, -- the private key, encrypted with a key derived from SECRET_KEY
  created_at timestamptz(3) not null default now(),
  retired_at timestamptz(3) -- since then, another key signs
);

create unique index receipt_keys_current on receipt_keys ((true)) where retired_at is null;
