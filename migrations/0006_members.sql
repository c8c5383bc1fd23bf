create table invitations (
  id uuid primary key,
  company_id uuid not null references companies,
  email text not null, -- trimmed and lower case
  role text not null check (role in ('owner', 'member', 'viewer')),
  token_hash bytea not null, -- SHA-256 of the token; the token itself is only in the link
  invited_by uuid references users on delete set null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  constraint invitations_token_hash_key unique (token_hash),
  constraint invitations_email_key unique (company_id, email) -- a new one replaces the one before
);

alter table dashboard_sessions
  add column id uuid not null default gen_random_uuid(), -- by which its user names it; the token's hash stays here
  add column user_agent text, -- as it was when the session began, cut at 300 characters
  add constraint dashboard_sessions_id_key unique (id);
