-- APIs that companies publish, and the subscriptions of others to them.

create table publishers (
  id uuid primary key,
  company_id uuid not null references companies,
  slug text not null,
  name text not null,
  created_at timestamptz(3) not null default now(),
  -- A publisher is a company with a slug. First, because the first one that is violated is answered.
  constraint publishers_company_key unique (company_id),
  constraint publishers_slug_key unique (slug)
);

create table apis (
  id uuid primary key,
  publisher_id uuid not null references publishers,
  slug text not null,
  name text not null,
  description text not null,
  status text not null default 'draft' check (status in ('draft', 'published')),
  created_at timestamptz(3) not null default now(),
  published_at timestamptz(3), -- the last time it was published
  -- An API that the operator took off the market. It is a draft, and its publisher cannot publish it until the operator allows it.
  taken_down_at timestamptz(3),
  taken_down_reason text, -- shown to its publisher
  constraint apis_slug_key unique (publisher_id, slug),
  constraint apis_taken_down_reason check ((taken_down_at is null) = (taken_down_reason is null)),
  constraint apis_taken_down_draft check (taken_down_at is null or status = 'draft')
);

create index apis_listing on apis (published_at desc, id desc) where status = 'published';

-- Never updated: what a version does is changed by another version.
create table api_versions (
  id uuid primary key,
  api_id uuid not null references apis,
  version text not null,
  upstream_url text not null, -- shown to its publisher only
  sandbox_upstream_url text, -- where dk_test_ keys go; null: where all go
  timeout_seconds integer not null, -- until the upstream's headers
  openapi json, -- as its publisher wrote it: jsonb would change the order of the paths
  exported text, -- its part in the description of published APIs: sections, one behind the other
  exported_lengths integer[], -- the bytes of each section
  created_at timestamptz(3) not null default now(),
  constraint api_versions_version_key unique (api_id, version)
);

-- Never updated: who subscribed keeps what the plan was.
create table api_plans (
  id uuid primary key,
  api_id uuid not null references apis,
  name text not null,
  requests_per_minute integer check (requests_per_minute > 0), -- null: unlimited
  requests_per_month bigint check (requests_per_month > 0), -- null: unlimited
  created_at timestamptz(3) not null default now(),
  constraint api_plans_name_key unique (api_id, name),
  unique (id, api_id)
);

create table subscriptions (
  id uuid primary key,
  company_id uuid not null references companies,
  api_id uuid not null,
  plan_id uuid not null,
  status text not null default 'active' check (status in ('active', 'cancelled')),
  created_at timestamptz(3) not null default now(),
  cancelled_at timestamptz(3),
  foreign key (plan_id, api_id) references api_plans (id, api_id)
);

create unique index subscriptions_active on subscriptions (company_id, api_id) where status = 'active';
create index subscriptions_company on subscriptions (company_id, created_at desc, id desc);
create index subscriptions_api on subscriptions (api_id, created_at desc, id desc);

create table marketplace_keys (
  id uuid primary key,
  subscription_id uuid not null references subscriptions,
  name text not null,
  mode text not null check (mode in ('live', 'test')),
  token_hash bytea not null, -- SHA-256 of the token
  token_prefix text not null, -- first characters of the token, to recognise it by
  expires_at timestamptz(3), -- set when it is rotated: the end of its grace
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3), -- written in batches
  revoked_at timestamptz(3),
  rotated_to uuid references marketplace_keys, -- the key that replaces it
  constraint marketplace_keys_token_hash_key unique (token_hash),
  constraint marketplace_keys_rotated_to_key unique (rotated_to)
);

create index marketplace_keys_subscription on marketplace_keys (subscription_id, created_at desc, id desc);
-- The keys of a subscription that have not ended, however many have: none expires in most, and those that were rotated do soon.
create index marketplace_keys_working on marketplace_keys (subscription_id, expires_at) where revoked_at is null;

-- Answers kept for 24 hours under the Idempotency-Key of their request; without the secret, which is derived again.
create table idempotent_answers (
  company_id uuid not null,
  route text not null,
  key_hash bytea not null, -- SHA-256 of the Idempotency-Key: who has it can have the secret
  fingerprint bytea not null, -- SHA-256 of what was asked for
  answer jsonb not null,
  created_at timestamptz(3) not null default now(),
  primary key (company_id, route, key_hash)
);

create index idempotent_answers_created on idempotent_answers (created_at);
