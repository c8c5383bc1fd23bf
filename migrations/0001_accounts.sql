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
  role text not null check (role in ('owner', 'member', 'viewer')),
  created_at timestamptz(3) not null default now(),
  constraint users_email_key unique (email)
);

create index users_company on users (company_id);

create table dashboard_sessions (
  token_hash bytea primary key, -- SHA-256 of the token; the token itself is only in the browser
  user_id uuid not null references users on delete cascade,
  created_at timestamptz(3) not null default now(),
  last_seen_at timestamptz(3) not null default now(), -- moved at most once a minute
  expires_at timestamptz(3) not null -- end of life even when used every day
);

create index dashboard_sessions_user on dashboard_sessions (user_id);
create index dashboard_sessions_expires on dashboard_sessions (expires_at);
