-- Platform API keys.

create table api_keys (
  id uuid primary key,
  company_id uuid not null references companies,
  name text not null,
  scopes text[] not null, -- '{*}' permits everything, '{}' nothing
  token_hash bytea not null, -- SHA-256 of the token
  token_prefix text not null, -- first characters of the token, to recognise it by
  -- The user who created it; null if the operator did. The user may be removed later. For four eyes, a key counts as this user.
  created_by uuid,
  expires_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3), -- written in batches, at most a minute behind
  revoked_at timestamptz(3),
  constraint api_keys_token_hash_key unique (token_hash)
);

create index api_keys_company on api_keys (company_id, created_at desc, id desc);
create index api_keys_expiring on api_keys (expires_at) where revoked_at is null and expires_at is not null;
-- The keys of a company that expire soon.
create index api_keys_ending on api_keys (company_id, expires_at) where revoked_at is null and expires_at is not null;
