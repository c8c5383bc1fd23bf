-- Checks (docs/checks.md): what doorlock itself saw in what a person handed in. What was seen is sealed by the session's key.
create table kyc_checks (
  id uuid primary key,
  session_id uuid not null references kyc_sessions on delete cascade,
  company_id uuid not null references companies,
  -- In this order they are shown. A session is looked at once.
  place smallint not null,
  kind text not null,
  outcome text not null check (outcome in ('agrees', 'differs', 'unreadable', 'not_checked')),
  content text not null, -- the reason and the detail, sealed
  file_ids uuid[] not null,
  engine text not null,
  at timestamptz(3) not null default now(),
  unique (session_id, place)
);
