create table kyc_instances (
  id uuid primary key,
  company_id uuid not null references companies,
  name text not null,
  public_key text not null,
  version_id uuid not null, -- the version that new sessions get
  disabled_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  constraint kyc_instances_public_key_key unique (public_key)
);

create index kyc_instances_company on kyc_instances (company_id, created_at desc, id desc);

-- Never updated: a session points at the version it was created with, so that
-- editing an instance never changes a running session.
create table kyc_instance_versions (
  id uuid primary key,
  instance_id uuid not null references kyc_instances,
  company_id uuid not null references companies,
  config jsonb not null check (jsonb_typeof(config) = 'object'),
  workflow jsonb not null check (jsonb_typeof(workflow) = 'object'),
  created_at timestamptz(3) not null default now(),
  unique (id, instance_id, company_id)
);

create index kyc_instance_versions_instance on kyc_instance_versions (instance_id);

alter table kyc_instances
  add constraint kyc_instances_version foreign key (version_id, id, company_id)
  references kyc_instance_versions (id, instance_id, company_id) deferrable initially deferred;

create table kyc_sessions (
  id uuid primary key,
  instance_id uuid not null,
  company_id uuid not null,
  version_id uuid not null,
  mode text not null check (mode in ('prod', 'dev')),
  status text not null default 'created'
    check (status in ('created', 'running', 'completed', 'failed', 'cancelled')),
  external_reference text,
  success_redirect_url text, -- byte for byte as the partner gave it
  failure_redirect_url text,
  metadata jsonb,
  progress jsonb not null default '{}' check (jsonb_typeof(progress) = 'object'),
  result jsonb,
  token_hash bytea not null, -- SHA-256 of the session token
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3), -- the first time the status became running
  updated_at timestamptz(3) not null default now(),
  completed_at timestamptz(3), -- when a final status was reached, whichever
  captcha_verified_at timestamptz(3),
  captcha_score double precision,
  constraint kyc_sessions_token_hash_key unique (token_hash),
  foreign key (version_id, instance_id, company_id)
    references kyc_instance_versions (id, instance_id, company_id)
) with (fillfactor = 85); -- progress rewrites rows; the spare room keeps them on their page

create index kyc_sessions_company on kyc_sessions (company_id, created_at desc, id desc);
create index kyc_sessions_status on kyc_sessions (company_id, status, created_at desc, id desc);
create index kyc_sessions_reference on kyc_sessions (company_id, external_reference, created_at desc, id desc)
  where external_reference is not null;

-- What was seen under one key, over all sessions of one company and mode.
create table kyc_dedup_records (
  key_hmac bytea primary key, -- HMAC-SHA256(pepper, company, mode, keyHash)
  company_id uuid not null references companies,
  mode text not null check (mode in ('prod', 'dev')),
  first_session_id uuid not null,
  last_session_id uuid not null,
  seen_count integer not null, -- distinct sessions
  first_seen_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now()
);

create table kyc_dedup_sightings (
  session_id uuid not null references kyc_sessions,
  key_hmac bytea not null references kyc_dedup_records,
  seen_at timestamptz(3) not null default now(),
  primary key (session_id, key_hmac)
);

-- Captcha tokens already used, each by one session.
create table kyc_captcha_tokens (
  jti_hash bytea primary key, -- SHA-256 of the token's jti
  session_id uuid not null references kyc_sessions,
  expires_at timestamptz(3) not null -- the token's own end; the row can go after it
);

create index kyc_captcha_tokens_expires on kyc_captcha_tokens (expires_at);
