-- Companies, their users, and who is signed in.

create table companies (
  id uuid primary key,
  name text not null,
  created_at timestamptz(3) not null default now()
);

create table users (
  id uuid primary key,
  company_id uuid not null references companies,
  email text not null, -- trimmed and lower case, so that one address is one account
  password_hash text not null, -- argon2id, PHC string format
  role text not null check (role in ('owner', 'member', 'reviewer', 'viewer')),
  created_at timestamptz(3) not null default now(),
  constraint users_email_key unique (email)
);

create index users_company on users (company_id);

create table invitations (
  id uuid primary key,
  company_id uuid not null references companies,
  email text not null, -- trimmed and lower case
  role text not null check (role in ('owner', 'member', 'reviewer', 'viewer')),
  token_hash bytea not null, -- SHA-256 of the token; the token itself is only in the link
  invited_by uuid references users on delete set null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  constraint invitations_token_hash_key unique (token_hash),
  constraint invitations_email_key unique (company_id, email) -- a new one replaces the one before
);

create index invitations_expires on invitations (expires_at);
create index invitations_inviter on invitations (invited_by) where invited_by is not null;

create table dashboard_sessions (
  token_hash bytea primary key, -- SHA-256 of the token; the token itself is only in the browser
  id uuid not null default gen_random_uuid(), -- the name of the session for its user
  user_id uuid not null references users on delete cascade,
  user_agent text, -- as it was when the session began, cut at 300 characters
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(), -- moved at most once a minute
  expires_at timestamptz(3) not null, -- end of life even when used every day
  constraint dashboard_sessions_id_key unique (id)
);

create index dashboard_sessions_user on dashboard_sessions (user_id);
create index dashboard_sessions_expires on dashboard_sessions (expires_at);
create index dashboard_sessions_seen on dashboard_sessions (last_seen_at);
